import { type AnyOperation, type JsonRecord, mountSource, OperationRegistry } from "../../src/index.js";
import { type McpSource, mcpSource } from "../../src/sources/mcp/index.js";
import { authorisationFor } from "./oauth.js";
import { CLIENT_IS_DONE } from "./verdict.js";

// The suite starts this file once a scenario: it tells the scenario by the environment, and its server by the last argument.
const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");

/** What a user would do there: the tools to call, and their inputs. */
type Plan = (operations: readonly AnyOperation[]) => readonly (readonly [name: string, input: JsonRecord])[];

const PLANS: Readonly<Record<string, Plan>> = {
  tools_call: () => [["add_numbers", { a: 5, b: 3 }]],
  "sse-retry": () => [["test_reconnection", {}]],
  "elicitation-sep1034-client-defaults": () => [["test_client_elicitation_defaults", {}]],
  "sep-2322-client-request-state": everyTool({}),
  "http-standard-headers": everyTool({}),
  "http-custom-headers": () =>
    context.toolCalls.map((call: { name: string; arguments: JsonRecord }) => [call.name, call.arguments]),
  // With all that any of them asks for, so that nothing but their headers can stop a call.
  "http-invalid-tool-headers": everyTool({
    region: "us-west1",
    value: "some",
    data: {},
    items: [],
    nil: null,
    field1: "one",
    field2: "two",
  }),
  "json-schema-2020-12-preservation": (operations) => {
    const focal = operations.find((operation) => toolName(operation) === "json_schema_2020_12_tool");
    return [["json_schema_echo", { schema: focal?.spec.inputSchema }]];
  },
};

function everyTool(input: JsonRecord): Plan {
  return (operations) => operations.map((operation) => [toolName(operation), input]);
}

function toolName({ spec }: AnyOperation): string {
  const { "plico/tool": tool } = spec._meta as { readonly "plico/tool": { readonly name: string } };
  return tool.name;
}

const isAuthorised = scenario.startsWith("auth/");
const plan = isAuthorised ? everyTool({}) : (PLANS[scenario] ?? (() => []));
const authorisation = isAuthorised ? authorisationFor(scenario, context) : undefined;

/** Tries again when the user was asked meanwhile, and has agreed; but not for ever. */
async function authorised<Result>(run: () => Promise<Result>, tries = 3): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    if (tries === 1 || !(await authorisation?.finish(url))) throw thrown;
    return authorised(run, tries - 1);
  }
}

function open(): Promise<McpSource> {
  return mcpSource({
    name: "server",
    url,
    ...(authorisation !== undefined && { authProvider: authorisation.provider }),
    // One scenario sends a null where the schema knows none.
    input: "off",
    inputMethods: ["elicitation/create", "sampling/createMessage", "roots/list"],
    onInputRequest: ({ method }) => {
      if (method === "elicitation/create") return { action: "accept", content: {} };
      throw new Error(`No scenario asks for ${method}.`);
    },
  });
}

const source = await authorised(open);
try {
  const registry = new OperationRegistry();
  mountSource(registry, source);
  for (const [name, input] of plan(source.operations)) {
    const operation = source.operations.find((each) => toolName(each) === name);
    if (operation === undefined) throw new Error(`There is no tool ${name}.`);
    await authorised(() => registry.execute(operation.id, input));
  }
} finally {
  await source.close();
}
process.stdout.write(`${CLIENT_IS_DONE}\n`);
