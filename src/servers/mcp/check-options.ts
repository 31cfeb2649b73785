import { CallError } from "../../envelope/call-error.js";
import { isThenable } from "../../json/attempt.js";
import { AMOUNT, type Demand, type Demands, FUNCTION, oneOf, unmetValue } from "../../json/demands.js";
import { told } from "../../json/told.js";
import { isRecord } from "../../json/value.js";
import { isServedRegistry } from "../../registry/served-registry.js";

const DEMANDS: Demands = {
  layout: orFunction(["plain", "tool-response", "tool-envelope-v1"]),
  channels: oneOf(["both", "model", "program"]),
  toolNames: orFunction(["qualified", "bare"]),
  budget: {
    what: `${AMOUNT.what}, false or a function`,
    isMet: (value) => value === false || AMOUNT.isMet(value) || FUNCTION.isMet(value),
  },
  ready: { what: "a promise", isMet: isThenable },
  stateKey: {
    what: "a text or bytes, at least 32 of them",
    isMet: (value) => (typeof value === "string" ? Buffer.byteLength(value) : bytesOf(value)) >= 32,
    isSecret: true,
  },
  awaited: FUNCTION,
  filter: FUNCTION,
  configure: FUNCTION,
  onError: FUNCTION,
  authorize: FUNCTION,
};

function orFunction(words: readonly string[]): Demand {
  const word = oneOf(words);
  return { what: `${word.what} or a function`, isMet: (value) => word.isMet(value) || FUNCTION.isMet(value) };
}

function bytesOf(value: unknown): number {
  return value instanceof Uint8Array ? value.byteLength : 0;
}

/** Throws where the options of a server are none, before anybody calls it. */
export function checkOptions(options: unknown): void {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This cannot be served: ${problem}.` });
}

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  const { registry } = options;
  if (!isServedRegistry(registry)) return `\`registry\` must be an OperationRegistry, not ${told(registry)}`;
  return unmetValue(options, DEMANDS);
}
