// What stands behind the gateway of bench/gateway.mjs beside a module: an MCP server, an HTTP API, and a script.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { answerFrom, inputSchema, outputSchema, string } from "./gateway-load-echo.mjs";

/** Speaks 2025-06-18, the least of it; answers overtake each other here too. */
function mcp() {
  const tool = { name: "echo", description: "Gives back what it was given.", inputSchema, outputSchema };
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const resultOf = (data) => ({ content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data });
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion: protocolVersion === "2025-06-18" ? protocolVersion : "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "far", version: "1.0.0" },
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [tool] }),
    "tools/call": (params) => resultOf(answerFrom("far", params.arguments)),
  };
  const take = ({ id, method, params }) => {
    if (id === undefined) return;
    const answer = answers[method];
    if (answer === undefined) send({ id, error: { code: -32601, message: "Method not found" } });
    else if (method === "tools/call" && params.arguments.n % 3 === 0)
      setTimeout(() => send({ id, result: answer(params) }), params.arguments.n % 20);
    else send({ id, result: answer(params) });
  };
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
  process.stdin.on("end", () => process.exit(0));
}

/** Hears by IPC how it is to answer: well, slowly, or with half an answer. */
function api(port) {
  let mode = "well";
  const send = (response, text) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    if (mode !== "cut") return response.end(text);
    response.write(text.slice(0, text.length >> 1));
    setImmediate(() => response.destroy());
  };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const text = JSON.stringify(answerFrom("api", JSON.parse(Buffer.concat(parts))));
    if (mode === "slowly") setTimeout(() => send(response, text), 2_500);
    else send(response, text);
  });
  process.on("message", (wanted) => {
    mode = wanted;
  });
  process.on("disconnect", () => process.exit(0));
  server.listen(port, "127.0.0.1", () => process.send(server.address().port));
}

/** The OpenAPI document of the API. */
export const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Echo", version: "1.0.0" },
  paths: {
    "/echo": {
      post: {
        operationId: "echo",
        description: "Gives back what it was given.",
        requestBody: { required: true, content: { "application/json": { schema: inputSchema } } },
        responses: {
          200: { description: "What was given.", content: { "application/json": { schema: outputSchema } } },
        },
      },
    },
  },
};

/** A shell is up at once, so that the load is on Plico and not on the start of programs. */
export const SCRIPT = `#!/bin/sh
read -r mode <"$1"
[ "$mode" = hang ] && exec sleep 60
[ "$mode" = die ] && exit 3
printf '{"from":"shell","got":%s}\\n' "$3"
`;

export const SCRIPT_SCHEMAS = {
  inputSchema,
  outputSchema: { type: "object", properties: { from: string, got: inputSchema }, required: ["from", "got"] },
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , name, port] = process.argv;
  if (name === "mcp") mcp();
  else api(Number(port));
}
