import { CallError, isCallError } from "../../../envelope/call-error.js";
import { categoryFromStatus } from "../../../envelope/category.js";
import { decodeText } from "../decode-text.js";
import type { HttpClient } from "../exchange/http-client.js";
import { NO_SECRETS } from "../exchange/request-head.js";
import type { HttpAnswer, RequestControl } from "../http-answer.js";
import { mediaTypeOf } from "../media-type.js";
import type { Settings } from "../options.js";
import { documentTooLarge, nameOf } from "./document-errors.js";

const ACCEPT = "application/json, application/yaml, application/vnd.oai.openapi+json, text/yaml, */*;q=0.5";

/** The text of a document at an address. */
export async function readDocumentText(
  url: string,
  client: HttpClient,
  { url: root, timeout, headers = {}, maxDocumentBytes }: Settings,
): Promise<string> {
  const secrets = { ...NO_SECRETS, headers };
  const control: RequestControl = { deadline: Date.now() + timeout, timeout, watchEnd: () => () => {} };
  const answer = await client.send(
    { method: "GET", url, headers: { accept: ACCEPT }, body: undefined, secrets },
    control,
    // The document itself may have moved; its parts are taken from its host only.
    { followsRedirect: (to) => isSame(url, root) || isSameHost(new URL(url), to) },
  );
  if (answer.status === 200) return textOf(answer, maxDocumentBytes);
  answer.discard();
  throw new CallError({
    category: answer.status < 400 ? "execution" : categoryFromStatus(answer.status),
    message: `The document at ${nameOf(answer.url)} cannot be had: the server answered with the HTTP status ${answer.status}.`,
    details: { statusCode: answer.status },
    ...(PROTECTED.includes(answer.status) && {
      suggestedAction: "Give the source `headers` with which it may be read.",
    }),
  });
}

const PROTECTED = [401, 403];

function isSame(url: string, root: string | URL | undefined): boolean {
  return root !== undefined && new URL(root).href.replace(/#.*$/s, "") === url;
}

/** Also where it wants to be asked by `https`. */
function isSameHost(from: URL, to: URL): boolean {
  return to.origin === from.origin || (to.hostname === from.hostname && from.port === "" && to.port === "");
}

async function textOf(answer: HttpAnswer, maxBytes: number): Promise<string> {
  try {
    return decodeText(await answer.bytes(), mediaTypeOf(answer.contentType).charset).text;
  } catch (thrown) {
    // The client knows the limit, and not whose it is.
    throw isCallError(thrown) && thrown.code === "PAYLOAD_TOO_LARGE" ? documentTooLarge(answer.url, maxBytes) : thrown;
  }
}
