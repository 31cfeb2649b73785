// What workers do for administrators: NATS lets only those callers through who may reach `admin`, and the worker asks for
// the scope `admin` of the user whom the caller speaks for.
import { defineOperation } from "plico";

export const reset = defineOperation({
  namespace: "admin",
  name: "reset",
  version: "1.0.0",
  type: "mutation",
  description: "Sets everything back.",
  accessControl: { requiredScopes: ["admin"] },
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { resetBy: { type: "string" } } },
  handler: (_, { identity }) => ({ resetBy: identity?.id ?? "nobody" }),
});
