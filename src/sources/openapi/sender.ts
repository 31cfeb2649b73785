import { CallError } from "../../envelope/call-error.js";
import { traceIn } from "../../envelope/trace-context.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import type { SecurityScheme } from "./description.js";
import { type Credentials, createCredentials } from "./exchange/credentials.js";
import { clientClosed } from "./exchange/exchange-errors.js";
import type { HttpClient } from "./exchange/http-client.js";
import { isIdempotentMethod, withRetries } from "./exchange/retry.js";
import type { HttpAnswer, OutgoingRequest, RequestControl, RequestSecrets } from "./http-answer.js";
import type { OperationPlan } from "./operation-plan.js";
import type { Settings } from "./options.js";
import type { BuiltRequest } from "./plan.js";

export interface SenderParts {
  readonly settings: Settings;
  readonly client: HttpClient;
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Where the document is, if it has a place: relative addresses start there. */
  readonly documentUrl: string | undefined;
}

export interface Sending {
  readonly plan: OperationPlan;
  readonly request: BuiltRequest;
  readonly context: HandlerContext;
  /** Whether it is known to do the same when it is done twice, whatever its method. */
  readonly isRepeatable: boolean;
  /** Beside those of the request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the requests of a source: to the right place, with what that place may know. */
export class Sender {
  readonly #parts: SenderParts;
  readonly #credentials: Credentials;
  /** Of all that wait for something. */
  readonly #listeners = new Set<(error: CallError) => void>();
  #isClosed = false;

  constructor(parts: SenderParts) {
    const { schemes, settings, documentUrl, client } = parts;
    const { credentials = {} } = settings;
    this.#parts = parts;
    this.#credentials = createCredentials({ schemes, credentials, documentUrl, client });
  }

  send(sending: Sending): Promise<HttpAnswer> {
    return this.exchange(sending, async (answer) => answer);
  }

  /** Sends and reads: an answer that is cut while it is read is asked for again, where that may be done. */
  async exchange<T>(sending: Sending, read: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw clientClosed();
    const { settings } = this.#parts;
    const server = serverOf(sending.plan.servers, this.#parts);
    const control = this.#controlOf(sending.context);
    return withRetries({ send: this.#sendOnce(sending, server, control), read }, control, {
      retries: settings.retries,
      maxWaitMs: settings.maxRetryWaitMs,
      isRepeatable: this.#isRepeatable(sending),
    });
  }

  /** Ends what is under way. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) listener(clientClosed());
  }

  #controlOf(context: HandlerContext): RequestControl {
    return {
      deadline: context.deadline,
      timeout: this.#parts.settings.timeout,
      watchEnd: (listener) => {
        const unwatch = whenEnded(context, listener);
        this.#listeners.add(listener);
        return () => {
          unwatch();
          this.#listeners.delete(listener);
        };
      },
    };
  }

  /** Where the credentials are refused and there are others, these are shown, once. */
  #sendOnce(sending: Sending, server: URL, control: RequestControl): () => Promise<HttpAnswer> {
    const { client } = this.#parts;
    const credentials = this.#credentials;
    const { security } = sending.plan;
    let mayRenew = true;
    const send = async (): Promise<HttpAnswer> => {
      const secrets = await credentials.for(security, control);
      const answer = await client.send(this.#outgoing(sending, server, secrets), control);
      if (answer.status !== 401 || !mayRenew || !credentials.refused(security, secrets)) return answer;
      mayRenew = false;
      answer.discard();
      return send();
    };
    return send;
  }

  #isRepeatable(sending: Sending): boolean {
    const { isRepeatable, request } = sending;
    return isRepeatable || isIdempotentMethod(request.method) || this.#hasKey(sending);
  }

  #hasKey(sending: Sending): boolean {
    return this.#keyOf(sending) !== undefined || sending.request.headers["idempotency-key"] !== undefined;
  }

  #outgoing(sending: Sending, server: URL, secrets: RequestSecrets): OutgoingRequest {
    const { plan, request, headers, context } = sending;
    const { method, path, query, body } = request;
    const key = this.#keyOf(sending);
    return {
      method,
      url: `${server.origin}${withoutSlash(server.pathname)}${path}${query === "" ? "" : `?${query}`}`,
      headers: {
        accept: plan.accept,
        "user-agent": USER_AGENT,
        ...traceIn(context.metadata),
        ...(key !== undefined && { "idempotency-key": key }),
        ...headers,
        ...request.headers,
      },
      body,
      secrets: { ...secrets, headers: { ...this.#ownHeaders, ...secrets.headers } },
    };
  }

  /** What the user wants to be sent may be a secret: it is treated as one. */
  get #ownHeaders(): Readonly<Record<string, string>> {
    return this.#parts.settings.headers ?? {};
  }

  #keyOf({ request, context }: Sending): string | undefined {
    if (context.idempotencyKey !== undefined && context.idempotencyKey !== "") return context.idempotencyKey;
    const isWanted = this.#parts.settings.idempotencyKeys === true && context.spec.type === "mutation";
    return isWanted && request.headers["idempotency-key"] === undefined ? context.requestId : undefined;
  }
}

const USER_AGENT = `${ABOUT_PLICO.name}/${ABOUT_PLICO.version}`;

/** The first server that can be reached by HTTP. */
function serverOf(
  servers: readonly string[],
  { settings, documentUrl }: Pick<SenderParts, "settings" | "documentUrl">,
): URL {
  if (settings.baseUrl !== undefined) return new URL(settings.baseUrl);
  const found = servers
    .filter((server) => !HAS_VARIABLE.test(server) && URL.canParse(server, documentUrl))
    .map((server) => new URL(server, documentUrl))
    .find(({ protocol }) => protocol === "http:" || protocol === "https:");
  if (found !== undefined) return found;
  const said = servers.length === 0 ? "names none" : `says ${servers.slice(0, 3).join(", ")}`;
  throw new CallError({
    category: "validation",
    code: "NO_SERVER",
    recoverable: false,
    message: `There is no server to call: the document ${said}. Give the source a \`baseUrl\`, or \`variables\` for what stands in braces.`,
  });
}

/** One that has got no value. */
const HAS_VARIABLE = /\{[^{}]+\}/;

/** The path of a request begins with one. */
function withoutSlash(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  return path.slice(0, end);
}
