import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Progress } from "../../registry/call-options.js";
import type { EventSink, ReplyHeaders } from "./reply.js";

export const STREAM_HEADERS: ReplyHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "plico-stream": "1",
};

/** An event without an id, which is sent once. */
export function printEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data.replaceAll(/\r\n?|\n/g, "\ndata: ")}\n\n`;
}

/** What came of a call, as JSON. */
export interface LastWord {
  readonly ok: boolean;
  readonly json: string;
}

/** One call as a stream: what it says of its progress, and then what came of it. `run` gives back what ends it. */
export function progressStream(
  run: (done: (word: LastWord) => void, onProgress: (progress: Progress) => void) => () => void,
): (sink: EventSink) => void {
  return (sink) => {
    let isReady = true;
    sink.onDrain(() => {
      isReady = true;
    });
    const stop = run(
      ({ ok, json }) => {
        sink.write(ok ? printEvent("value", json) + printEvent("end", "{}") : printEvent("failure", json));
        sink.end();
      },
      (progress) => {
        // Who reads slowly hears of some of it only: nobody wants to know how far it was.
        if (isReady) isReady = sink.write(printEvent("progress", JSON.stringify(progress)));
      },
    );
    sink.onClose(stop);
  };
}

/** The values of a subscription whose first has been asked for already. */
export async function* goOn(
  first: Promise<IteratorResult<ResponseEnvelope, unknown>>,
  values: AsyncGenerator<ResponseEnvelope>,
): AsyncGenerator<ResponseEnvelope> {
  try {
    for (let step = await first; step.done !== true; step = await values.next()) yield step.value;
  } finally {
    await values.return(undefined);
  }
}

/** Rejects where the work fails at once, as a call does that is refused; otherwise it is not waited for. */
export async function failsAtOnce(work: Promise<unknown>): Promise<void> {
  work.catch(() => {});
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve))]);
}
