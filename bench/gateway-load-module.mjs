// The module behind the gateway of bench/gateway.mjs.
import { answerFrom, inputSchema, outputSchema } from "./gateway-load-echo.mjs";

export const echo = {
  namespace: "desk",
  name: "echo",
  version: "1.0.0",
  type: "query",
  description: "Gives back what it was given.",
  inputSchema,
  outputSchema,
  // Every other call takes its time, so that answers overtake each other.
  handler: (input) =>
    input.n % 2 === 0
      ? answerFrom("desk", input)
      : new Promise((resolve) => setTimeout(() => resolve(answerFrom("desk", input)), input.n % 20)),
};
