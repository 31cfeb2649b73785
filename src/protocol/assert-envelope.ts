import { CallError } from "../envelope/call-error.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../envelope/response-envelope.js";
import { told } from "../json/told.js";

/** Only envelopes cross the call protocol. */
export function assertEnvelope(output: unknown): asserts output is ResponseEnvelope {
  if (isResponseEnvelope(output)) return;
  throw new CallError({
    category: "internal",
    message: `Only a response envelope can answer a call, not ${told(output)}. Use localEnvelope(data, operationId).`,
  });
}
