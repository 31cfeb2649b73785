import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import { isRecord } from "../../json/value.js";

const isFunction = (value: unknown): boolean => typeof value === "function";
const isAmong = (words: readonly string[]) => (value: unknown) => words.includes(value as string);
const isLayout = isAmong(["plain", "tool-response", "tool-envelope-v1"]);
const isNaming = isAmong(["qualified", "bare"]);

interface Demand {
  readonly what: string;
  readonly isMet: (value: unknown) => boolean;
  readonly isSecret?: boolean;
}

const bytesOf = (value: unknown): number => (value instanceof Uint8Array ? value.byteLength : 0);

const DEMANDS: Readonly<Record<string, Demand>> = {
  layout: {
    what: "plain, tool-response, tool-envelope-v1 or a function",
    isMet: (value) => isLayout(value) || isFunction(value),
  },
  channels: { what: "both, model or program", isMet: isAmong(["both", "model", "program"]) },
  toolNames: { what: "qualified, bare or a function", isMet: (value) => isNaming(value) || isFunction(value) },
  budget: {
    what: "a number from 0, or false",
    isMet: (value) => value === false || (typeof value === "number" && value >= 0),
  },
  stateKey: {
    what: "a text or bytes, at least 32 of them",
    isMet: (value) => (typeof value === "string" ? Buffer.byteLength(value) : bytesOf(value)) >= 32,
    isSecret: true,
  },
  filter: { what: "a function", isMet: isFunction },
  configure: { what: "a function", isMet: isFunction },
  onError: { what: "a function", isMet: isFunction },
  authorize: { what: "a function", isMet: isFunction },
};

/** Throws where the options of a server are none, before anybody calls it. */
export function checkOptions(options: unknown): void {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This cannot be served: ${problem}.` });
}

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  const { registry } = options as { registry?: Partial<Record<string, unknown>> };
  const isRegistry = ["list", "attempt", "subscribe", "onChange"].every((name) => isFunction(registry?.[name]));
  if (!isRegistry) return `\`registry\` must be an OperationRegistry, not ${told(registry)}`;
  for (const [name, { what, isMet, isSecret = false }] of Object.entries(DEMANDS)) {
    const value = options[name];
    if (value !== undefined && !isMet(value))
      return `\`${name}\` must be ${what}${isSecret ? "" : `, not ${told(value)}`}`;
  }
  return undefined;
}
