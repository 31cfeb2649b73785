import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { isRecord, type JsonRecord } from "../src/json/value.js";

/** A file that describes an API. */
export interface DocumentFile {
  readonly name: string;
  readonly file: string;
}

/** Real documents that are not a part of the project, where there are any. */
export const corpus: string = join(
  process.env["PLICO_CORPUS"] ?? fileURLToPath(new URL("../../shared/corpus", import.meta.url)),
  "openapi",
);

/** The documents below a folder, by their path from there. */
export function documentsIn(folder: string, isWanted: (name: string) => boolean = () => true): DocumentFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(json|ya?ml)$/.test(name) && isWanted(name))
    .map((name) => ({ name, file: join(folder, name) }))
    .filter(({ file }) => isDocument(file, readFileSync(file, "utf8")))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isDocument(file: string, text: string): boolean {
  if (!file.endsWith(".json")) return /^["']?(openapi|swagger)["']?\s*:/m.test(text);
  const root: unknown = JSON.parse(text);
  return isRecord(root) && (root["openapi"] !== undefined || root["swagger"] !== undefined);
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Every `METHOD /path` of a document, by the plainest reading of it. */
export function routesIn({ file }: DocumentFile): string[] {
  const text = readFileSync(file, "utf8");
  const root = (file.endsWith(".json") ? JSON.parse(text) : load(text)) as JsonRecord;
  return Object.entries(isRecord(root["paths"]) ? root["paths"] : {}).flatMap(([path, item]) => {
    const target = isRecord(item) && typeof item["$ref"] === "string" ? valueAt(root, item["$ref"]) : {};
    const known = { ...(isRecord(target) ? target : {}), ...(isRecord(item) ? item : {}) };
    return METHODS.filter((method) => isRecord(known[method])).map((method) => `${method.toUpperCase()} ${path}`);
  });
}

function valueAt(root: JsonRecord, reference: string): unknown {
  const steps = reference.replace(/^#\//, "").split("/");
  return steps
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), root);
}
