import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { HttpAnswer, OutgoingRequest, RequestControl } from "../http-answer.js";
import { type AnswerBody, answerBody, emptyBody } from "./answer-body.js";
import { Exchange } from "./exchange.js";
import { addressRefused, clientClosed, deadlinePassed, tooManyRedirects, unsendable } from "./exchange-errors.js";
import { closeStale, type KeptConnections, keptConnections } from "./kept-connections.js";
import { type AddressRule, checkedLookup } from "./private-address.js";
import { isLiteral, type Target, targetOf, urlOf } from "./raw-url.js";
import { locationOf, redirected } from "./redirects.js";
import { headersOf, pathOf, withoutSecrets } from "./request-head.js";
import { upload } from "./upload.js";

export interface HttpClientOptions {
  /** Of a decompressed body that is read as a whole. */
  readonly maxResponseBytes: number;
  /** @default 5 */
  readonly maxRedirects?: number;
  readonly mayReach: AddressRule;
}

interface SendOptions {
  /**
   * A redirect that is not followed is an answer like any other.
   * @default all are
   */
  readonly followsRedirect?: (to: URL) => boolean;
}

/** Exchanges requests and answers over connections that are kept. All that it throws is a `CallError`. */
export interface HttpClient {
  send(request: OutgoingRequest, control: RequestControl, options?: SendOptions): Promise<HttpAnswer>;
  /** Ends what is under way, and closes all connections. */
  close(): void;
}

/** Node's `fetch` takes several times as long for the same, and does not tell which address it connects to. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  return new Client(options);
}

class Client implements HttpClient {
  readonly #options: HttpClientOptions;
  // Of this client only: a connection that is kept was made by its rule.
  readonly #kept: KeptConnections = keptConnections();
  readonly #running = new Set<Exchange>();
  #isClosed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  async send(request: OutgoingRequest, control: RequestControl, options: SendOptions = {}): Promise<HttpAnswer> {
    const { maxRedirects = 5 } = this.#options;
    const { followsRedirect = () => true } = options;
    const hosts: string[] = [];
    for (let current = request; ; ) {
      const target = targetOf(current.url);
      const answer = await this.#exchange(current, target, control);
      const to = locationOf(answer);
      if (to === undefined || !followsRedirect(to)) return answer;
      await answer.discard();
      hosts.push(target.host);
      if (hosts.length > maxRedirects) throw tooManyRedirects([...hosts, to.host], maxRedirects);
      current = redirected(current, target, { status: answer.status, to });
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#running) exchange.fail(clientClosed());
    this.#kept.plain.destroy();
    this.#kept.secure.destroy();
  }

  async #exchange(request: OutgoingRequest, target: Target, control: RequestControl): Promise<Answer> {
    if (this.#isClosed) throw clientClosed();
    if (control.deadline !== undefined && control.deadline <= Date.now())
      throw deadlinePassed(`${target.host} was asked`);
    if (isLiteral(target) && !this.#options.mayReach.allows(target, target.hostname))
      throw addressRefused(target.host, target.hostname);
    const sent = this.#prepare(request, target);
    const onOver = (over: Exchange): void => void this.#running.delete(over);
    const exchange = new Exchange({ sent, host: target.host, control, onOver });
    this.#running.add(exchange);
    const head = exchange.head();
    upload(sent, request.body, () => exchange.awaitHead());
    return this.#answer(await head, exchange, { request, target });
  }

  #prepare(request: OutgoingRequest, target: Target): ClientRequest {
    const agent = target.isSecure ? this.#kept.secure : this.#kept.plain;
    const send = target.isSecure ? requestHttps : requestHttp;
    closeStale(agent);
    try {
      return send({
        agent,
        method: request.method,
        host: target.hostname,
        port: target.port,
        path: pathOf(target, request),
        headers: headersOf(request),
        lookup: checkedLookup(this.#options.mayReach, target),
      });
    } catch (thrown) {
      throw unsendable(thrown);
    }
  }

  #answer(response: IncomingMessage, exchange: Exchange, { request, target }: Asked): Answer {
    const { statusCode: status = 0, headers } = response;
    const { "set-cookie": setCookie = [], ...others } = withoutSecrets(headers, request.secrets);
    const body: AnswerBody = isBodiless(request.method, status)
      ? emptyBody(response, exchange)
      : answerBody(response, exchange, this.#options.maxResponseBytes);
    const contentType = headers["content-type"] ?? "";
    return { status, headers: others as HttpAnswer["headers"], setCookie, contentType, url: urlOf(target), ...body };
  }
}

type Answer = HttpAnswer & AnswerBody;

interface Asked {
  readonly request: OutgoingRequest;
  readonly target: Target;
}

function isBodiless(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}
