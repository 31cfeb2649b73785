import type { ClientRequest, IncomingMessage } from "node:http";
import { type CallError, isCallError } from "../../../envelope/call-error.js";
import type { RequestControl } from "../http-answer.js";
import { cutAnswer, errorFromNetwork, invalidAnswer } from "./exchange-errors.js";
import { RequestWatch } from "./request-watch.js";

export interface ExchangeOptions {
  readonly sent: ClientRequest;
  /** For messages. */
  readonly host: string;
  readonly control: RequestControl;
  readonly onOver: (exchange: Exchange) => void;
}

/** One request and its answer, until the last byte is read or something ends it. */
export class Exchange {
  readonly host: string;
  readonly #sent: ClientRequest;
  readonly #watch: RequestWatch;
  readonly #onOver: (exchange: Exchange) => void;
  #response: IncomingMessage | undefined;
  #failure: CallError | undefined;
  #isOver = false;
  #onFailure: (error: CallError) => void = () => {};

  constructor({ sent, host, control, onOver }: ExchangeOptions) {
    this.#sent = sent;
    this.host = host;
    this.#onOver = onOver;
    this.#watch = new RequestWatch(control, host, (error) => this.fail(error));
    sent.on("error", (thrown) => this.#lose(thrown));
    sent.on("close", () => {
      if (this.#response === undefined) this.#lose();
    });
    sent.on("upgrade", () => this.fail(invalidAnswer(host, "answered with another protocol than HTTP")));
  }

  /** The answer, whose body is yet to come. */
  head(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.onFailure(reject);
      this.#watch.start();
      this.awaitHead();
      this.#sent.on("response", (response) => {
        this.#watch.rest();
        this.#response = response;
        response.on("error", (thrown) => this.#lose(thrown));
        resolve(response);
      });
    });
  }

  /** Hears of what ends this before its time, also where it has already. There is one listener, the newest. */
  onFailure(listener: (error: CallError) => void): void {
    this.#onFailure = listener;
    if (this.#failure !== undefined) listener(this.#failure);
  }

  get failure(): CallError | undefined {
    return this.#failure;
  }

  /** Also while a long request goes on its way: the server cannot answer what it does not have. */
  awaitHead(): void {
    if (this.#response === undefined) this.#watch.expect("has not answered");
  }

  awaitPiece(): void {
    this.#watch.expect("has sent nothing more of its answer");
  }

  rest(): void {
    this.#watch.rest();
  }

  fail(error: CallError): void {
    if (!this.#end()) return;
    this.#failure = error;
    this.#response?.destroy(error);
    this.#sent.destroy();
    this.#onFailure(error);
  }

  /** Nobody wants more of it. The connection is kept only if both sides have said all. */
  finish(): void {
    if (!this.#end()) return;
    if (this.#response?.readableEnded !== true || !this.#sent.writableFinished) this.#sent.destroy();
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#watch.stop();
    this.#onOver(this);
    return true;
  }

  /** Once an answer is whole, what happens to its connection does not matter. */
  #lose(thrown?: unknown): void {
    if (this.#response?.complete === true) return;
    this.fail(this.#lossOf(thrown));
  }

  #lossOf(thrown: unknown): CallError {
    if (isCallError(thrown)) return thrown;
    const isParsed = this.#response !== undefined && !isParserError(thrown);
    return isParsed || thrown === undefined ? cutAnswer(this.host, thrown) : errorFromNetwork(thrown, this.host);
  }
}

function isParserError(thrown: unknown): boolean {
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("HPE_");
}
