import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { Executor } from "./executor.js";
import type { ServedCall } from "./served-call.js";
import type { ServedValues } from "./served-values.js";

/**
 * Runs the operation and answers with what it gives; rejects with what it throws. Every call passes here, so that a plain
 * one costs one promise.
 */
export function serve(registry: Executor, call: ServedCall, waiting: CreditWait): Promise<void> {
  const { operationId, input } = call.request;
  if (registry.getSpec(operationId)?.type === "subscription") return serveValues(registry, call, waiting);
  return registry.execute(operationId, input, call.options()).then((envelope) => answer(envelope, call));
}

function answer(envelope: ResponseEnvelope, call: ServedCall): void {
  const { responder, values } = call;
  if (values === undefined) {
    responder.respond(envelope);
    return;
  }
  // Whoever subscribes to what has one answer gets it as a subscription of one value.
  send(envelope, call, values);
  responder.complete(1);
}

/** Told when a subscription begins and ends to wait for its consumer. */
export interface CreditWait {
  begin(call: ServedCall): void;
  end(call: ServedCall): void;
}

async function serveValues(registry: Executor, call: ServedCall, waiting: CreditWait): Promise<void> {
  const { operationId, input } = call.request;
  const generator = registry.subscribe(operationId, input, call.options());
  call.onStop = () => {
    call.values?.gate.wake();
    void end(generator);
  };
  try {
    if (call.values === undefined) await sendFirst(generator, call);
    else await sendAll(generator, call, call.values, waiting);
  } finally {
    await end(generator);
  }
}

/** The caller of a subscription who wants one answer gets its first value. */
async function sendFirst(generator: AsyncGenerator<ResponseEnvelope>, { responder }: ServedCall): Promise<void> {
  const step = await generator.next();
  if (step.done === true) responder.complete(0);
  else responder.respond(step.value);
}

async function sendAll(
  generator: AsyncGenerator<ResponseEnvelope>,
  call: ServedCall,
  values: ServedValues,
  waiting: CreditWait,
): Promise<void> {
  const { responder } = call;
  for (;;) {
    // The generator is not asked for a value that may not be sent.
    while (!responder.isSettled && !values.gate.take()) {
      waiting.begin(call);
      await values.gate.wait();
      waiting.end(call);
    }
    if (responder.isSettled) return;
    const step = await generator.next();
    if (step.done === true) return responder.complete(values.sent);
    send(step.value, call, values);
  }
}

function send(envelope: ResponseEnvelope, { responder }: ServedCall, values: ServedValues): void {
  const event = responder.send(envelope, values.sent);
  if (event !== undefined) values.add(event);
}

/** What a generator throws while it cleans up concerns no caller: each has its answer by then. */
async function end(generator: AsyncGenerator<ResponseEnvelope>): Promise<void> {
  try {
    await generator.return(undefined);
  } catch {}
}
