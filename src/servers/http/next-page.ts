import type { OutcomeMeta } from "../../envelope/outcome.js";
import { cursorFieldsIn } from "../../registry/cursor-field.js";
import type { OperationSpec } from "../../registry/operation.js";

/** The address of the next page: the same request with another cursor, or another page, where its input has one. */
export function nextPageOf(spec: OperationSpec, { pagination }: OutcomeMeta, url: string): string | undefined {
  if (pagination === undefined || pagination.hasMore === false) return undefined;
  const { cursor, page, hasMore } = pagination;
  const [first, ...others] = cursorFieldsIn(spec.inputSchema);
  if (typeof cursor === "string" && first !== undefined) return withQuery(url, first, cursor);
  const hasPage = first === "page" || others.includes("page");
  return hasPage && hasMore === true && page !== undefined ? withQuery(url, "page", String(page + 1)) : undefined;
}

function withQuery(url: string, name: string, value: string): string {
  const [path = ""] = url.split("?", 1);
  const parameters = new URLSearchParams(url.slice(path.length));
  parameters.set(name, value);
  return `${path}?${parameters}`;
}
