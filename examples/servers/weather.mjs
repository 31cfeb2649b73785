// An MCP server over stdio, as anyone might write it with the official SDK; examples/import-mcp.mjs imports it.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const CITIES = { Bergen: { celsius: 7, sky: "rain" }, Sevilla: { celsius: 31, sky: "clear" } };

serveStdio(() => {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const input = z.object({ city: z.string() });

  server.registerTool(
    "current",
    {
      description: "The weather in a city.",
      inputSchema: input,
      outputSchema: z.object({ celsius: z.number(), sky: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ city }) => {
      const weather = CITIES[city];
      if (weather === undefined) return { content: [{ type: "text", text: `No station in ${city}` }], isError: true };
      return { content: [{ type: "text", text: JSON.stringify(weather) }], structuredContent: weather };
    },
  );

  // Many servers put JSON into a text and declare nothing.
  server.registerTool("history", { description: "Ten days.", inputSchema: input }, ({ city }) => ({
    content: [{ type: "text", text: JSON.stringify([{ city, day: 1, celsius: 9 }]) }],
  }));
  return server;
});
