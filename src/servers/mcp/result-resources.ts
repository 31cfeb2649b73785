import {
  ProtocolError,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { callErrorFrom } from "../../envelope/call-error.js";
import { NEXT_KEY, TOTAL_KEY } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import type { ResultPart } from "../../results/result-part.js";
import { RESULT_PREFIX } from "../../results/result-uri.js";
import type { Core } from "./core.js";

/** How much of a result is read at once, where a server has no budget. */
const MOST_BYTES = 1024 * 1024;

const TEMPLATES = [
  {
    uriTemplate: `${RESULT_PREFIX}{id}`,
    name: "result",
    title: "A whole result",
    description: "The result behind a link that a tool gave, as JSON; the first part of it, where it is long.",
    mimeType: "application/json",
  },
  {
    uriTemplate: `${RESULT_PREFIX}{id}{?pointer,items,bytes}`,
    name: "part-of-result",
    title: "A part of a result",
    description:
      "`pointer` is a JSON Pointer such as /rows; `items` a range of a list such as 0-100; `bytes` a range of its JSON such as 0-20000.",
    mimeType: "application/json",
  },
];

// biome-ignore lint/suspicious/noExplicitAny: a handler of the SDK for whatever method
type AnyRequestHandler = (request: any, context: ServerContext) => Promise<any>;

/** Serves the results that were too long to be sent, beside the resources that the server has already. */
export function serveResults(
  server: Server,
  handlerOf: (method: string) => AnyRequestHandler | undefined,
  core: Core,
  identityOf: (context: ServerContext) => Identity | undefined,
): void {
  const list = handlerOf("resources/list");
  const templates = handlerOf("resources/templates/list");
  const read = handlerOf("resources/read");
  // There is nothing to choose from: a result is known to whoever got its link.
  if (list === undefined) server.setRequestHandler("resources/list", () => ({ resources: [] as Resource[] }));
  server.setRequestHandler("resources/templates/list", async (request, context) => {
    const others = (await templates?.(request, context)) as { resourceTemplates?: ResourceTemplateType[] } | undefined;
    return { ...others, resourceTemplates: [...(others?.resourceTemplates ?? []), ...TEMPLATES] };
  });
  server.setRequestHandler("resources/read", async (request, context) => {
    const { uri } = request.params;
    if (uri.startsWith(RESULT_PREFIX)) return readResult(core, uri, identityOf(context)?.id);
    if (read === undefined) throw new ResourceNotFoundError(uri);
    return read(request, context);
  });
}

async function readResult(core: Core, uri: string, owner: string | undefined): Promise<ReadResourceResult> {
  try {
    const maxBytes = core.budget === false ? MOST_BYTES : core.budget;
    return { contents: contentsOf(await core.results.read(uri, { owner, maxBytes }), uri) };
  } catch (thrown) {
    const { category, message } = callErrorFrom(thrown);
    if (category === "not_found") throw new ResourceNotFoundError(uri, message);
    throw new ProtocolError(category === "validation" ? -32602 : -32603, message);
  }
}

function contentsOf({ uri, mimeType, text, total, next }: ResultPart, asked: string): ReadResourceResult["contents"] {
  const part = { uri, mimeType, text, _meta: { [TOTAL_KEY]: total, ...(next !== undefined && { [NEXT_KEY]: next }) } };
  if (next === undefined || uri === asked) return [part];
  // Models see no `_meta`, and would take the part for all that they asked for.
  return [part, { uri: `${uri}#next`, mimeType: "text/plain", text: `There is more than this part. Read on: ${next}` }];
}
