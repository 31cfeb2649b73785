import { type AnyOperation, OperationRegistry } from "../../src/index.js";
import { serveMcpHttp } from "../../src/servers/mcp/index.js";
import { besideTools, capabilitiesBesideTools } from "./beside-tools.js";
import { askingTools } from "./questions.js";
import { plainTools, tool } from "./tools.js";

/**
 * The server that the suite tests: operations with the names it calls, and what it wants beside tools. One that does not
 * log has shorter ways to an answer.
 */
export function serveConformance({ logs }: { readonly logs: boolean }): ReturnType<typeof serveMcpHttp> {
  const registry = new OperationRegistry();
  registry.registerAll([...plainTools, ...loggingTools, ...askingTools, changesTools(registry)]);
  return serveMcpHttp({
    registry,
    info: { name: "plico-conformance", version: "1.0.0" },
    toolNames: "bare",
    configure: besideTools,
    capabilities: { ...capabilitiesBesideTools, ...(logs && { logging: {} }) },
  });
}

const loggingTools: readonly AnyOperation[] = ["test_tool_with_logging", "test_logging_tool"].map((name) =>
  tool(name, {
    description: "Tells what it does",
    handler: (_input, { metadata }) => {
      const log = metadata?.["log"];
      for (const step of ["started", "goes on", "is done"]) if (typeof log === "function") log("info", step);
      return "logged";
    },
  }),
);

/** A tool that comes or goes, so that the list of them really changes. */
function changesTools(registry: OperationRegistry): AnyOperation {
  const guest = tool("test_guest", { description: "Comes and goes", handler: () => "here" });
  return tool("test_trigger_tool_change", {
    description: "Changes the list of tools",
    handler: () => {
      if (!registry.unregister(guest.id)) registry.register(guest);
      return "changed";
    },
  });
}
