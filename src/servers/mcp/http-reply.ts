import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { sendJson } from "./http-messages.js";
import type { Reply } from "./lane.js";

/** Above this, reports of progress are left out until the client has read on. */
const MOST_UNREAD = 1024 * 1024;

export interface HttpReplyOptions {
  readonly headers?: OutgoingHttpHeaders;
  readonly onDone: () => void;
  readonly handOver?: Reply["handOver"];
}

/** The answer to a call: plain JSON, or a stream of events once there is something to be told before it. */
export class HttpReply implements Reply {
  readonly handOver: Reply["handOver"];
  readonly #response: ServerResponse;
  readonly #headers: OutgoingHttpHeaders | undefined;
  readonly #onDone: () => void;
  #isStream = false;
  #isOld = false;

  constructor(response: ServerResponse, { headers, onDone, handOver }: HttpReplyOptions) {
    this.#response = response;
    this.#headers = headers;
    this.#onDone = onDone;
    this.handOver =
      handOver &&
      ((questions) => {
        onDone();
        handOver(questions);
      });
  }

  progress(frame: string): void {
    if (this.#response.destroyed || this.#response.writableLength > MOST_UNREAD) return;
    this.#stream();
    this.#response.write(eventOf(frame));
  }

  answer(frame: string, status = 200): void {
    this.#onDone();
    if (this.#response.destroyed) return;
    if (this.#isStream) this.#response.end(eventOf(frame));
    else sendJson(this.#response, status, frame, this.#headers);
  }

  /** Nobody waits for the answer; the connection is of use for the next call. */
  drop(): void {
    this.#onDone();
    if (this.#response.destroyed) return;
    this.#stream();
    this.#response.end();
  }

  /** A sign of life, for what stands between and closes connections that are silent. Not for calls that just began. */
  keepAlive(): void {
    if (this.#isOld && !this.#response.destroyed) {
      this.#stream();
      this.#response.write(": keepalive\n\n");
    }
    this.#isOld = true;
  }

  #stream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...this.#headers,
    });
  }
}

function eventOf(frame: string): string {
  return `event: message\ndata: ${frame}\n\n`;
}
