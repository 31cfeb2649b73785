import { told } from "../../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../../json/value.js";

export type ApiVersion = "2.0" | "3.0" | "3.1" | "3.2";

/** What a document is: a version of OpenAPI, or something else, in words. */
export type Recognised =
  | { readonly version: ApiVersion; readonly isNewer: boolean }
  | { readonly version: undefined; readonly found: string };

export function recognise(document: unknown): Recognised {
  const { openapi, swagger } = isRecord(document) ? document : ({} as JsonRecord);
  // YAML makes a number of a version without quotes.
  if (/^2(\.0)?$/.test(versionText(swagger))) return { version: "2.0", isNewer: false };
  const [, minor] = /^3\.(\d+)(?:\.|$|-)/.exec(versionText(openapi)) ?? [];
  if (minor !== undefined) return known(Number(minor));
  if (versionText(openapi) === "3") return { version: "3.0", isNewer: false };
  return { version: undefined, found: foundInstead(document) };
}

function known(minor: number): Recognised {
  const version = MINORS[minor];
  return version === undefined ? { version: "3.2", isNewer: true } : { version, isNewer: false };
}

const MINORS: readonly ApiVersion[] = ["3.0", "3.1", "3.2"];

function versionText(value: unknown): string {
  return isString(value) || typeof value === "number" ? String(value).trim() : "";
}

/** What a text is that is neither JSON nor YAML, if it shows. */
export function foundInText(text: string): string | undefined {
  const start = text.slice(0, 1_000).trimStart();
  if (start === "") return "an empty text";
  if (/^<(!doctype html|html|head|body)/i.test(start)) return "an HTML page";
  if (start.startsWith("<")) return "XML or HTML";
  if (start.startsWith("#%RAML")) return "a RAML document";
  return start.startsWith("%PDF") ? "a PDF file" : undefined;
}

function foundInstead(document: unknown): string {
  if (isString(document)) return `the text ${told(document)}`;
  if (!isRecord(document)) return told(document);
  const stranger = STRANGERS.find(({ is }) => is(document));
  if (stranger !== undefined) return stranger.what(document);
  const keys = Object.keys(document);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, 5).map(told).join(", ");
  return `an object with ${shown}${keys.length > 5 ? " and more" : ""}`;
}

interface Stranger {
  readonly is: (document: JsonRecord) => boolean;
  readonly what: (document: JsonRecord) => string;
}

const STRANGERS: readonly Stranger[] = [
  {
    is: ({ openapi }) => openapi !== undefined,
    what: ({ openapi }) => `a document of OpenAPI ${told(openapi)}`,
  },
  {
    is: ({ swagger, swaggerVersion }) => swagger !== undefined || swaggerVersion !== undefined,
    what: ({ swagger, swaggerVersion }) => `a document of Swagger ${told(swagger ?? swaggerVersion)}`,
  },
  named("asyncapi", "an AsyncAPI document"),
  named("arazzo", "an Arazzo document"),
  named("overlay", "an OpenAPI overlay"),
  named("mcpServers", "the configuration of an MCP client"),
  named("jsonrpc", "a JSON-RPC message"),
  named("discoveryVersion", "a Google discovery document"),
  named("__schema", "a GraphQL schema"),
  {
    is: ({ info, item }) => isRecord(info) && (info["_postman_id"] !== undefined || Array.isArray(item)),
    what: () => "a Postman collection",
  },
  { is: ({ log }) => isRecord(log) && Array.isArray(log["entries"]), what: () => "a HAR recording" },
  {
    is: ({ data }) => isRecord(data) && isRecord(data["__schema"]),
    what: () => "a GraphQL schema",
  },
  {
    is: ({ $schema, properties, type }) => isString($schema) || (isRecord(properties) && isString(type)),
    what: () => "a JSON Schema",
  },
  { is: ({ paths }) => isRecord(paths), what: () => "an object with paths, but without `openapi` or `swagger`" },
];

function named(key: string, what: string): Stranger {
  return { is: (document) => Object.hasOwn(document, key), what: () => what };
}
