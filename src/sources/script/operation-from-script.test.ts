import { describe, expect, test } from "vitest";
import type { HelperDescription } from "../../helper/description.js";
import { operationFromScript } from "./operation-from-script.js";
import type { ScriptOptions } from "./options.js";

const description: HelperDescription = {
  name: "other-name",
  version: "2.1.0",
  type: "query",
  description: "Says it itself.",
  inputSchema: { type: "object", properties: { limit: { type: "number" } } },
  outputSchema: { type: "object", properties: { rows: { type: "array" } } },
  accepts: ["argument", "stdin", "flags"],
};

function made(options: ScriptOptions = {}, said?: HelperDescription) {
  const script = { name: "triage", command: ["./triage.sh"], options, description: said };
  const { operation, plan } = operationFromScript(script, "tools", () => () => null);
  return { ...operation, plan };
}

describe("a script without a description", () => {
  test("takes and gives anything", () => {
    expect(made()).toMatchObject({
      id: "tools.triage",
      spec: { version: "1.0.0", type: "mutation", description: "", inputSchema: true, outputSchema: true },
      plan: { inputAs: "argument", outputAs: "auto", major: undefined, exitCodes: [0], isHelper: false },
    });
  });

  test("is a subscription where it prints lines, and prints lines where it is one", () => {
    for (const options of [{ outputAs: "json-lines" }, { type: "subscription" }] as const)
      expect(made(options)).toMatchObject({ spec: { type: "subscription" }, plan: { outputAs: "json-lines" } });
  });

  test("takes an object where that becomes flags", () => {
    expect(made({ flags: { count: "-n" } })).toMatchObject({
      spec: { inputSchema: { type: "object" } },
      plan: { inputAs: "flags", flags: { count: "-n" } },
    });
  });
});

describe("a script that describes itself", () => {
  test("is what it says, by the name of its file", () => {
    expect(made({}, description)).toMatchObject({
      id: "tools.triage",
      spec: { version: "2.1.0", type: "query", description: "Says it itself.", inputSchema: description.inputSchema },
      plan: { inputAs: "stdin", readsStdin: true, outputAs: "helper-output", major: 2, isHelper: true },
    });
  });

  test("may be contradicted", () => {
    const options: ScriptOptions = {
      operation: "mine",
      version: "3.0.0",
      type: "mutation",
      outputSchema: true,
      inputAs: "argument",
      outputAs: "text",
      major: 1,
    };
    expect(made(options, description)).toMatchObject({
      id: "tools.mine",
      spec: { version: "3.0.0", type: "mutation", outputSchema: true },
      plan: { inputAs: "argument", outputAs: "text", major: 1 },
    });
  });

  test("is given its input as it accepts it", () => {
    const { accepts: _, ...short } = description;
    expect(made({}, short).plan).toMatchObject({ inputAs: "argument", readsStdin: false });
  });

  test("may describe its whole document", () => {
    const properties = { schema_version: { type: "string" }, status: { type: "string" }, rows: { type: "array" } };
    const outputSchema = { type: "object", properties };
    expect(made({}, { ...description, outputSchema }).spec.outputSchema).toBe(true);
  });

  test("prints lines where it is a subscription, and is none where it prints something else", () => {
    const said = { ...description, type: "subscription" } as const;
    expect(made({}, said)).toMatchObject({ spec: { type: "subscription" }, plan: { outputAs: "json-lines" } });
    expect(made({ outputAs: "text" }, said)).toMatchObject({ spec: { type: "mutation" }, plan: { outputAs: "text" } });
  });
});

test.each([
  [{ type: "object", properties: { a: true } }, ["a"]],
  [{ type: "object", properties: { a: true }, additionalProperties: false }, ["a"]],
  [{ type: "object", properties: { a: true }, additionalProperties: true }, undefined],
  [{ type: "object", properties: { a: true }, additionalProperties: { type: "string" } }, undefined],
  [{ type: "object", properties: { a: true }, patternProperties: { "^b": true } }, undefined],
  [{ type: "object" }, undefined],
  [true, undefined],
])("the schema %j lets the fields %j become flags", (inputSchema, fields) => {
  expect(made({ inputSchema, inputAs: "flags" }).plan.fields).toEqual(fields);
});
