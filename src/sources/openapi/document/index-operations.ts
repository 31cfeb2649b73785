import type { Warning } from "../../../envelope/warning.js";
import { told } from "../../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import type { ApiDocument, Place } from "./api-document.js";
import { type Nameable, nameOperations } from "./operation-names.js";
import { type StreamUse, streamUseOf } from "./stream-use.js";

/** An operation of which no parameter, body or schema has been looked at yet. */
export interface IndexedOperation {
  readonly name: string;
  /** In capitals, unless the document has a method of its own. */
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly streams: StreamUse;
  /** What Plico wrote, where the document is its own. */
  readonly plico?: JsonRecord;
  readonly raw: RawOperation;
}

/** An operation and its path item, as they stand in the document. */
interface RawOperation {
  readonly operation: JsonRecord;
  readonly base: string;
  readonly pathItem: JsonRecord;
  readonly pathBase: string;
}

export interface OperationIndex {
  readonly operations: readonly IndexedOperation[];
  readonly warnings: readonly Warning[];
}

/** Every operation below `paths`. One that is broken is named in a warning, and keeps no other out. */
export function indexOperations(document: ApiDocument): OperationIndex {
  const collector = new Collector(document);
  collector.collect();
  const { names, warnings } = nameOperations(collector.found);
  const operations = collector.found.map((found, at) => indexed(document, found, names[at] as string));
  return { operations, warnings: [...collector.warnings, ...warnings] };
}

function indexed(document: ApiDocument, { method, path, operationId, raw }: Found, name: string): IndexedOperation {
  const { summary, description, tags, deprecated, "x-plico": plico } = raw.operation;
  const title = isString(summary) && summary !== "" ? summary : undefined;
  const operation: Mutable<IndexedOperation> = {
    name,
    method,
    path,
    description: isString(description) && description !== "" ? description : (title ?? `${method} ${path}`),
    tags: Array.isArray(tags) ? tags.filter(isString) : NO_TAGS,
    isDeprecated: deprecated === true,
    streams: streamUseOf(document, raw.operation, raw.base),
    raw,
  };
  if (operationId !== undefined) operation.operationId = operationId;
  if (title !== undefined) operation.title = title;
  if (isRecord(plico)) operation.plico = plico;
  return operation;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const NO_TAGS: readonly string[] = [];

interface Found extends Nameable {
  readonly raw: RawOperation;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

class Collector {
  readonly found: Found[] = [];
  readonly warnings: Warning[] = [];
  readonly #document: ApiDocument;
  readonly #methods: readonly string[];

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#methods = document.version === "3.2" ? [...METHODS, "query"] : METHODS;
  }

  collect(): void {
    const { root, address } = this.#document;
    const { paths } = root;
    if (paths !== undefined && !isRecord(paths)) this.#skip("`paths`", `it is ${told(paths)}, not an object`);
    for (const path of isRecord(paths) ? Object.keys(paths) : []) {
      if (path.startsWith("/")) this.#path(path, { value: (paths as JsonRecord)[path], base: address });
      else if (!path.startsWith("x-")) this.#skip(`The path ${told(path)}`, "a path begins with a slash");
    }
  }

  #path(path: string, item: Place): void {
    const seen = new Set<string>();
    for (const layer of this.#layers(path, item)) {
      for (const method of this.#methods) {
        if (layer.item[method] !== undefined) this.#operation(method.toUpperCase(), layer.item[method], layer, seen);
      }
      for (const [method, operation] of this.#additional(layer)) this.#operation(method, operation, layer, seen);
    }
  }

  /** A path item, and the one that it refers to: its own operations come first. */
  #layers(path: string, place: Place): Layer[] {
    const { value, base } = place;
    if (!isRecord(value)) {
      this.#skip(`The path ${told(path)}`, `it is ${told(value)}, not an object`);
      return [];
    }
    const own: Layer = { path, item: value, base };
    if (value["$ref"] === undefined) return [own];
    const target = this.#document.resolve(place);
    if (target !== undefined && target.value !== value && isRecord(target.value))
      return [own, { path, item: target.value, base: target.base }];
    this.#skip(`The path ${told(path)}`, `its reference ${told(value["$ref"])} leads to no path item`);
    return [own];
  }

  /** Methods of other names, which only 3.2 has. */
  #additional({ path, item }: Layer): [string, unknown][] {
    const { additionalOperations: more } = item;
    if (more === undefined || this.#document.version !== "3.2") return [];
    if (!isRecord(more)) this.#skip(`\`additionalOperations\` of ${told(path)}`, `it is ${told(more)}, not an object`);
    return Object.entries(isRecord(more) ? more : {}).filter(([method]) => {
      if (method.startsWith("x-")) return false;
      const isMethod = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,50}$/.test(method);
      if (!isMethod) this.#skip(`${told(method)} ${path}`, "HTTP has no such method");
      return isMethod;
    });
  }

  #operation(method: string, value: unknown, { path, item, base }: Layer, seen: Set<string>): void {
    if (seen.has(method)) return;
    seen.add(method);
    // To point elsewhere for an operation is not allowed, and done.
    const place =
      isRecord(value) && value["$ref"] === undefined ? { value, base } : this.#document.resolve({ value, base });
    if (!isRecord(place?.value)) {
      this.#skip(`${method} ${path}`, `it is ${place === undefined ? "a reference to nothing" : told(place.value)}`);
      return;
    }
    const { operationId } = place.value;
    this.found.push({
      method,
      path,
      operationId: isString(operationId) && operationId !== "" ? operationId : undefined,
      raw: { operation: place.value, base: place.base, pathItem: item, pathBase: base },
    });
  }

  #skip(what: string, why: string): void {
    this.warnings.push({ code: "OPERATION_SKIPPED", message: `${what} is skipped: ${why}.` });
  }
}

interface Layer {
  readonly path: string;
  readonly item: JsonRecord;
  readonly base: string;
}
