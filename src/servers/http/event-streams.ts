import { CallError, isCallError } from "../../envelope/call-error.js";
import { LONGEST_TIMER } from "../../json/longest-timer.js";
import { ExpirySweep } from "../../protocol/expiry-sweep.js";
import { closing } from "../refusals.js";
import type { EventLogLimits } from "./event-log.js";
import { EventStream, type StreamStart } from "./event-stream.js";
import type { EventSink } from "./reply.js";

export interface EventStreamsOptions extends EventLogLimits {
  /** For how long a stream goes on without its client; at 0 it ends with the connection. */
  readonly resumeMs: number;
  /** Streams without a client at one time; of more, the oldest end, first of those of which everything was sent. */
  readonly maxHeld: number;
  /** At 0 connections may be silent. */
  readonly keepAliveMs: number;
}

/** Writes the answer to a request. */
type Start = (sink: EventSink) => void;

/** Subscriptions as server-sent events: each goes on for a while without its client, which can come back for the rest. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Map<string, EventStream>();
  /** Those to which nobody listens, the longest first. */
  readonly #held = new Set<EventStream>();
  readonly #sweep: ExpirySweep<EventStream>;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    const { resumeMs, bufferEvents } = options;
    // What nobody can ask for again is not kept.
    this.#options = { ...options, bufferEvents: resumeMs === 0 ? 0 : bufferEvents };
    const held = this.#held;
    const members = {
      get size() {
        return held.size;
      },
      values: () => [...held],
    };
    this.#sweep = new ExpirySweep<EventStream>(members, (stream) => void this.#drop(stream));
  }

  open(start: StreamStart): Start {
    return (sink) => {
      const stream = new EventStream(start, { ...this.#options, onAlone: (alone) => this.#hold(alone) });
      if (this.#isClosed) return stream.refuse(sink, closing());
      this.#streams.set(stream.id, stream);
      this.#keepAlive();
      stream.attach(sink, 0);
    };
  }

  /** Goes on behind the event that a client names in `Last-Event-ID`; `complete` where nothing is behind it. */
  resume(lastEventId: string, owner: string | undefined, operationId: string): Start | "complete" | CallError {
    const found = this.#find(lastEventId, owner, operationId);
    if (isCallError(found)) return found;
    if (found.stream.isComplete(found.received)) return "complete";
    return (sink) => {
      // Time may have passed.
      const { stream, received } = found;
      const problem = this.#problemOf(stream, received);
      if (problem !== undefined) return stream.refuse(sink, problem);
      this.#held.delete(stream);
      // One that has ended is kept no longer for those who come again and again.
      if (!stream.hasEnded) stream.expiresAt = Number.POSITIVE_INFINITY;
      stream.attach(sink, received);
    };
  }

  /** Ends all streams. A handler that is busy is not waited for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweep.stop();
    const streams = [...this.#streams.values()];
    this.#held.clear();
    this.#streams.clear();
    this.#keepAlive();
    await Promise.all(streams.map((stream) => stream.stop(ended("the server is shutting down"), closing())));
  }

  #find(lastEventId: string, owner: string | undefined, operationId: string): Found | CallError {
    const [, id = "", number = ""] = /^([0-9a-f]{16}):(\d{1,15})$/.exec(lastEventId) ?? [];
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.start.owner !== owner || stream.start.operationId !== operationId)
      return streamGone();
    return this.#problemOf(stream, Number(number)) ?? { stream, received: Number(number) };
  }

  #problemOf(stream: EventStream, received: number): CallError | undefined {
    if (!this.#streams.has(stream.id)) return streamGone();
    const judgement = stream.judge(received);
    if (judgement === "whole") return undefined;
    return judgement === "gap" ? streamGap() : streamGone();
  }

  #hold(stream: EventStream): void {
    const { resumeMs, maxHeld } = this.#options;
    if (resumeMs === 0) return void this.#drop(stream);
    stream.expiresAt = Math.min(stream.expiresAt, Date.now() + resumeMs);
    this.#held.add(stream);
    this.#sweep.watch(stream.expiresAt);
    if (this.#held.size > maxHeld) void this.#drop(this.#leastMissed() ?? stream);
  }

  /** Many short streams that end must not push out one that goes on. */
  #leastMissed(): EventStream | undefined {
    const [oldest] = this.#held;
    for (const stream of this.#held) if (stream.isSent) return stream;
    return oldest;
  }

  #drop(stream: EventStream): Promise<void> {
    this.#held.delete(stream);
    this.#streams.delete(stream.id);
    this.#keepAlive();
    return stream.stop(ended("its client has gone"));
  }

  /** One timer for all connections, while there are any. It keeps no process alive. */
  #keepAlive(): void {
    const { keepAliveMs } = this.#options;
    if (this.#streams.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined && keepAliveMs > 0) {
      this.#timer = setInterval(
        () => {
          for (const stream of this.#streams.values()) stream.keepAlive();
        },
        Math.min(keepAliveMs, LONGEST_TIMER),
      );
      // Elsewhere than in Node a timer is a number.
      this.#timer.unref?.();
    }
  }
}

interface Found {
  readonly stream: EventStream;
  /** The number of the last event that the client has got. */
  readonly received: number;
}

function ended(why: string): CallError {
  return new CallError({ category: "aborted", message: `The subscription was ended: ${why}.` });
}

function streamGone(): CallError {
  return new CallError({
    category: "not_found",
    code: "STREAM_GONE",
    message:
      "The Last-Event-ID names no stream of yours that can be resumed; it may have been too long ago. Subscribe again without the header.",
  });
}

function streamGap(): CallError {
  return new CallError({
    category: "conflict",
    code: "STREAM_GAP",
    message:
      "The stream goes on, but some of the events after this Last-Event-ID are no longer kept. Subscribe again without the header, and look for what was missed.",
  });
}
