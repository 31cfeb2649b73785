import { expect, test } from "vitest";
import { operationsFromTools } from "../../sources/mcp/operation-from-tool.js";
import { Tool } from "./tool.js";

test("a tool behind Plico is listed with all that its server says of it", () => {
  const listed = {
    name: "draw",
    title: "Draw",
    description: "Draws.",
    inputSchema: { type: "object", properties: { what: { type: "string" } } },
    annotations: { title: "Drawing", readOnlyHint: true, futureHint: "x" },
    icons: [{ src: "data:image/png;base64,AA==" }],
    _meta: { "example/colour": "red" },
  };
  const options = { namespace: "far", unfold: true, handlerOf: () => () => [] };
  const [operation] = operationsFromTools([listed], options);
  if (operation === undefined) throw new Error("there is no operation");
  const { definition } = new Tool(operation.spec, { name: "draw", layout: "plain", channels: "both" });
  expect(definition).toMatchObject(listed);
  expect(Object.keys(definition._meta ?? {})).toEqual(["example/colour", "plico/operation"]);
});
