import { isRecord, isString, type JsonRecord, setField } from "../../../json/value.js";
import type { SecurityScheme } from "../description.js";
import type { ApiDocument } from "./api-document.js";

/** The ways to say who calls, by the names that the document gives them. Those that are broken are left out. */
export function securitySchemesOf(document: ApiDocument): Readonly<Record<string, SecurityScheme>> {
  const { root, version, address } = document;
  const components = isRecord(root["components"]) ? root["components"] : {};
  const declared = version === "2.0" ? root["securityDefinitions"] : components["securitySchemes"];
  const schemes: JsonRecord = {};
  for (const [name, value] of Object.entries(isRecord(declared) ? declared : {})) {
    const scheme = document.resolve({ value, base: address })?.value;
    const read = isRecord(scheme) ? schemeOf(scheme) : undefined;
    if (read !== undefined) setField(schemes, name, read);
  }
  return schemes as Record<string, SecurityScheme>;
}

function schemeOf(scheme: JsonRecord): SecurityScheme | undefined {
  const { type } = scheme;
  if (type === "basic") return { type: "basic" };
  if (type === "http") return httpScheme(scheme["scheme"]);
  if (type === "apiKey") return apiKey(scheme);
  if (type === "oauth2") return isRecord(scheme["flows"]) ? flowsOf(scheme["flows"]) : flowOf(scheme);
  return isString(type) ? { type: "other", name: type } : undefined;
}

function httpScheme(scheme: unknown): SecurityScheme {
  const name = isString(scheme) ? scheme.toLowerCase() : "";
  return name === "bearer" || name === "basic" ? { type: name } : { type: "other", name: `http ${name}` };
}

function apiKey({ in: place, name }: JsonRecord): SecurityScheme | undefined {
  if (!isString(name) || name === "") return undefined;
  return place === "header" || place === "query" || place === "cookie"
    ? { type: "apiKey", in: place, name }
    : undefined;
}

/** Of 2.0, where each scheme has one flow. */
function flowOf({ flow, tokenUrl, scopes }: JsonRecord): SecurityScheme {
  const isForClients = flow === "application" && isString(tokenUrl);
  return { type: "oauth2", ...(isForClients && { tokenUrl }), scopes: scopeNames(scopes) };
}

function flowsOf(flows: JsonRecord): SecurityScheme {
  const { clientCredentials } = flows;
  if (isRecord(clientCredentials) && isString(clientCredentials["tokenUrl"])) {
    const { tokenUrl, scopes } = clientCredentials;
    return { type: "oauth2", tokenUrl, scopes: scopeNames(scopes) };
  }
  const all = Object.values(flows).flatMap((flow) => (isRecord(flow) ? scopeNames(flow["scopes"]) : []));
  return { type: "oauth2", scopes: [...new Set(all)] };
}

function scopeNames(scopes: unknown): string[] {
  return isRecord(scopes) ? Object.keys(scopes) : [];
}
