import { CallError, type CallErrorInit } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import { told } from "../json/told.js";

/**
 * A promise that fails with the error. Whoever settles a call does so from a bus or a timer, whose stack tells nothing;
 * made here, two turns later, inside an async function that the caller waits for, the error's stack names the caller.
 */
export async function failure(init: CallErrorInit): Promise<never> {
  await undefined;
  await undefined;
  throw new CallError(init);
}

export function pastDeadline(deadline: number): CallErrorInit {
  const at = orElse(() => new Date(deadline).toISOString(), String(deadline));
  return { category: "timeout", message: `The call did not end before its deadline, ${at}.` };
}

export function silent(idleTimeout: number): CallErrorInit {
  return { category: "timeout", message: `Nothing was heard of the call for ${idleTimeout} ms.` };
}

export function notTaken(idleTimeout: number): CallErrorInit {
  return { category: "timeout", message: `The consumer took no value for ${idleTimeout} ms.` };
}

export function abortedFor(reason?: string): CallErrorInit {
  return {
    category: "aborted",
    message: reason === undefined ? "The call was aborted." : `The call was aborted: ${reason}`,
  };
}

export function unavailable(message: string): CallErrorInit {
  return { category: "unavailable", message };
}

/** The call was not begun: any worker may be asked again, whatever the operation does. */
export function refused(message: string): CallErrorInit {
  return { category: "unavailable", message, details: { taken: false } };
}

/** The call was begun, and nobody knows how far it came. */
export function interrupted(message: string, code?: string): CallErrorInit {
  return { category: "unavailable", message, details: { mayHaveRun: true }, ...(code !== undefined && { code }) };
}

export function workerLost(patience: number): CallErrorInit {
  const message = `Nothing was heard for ${patience} ms of the worker that has the call, or no worker got it.`;
  return interrupted(`${message} It may have run.`, "WORKER_LOST");
}

/** Of a worker that was lost, where it hears what callers say: so another one can be chosen. */
export function withWorker(error: CallErrorInit, controlTo: string | undefined): CallErrorInit {
  if (error.code !== "WORKER_LOST" || controlTo === undefined) return error;
  return { ...error, details: { mayHaveRun: true, controlTo } };
}

export function answerLost(requestId: string): CallErrorInit {
  const message = `The worker does not have the call ${told(requestId)}, or no longer has its answer.`;
  return interrupted(`${message} It may have run.`, "ANSWER_LOST");
}

/** Two callers chose the same id. To run it may be to run the same twice, and to wait would be in vain. */
export function anothersId(requestId: string): CallErrorInit {
  const message = `Another caller has made a call with the requestId ${told(requestId)}. Use another, or leave it out.`;
  return { category: "conflict", message };
}

export function otherOperation(operationId: string, expected: string): CallErrorInit {
  const message = `This address is for ${told(expected)} only, not for ${told(operationId)}.`;
  return { category: "authorization", message };
}

export function gap(expected: number, got: number | string): CallErrorInit {
  return {
    category: "network",
    code: "SEQUENCE_GAP",
    message: `The subscription lost values: expected number ${expected}, got ${got}. Subscribe again.`,
    details: { expected, got },
  };
}

export function noResponse(): CallErrorInit {
  return { category: "execution", code: "NO_RESPONSE", message: "The call completed without a response." };
}
