import { type CallErrorData, callErrorData } from "../../envelope/call-error.js";
import type { Failure, Outcome } from "../../envelope/outcome.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import type { RequestStates, StateHolder } from "./request-state.js";

/** MCP's result of a call that needs answers first. */
interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: JsonRecord;
  readonly requestState?: string;
}

/** What an operation asks, and what a client must be able to do to answer. */
export interface Questions {
  readonly result: InputRequired;
  /** Capabilities that the client has not declared. */
  readonly missing: JsonRecord | undefined;
}

/** Whether the operation asks for something instead of answering, so that the outcome may be no result at all. */
export function asksForInput(outcome: Outcome): outcome is Failure {
  return !outcome.ok && outcome.error.code === "INPUT_REQUIRED" && isRecord(outcome.error.details);
}

export interface Asking extends StateHolder {
  readonly error: CallErrorData;
  /** What the client says that it can do. */
  readonly capabilities: unknown;
  readonly states: RequestStates;
}

/** The questions to a client, where they are ones that MCP knows; else they are an error like any other. */
export async function questionsFor(asking: Asking): Promise<Questions | undefined> {
  const { error, capabilities, states } = asking;
  const { details } = error;
  if (!isRecord(details)) return undefined;
  const { inputRequests = {}, requestState } = details;
  if (!isRecord(inputRequests)) return undefined;
  const needed = Object.values(inputRequests).map(capabilityFor);
  if (!needed.every(isRecord)) return undefined;
  const state = typeof requestState === "string" ? await states.seal(requestState, asking) : undefined;
  if (needed.length === 0 && state === undefined) return undefined;
  const result: InputRequired = {
    resultType: "input_required",
    ...(needed.length > 0 && { inputRequests }),
    ...(state !== undefined && { requestState: state }),
  };
  const missing = needed.filter((capability) => !isDeclared(capability, capabilities));
  return { result, missing: missing.length === 0 ? undefined : Object.assign({}, ...missing) };
}

/** The same failure for whoever cannot be asked: its state is sealed too, so that a client may send it back itself. */
export async function withSealedState(outcome: Failure, states: RequestStates, holder: StateHolder): Promise<Failure> {
  const { details } = outcome.error;
  if (!isRecord(details) || typeof details["requestState"] !== "string") return outcome;
  const requestState = await states.seal(details["requestState"], holder);
  return { ...outcome, error: { ...callErrorData(outcome.error), details: { ...details, requestState } } };
}

/** How clients are told that a call is not for them, from 2026-07-28 on. */
export function missingCapability(requiredCapabilities: JsonRecord): { code: number; message: string; data: object } {
  const names = Object.keys(requiredCapabilities).join(", ");
  return {
    code: -32021,
    message: `The tool has to ask something: it needs a client with ${names}.`,
    data: { requiredCapabilities },
  };
}

function capabilityFor(question: unknown): JsonRecord | undefined {
  if (!isRecord(question)) return undefined;
  const params = isRecord(question["params"]) ? question["params"] : {};
  switch (question["method"]) {
    case "elicitation/create":
      return { elicitation: params["mode"] === "url" ? { url: {} } : { form: {} } };
    case "sampling/createMessage":
      return { sampling: (params["tools"] ?? params["toolChoice"]) === undefined ? {} : { tools: {} } };
    case "roots/list":
      return { roots: {} };
    default:
      return undefined;
  }
}

function isDeclared(needed: JsonRecord, capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false;
  return Object.entries(needed).every(([name, parts]) => {
    const declared = capabilities[name];
    return isRecord(declared) && Object.keys(parts as object).every((part) => hasPart(declared, part));
  });
}

/** A client that names no way of asking its user knows forms. */
function hasPart(declared: JsonRecord, part: string): boolean {
  return declared[part] !== undefined || (part === "form" && declared["url"] === undefined);
}
