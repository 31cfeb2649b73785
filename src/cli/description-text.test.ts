import { expect, test } from "vitest";
import type { OperationSpec } from "../registry/operation.js";
import { describedOperation } from "./description.js";
import { descriptionText } from "./description-text.js";
import { styleFor } from "./terminal/style.js";

const SPEC: OperationSpec = {
  ...{ namespace: "orders", name: "place", version: "1.0.0", type: "mutation", description: "Places an order." },
  inputSchema: {},
  outputSchema: {},
};

test("an operation says that it is durable, and only one that is", () => {
  const told = (spec: OperationSpec): string => {
    const style = styleFor({ isTTY: false, write() {} }, { env: {} });
    return descriptionText(describedOperation(spec, undefined, []), style);
  };
  expect(told({ ...SPEC, delivery: "durable" })).toMatch(/^Durable: /m);
  expect(told({ ...SPEC, delivery: "once" })).not.toContain("Durable");
});
