import { told } from "../../../json/told.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../../../json/value.js";
import { ownValue } from "../own-value.js";
import type { OperationScope } from "./operation-scope.js";

type Variables = Readonly<Record<string, string>>;

/** The addresses of an operation's servers, the first of which is the usual one. */
export function serversOf(scope: OperationScope, variables: Variables): readonly string[] {
  const { document, operation } = scope;
  if (document.version === "2.0") return serversOfV2(scope);
  const { raw } = operation;
  for (const { servers } of [raw.operation, raw.pathItem, document.root]) {
    if (servers === undefined) continue;
    if (!Array.isArray(servers)) scope.warn(`\`servers\` is ${told(servers)}, not a list; it is left out.`);
    const addresses = Array.isArray(servers) ? servers.flatMap((server) => addressOf(scope, server, variables)) : [];
    if (addresses.length > 0) return addresses;
  }
  return ["/"];
}

function addressOf(scope: OperationScope, server: unknown, variables: Variables): string[] {
  const url = isRecord(server) ? server["url"] : undefined;
  if (!isRecord(server) || !isString(url)) {
    scope.warn(`A server has ${told(url)} in place of an address; it is left out.`);
    return [];
  }
  const declared = isRecord(server["variables"]) ? server["variables"] : {};
  return [
    url.trim().replaceAll(/\{([^{}]+)\}/g, (place, name: string) => {
      const value = ownValue(variables, name) ?? usualValue(declared, name);
      if (value === undefined) scope.warn(`The variable ${told(name)} of a server's address has no value.`);
      return value ?? place;
    }),
  ];
}

function usualValue(declared: JsonRecord, name: string): string | undefined {
  const variable = ownValue(declared, name);
  if (!isRecord(variable)) return undefined;
  const { default: usual, enum: values } = variable;
  const [first] = Array.isArray(values) ? values : [];
  const value = usual ?? first;
  // YAML makes a number of a port without quotes.
  return isString(value) || typeof value === "number" ? String(value) : undefined;
}

function serversOfV2(scope: OperationScope): string[] {
  const { root, address } = scope.document;
  const { host, basePath } = root;
  const path = isString(basePath) && basePath !== "" ? basePath.replace(/^\/?/, "/") : "/";
  if (!isString(host) || host === "") return [path];
  const [, said, name = host] = /^(\w+):\/\/(.*?)\/?$/.exec(host) ?? [];
  const usual = said ?? /^https?(?=:)/.exec(address)?.[0] ?? "https";
  const schemes = scope.operation.raw.operation["schemes"] ?? root["schemes"];
  const known = isStringArray(schemes) ? schemes.filter((scheme) => /^https?$/.test(scheme)) : [];
  const used = known.length === 0 ? [usual] : [...new Set(known)].sort().reverse();
  return used.map((scheme) => `${scheme}://${name}${path === "/" ? "" : path}`);
}
