/** How a body is read. */
export type MediaKind = "json" | "lines" | "sequence" | "events" | "text" | "binary" | "unsaid";

export interface MediaType {
  /** Type and subtype in lower case, without parameters; empty where nothing that makes sense is said. */
  readonly essence: string;
  readonly charset: string | undefined;
  readonly kind: MediaKind;
}

/** Many values, one after the other. */
export type StreamKind = Extract<MediaKind, "lines" | "sequence" | "events">;

export function isStreamKind(kind: MediaKind): kind is StreamKind {
  return kind === "lines" || kind === "sequence" || kind === "events";
}

/** What a `Content-Type` header means. Of a header that came several times, the first counts. */
export function mediaTypeOf(contentType: string): MediaType {
  const said = (/^[^;,]*/.exec(contentType)?.[0] ?? "").trim().toLowerCase();
  const essence = /^[^\s/]+\/[^\s/]+$/.test(said) ? said : "";
  const charset = /;\s*charset\s*=\s*["']?([^\s;,"']+)/i.exec(contentType)?.[1]?.toLowerCase();
  return { essence, charset, kind: kindOf(essence, contentType) };
}

export function isJsonType(contentType: string): boolean {
  return mediaTypeOf(contentType).kind === "json";
}

function kindOf(essence: string, contentType: string): MediaKind {
  if (essence === "") return "unsaid";
  if (essence === "text/event-stream") return "events";
  if (LINES.has(essence) || (essence === "application/json" && STREAMED_JSON.test(contentType))) return "lines";
  if (essence === "application/json-seq" || essence.endsWith("+json-seq")) return "sequence";
  if (JSON_TYPES.has(essence) || essence.endsWith("+json")) return "json";
  if (essence.startsWith("text/") || TEXTS.has(essence) || /\+(xml|yaml)$/.test(essence)) return "text";
  return "binary";
}

/** Kubernetes' word for a list of changes that does not end. */
const STREAMED_JSON = /;\s*stream\s*=\s*watch/i;

const JSON_TYPES = new Set(["application/json", "text/json", "application/x-json", "text/x-json"]);

const LINES = new Set([
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/x-jsonl",
  "application/jsonlines",
  "application/x-jsonlines",
  "application/stream+json",
  "application/x-json-stream",
  "text/x-ndjson",
  "text/jsonl",
]);

const TEXTS = new Set([
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/javascript",
  "application/x-javascript",
  "application/ecmascript",
  "application/x-www-form-urlencoded",
  "application/graphql",
  "application/sql",
  "application/toml",
  "application/jwt",
  "application/x-sh",
  "application/x-pem-file",
]);
