import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { type CallError, callErrorFrom } from "../../envelope/call-error.js";
import { categoryFacts } from "../../envelope/category.js";
import type { JsonRpcError, RequestId } from "../../mcp/json-rpc.js";
import { errorFrame } from "./frames.js";

/** All of an answer in one write. */
export function sendJson(response: ServerResponse, status: number, body: string, headers?: OutgoingHttpHeaders): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

export function sendError(
  response: ServerResponse,
  status: number,
  error: JsonRpcError,
  { id = null, headers }: { readonly id?: RequestId | null; readonly headers?: OutgoingHttpHeaders } = {},
): void {
  sendJson(response, status, errorFrame(id, error), headers);
}

/** Why a request is not served at all, before anything of it was read. */
export function sendRefusal(response: ServerResponse, thrown: unknown): void {
  const error: CallError = callErrorFrom(thrown);
  const { status, jsonRpc } = categoryFacts(error.category);
  const { category, code, message, retryAfterMs } = error;
  const headers = {
    ...(status === 401 && { "www-authenticate": "Bearer" }),
    ...(retryAfterMs !== undefined && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  };
  sendError(response, status, { code: jsonRpc, message, data: { category, code } }, { headers });
}

/** An answer of the SDK. */
export async function sendWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  // A stream that has begun elsewhere goes on.
  if (response.headersSent) {
    if (answer.body !== null) await pump(answer.body.getReader(), response);
    return;
  }
  const headers: OutgoingHttpHeaders = {};
  answer.headers.forEach((value, name) => {
    headers[name] = value;
  });
  if (answer.body === null) {
    response.writeHead(answer.status, headers).end();
    return;
  }
  if (!/^text\/event-stream/i.test(answer.headers.get("content-type") ?? "")) {
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { ...headers, "content-length": body.length }).end(body);
    return;
  }
  response.writeHead(answer.status, headers).flushHeaders();
  await pump(answer.body.getReader(), response);
}

async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, response: ServerResponse): Promise<void> {
  const onClose = (): void => void reader.cancel().catch(() => {});
  response.once("close", onClose);
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      if (response.destroyed) break;
      if (!response.write(step.value)) await drained(response);
    }
    response.end();
  } catch {
    // The stream was broken off on the other side; so is this one.
    response.destroy();
  }
  response.off("close", onClose);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** What the SDK is given of a request; its body is given beside it. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  }
  const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
  return new Request(url, { method: request.method ?? "GET", headers, signal });
}
