import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineOperation } from "../registry/operation.js";
import { describeHelper, readDescription } from "./description.js";

const triage = defineOperation({
  namespace: "helper",
  name: "triage",
  version: "1.2.0",
  type: "query",
  description: "Gathers what is open.",
  inputSchema: z.object({ limit: z.number().default(5) }),
  outputSchema: z.object({ open: z.array(z.string()) }),
  errorSchemas: { NO_JOURNAL: { category: "not_found", details: z.object({ path: z.string() }) } },
  annotations: { readOnly: true },
  handler: () => ({ open: [] }),
});

describe("the description of a helper", () => {
  test("comes back from JSON as it was", () => {
    const description = describeHelper(triage.spec);
    expect(readDescription(JSON.parse(JSON.stringify(description)))).toEqual(description);
  });

  test("has plain JSON Schemas, whatever library they were written with", () => {
    const { inputSchema, outputSchema, errorSchemas } = describeHelper(triage.spec);
    expect(inputSchema).toMatchObject({ type: "object", properties: { limit: { default: 5 } } });
    expect(outputSchema).toMatchObject({ type: "object", required: ["open"] });
    expect(errorSchemas).toMatchObject({ NO_JOURNAL: { details: { properties: { path: { type: "string" } } } } });
  });

  test.each([{ version: "2.0.1" }, { inputSchema: { type: "object" } }, { outputSchema: true }])(
    "may be as short as %j",
    (short) => {
      expect(readDescription(short)).toEqual({
        inputSchema: true,
        outputSchema: true,
        ...short,
      });
    },
  );

  test("keeps only what it knows", () => {
    expect(readDescription({ version: "1.0.0", handler: "x", namespace: "y" })).toEqual({
      version: "1.0.0",
      inputSchema: true,
      outputSchema: true,
    });
  });

  test.each([
    undefined,
    null,
    "text",
    [],
    {},
    { name: "triage" },
    { version: "one" },
    { version: 1 },
    { version: "1.0.0", type: "stream" },
    { version: "1.0.0", title: 1 },
    { version: "1.0.0", tags: "a" },
    { version: "1.0.0", accepts: [] },
    { version: "1.0.0", accepts: ["telepathy"] },
    { version: "1.0.0", annotations: true },
    { version: "1.0.0", errorSchemas: { GONE: 1 } },
    { version: "1.0.0", errorSchemas: { GONE: { details: 5 } } },
    { inputSchema: "object" },
    { outputSchema: null },
  ])("cannot be %j", (value) => {
    expect(readDescription(value)).toHaveProperty("fault");
  });
});
