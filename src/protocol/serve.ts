import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { CreditGate } from "./credit-gate.js";
import type { Executor } from "./executor.js";
import type { ServedCall } from "./served-call.js";

/** Runs the operation and answers with what it gives. Throws what it throws. */
export async function serve(registry: Executor, call: ServedCall, waiting: CreditWait): Promise<void> {
  const { operationId, input, credit } = call.request;
  if (registry.getSpec(operationId)?.type === "subscription") {
    await serveValues(registry, call, waiting);
    return;
  }
  const envelope = await registry.execute(operationId, input, call.options());
  if (credit === undefined) {
    call.responder.respond(envelope);
    return;
  }
  // Whoever subscribes to what has one answer gets it as a subscription of one value.
  call.responder.send(envelope, 0);
  call.responder.complete(1);
}

/** Told when a subscription begins and ends to wait for its consumer. */
export interface CreditWait {
  begin(call: ServedCall): void;
  end(call: ServedCall): void;
}

async function serveValues(registry: Executor, call: ServedCall, waiting: CreditWait): Promise<void> {
  const { operationId, input, credit } = call.request;
  const gate = new CreditGate(credit ?? 1);
  const values = registry.subscribe(operationId, input, call.options());
  call.onCredit = (more) => gate.grant(more);
  call.onStop = () => {
    gate.wake();
    void end(values);
  };
  try {
    if (credit === undefined) await sendFirst(values, call);
    else await sendAll(values, call, gate, waiting);
  } finally {
    await end(values);
  }
}

/** The caller of a subscription who wants one answer gets its first value. */
async function sendFirst(values: AsyncGenerator<ResponseEnvelope>, { responder }: ServedCall): Promise<void> {
  const step = await values.next();
  if (step.done === true) responder.complete(0);
  else responder.respond(step.value);
}

async function sendAll(
  values: AsyncGenerator<ResponseEnvelope>,
  call: ServedCall,
  gate: CreditGate,
  waiting: CreditWait,
): Promise<void> {
  const { responder } = call;
  for (let sequence = 0; ; sequence += 1) {
    // The generator is not asked for a value that may not be sent.
    while (!responder.isSettled && !gate.take()) {
      waiting.begin(call);
      await gate.wait();
      waiting.end(call);
    }
    if (responder.isSettled) return;
    const step = await values.next();
    if (step.done === true) return responder.complete(sequence);
    responder.send(step.value, sequence);
  }
}

/** What a generator throws while it cleans up concerns no caller: each has its answer by then. */
async function end(values: AsyncGenerator<ResponseEnvelope>): Promise<void> {
  try {
    await values.return(undefined);
  } catch {}
}
