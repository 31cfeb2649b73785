import { orElse } from "../json/attempt.js";
import { type JsonPointer, pointerSegments, pointerTo } from "../json/pointer.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";
import type { Place, Resource } from "./node.js";
import { sharedDefinitionsOf } from "./shared-definitions.js";

/** The named parts of a schema's document, so that a reference finds its target without the network. */
export interface Resources {
  readonly root: Resource;
  /** Whether the way to a schema may decide what a reference in it means. */
  isDynamic(): boolean;
  /** The resource that a schema belongs to. */
  ownerOf(schema: unknown, otherwise: Resource): Resource;
  /** The target of a reference that stands in `from`, if the document has it. */
  find(reference: string, from: Resource): Place | undefined;
}

/** Keywords whose keys are names, whatever they look like. */
export const NAMED_WORDS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords whose value is a schema, or a list of them. What other keywords hold is not known to be one. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set([
  ...["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"],
  ...["additionalProperties", "propertyNames", "unevaluatedProperties"],
  ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else"],
]);

/** Deeper than this nothing is looked for. */
const DEPTH = 300;

/** Without an `$id`, relative references are resolved against this. */
export const NOWHERE = "plico:/schema";

/** Other documents by their address, to which references may lead. */
export type Documents = Readonly<Record<string, unknown>>;

export function collectResources(document: unknown, documents?: Documents): Resources {
  const idWord = idWordOf(document);
  const byUri = new Map<string, Resource>();
  const owners = new Map<object, Resource>();
  let hasDynamicAnchor = false;

  const addDocument = (schema: unknown, address: string): Resource => {
    const resource = newResource(address, schema, "");
    byUri.set(address, resource);
    if (shared !== undefined) owners.set(shared.definitions, resource);
    const own = orElse(() => uriOf(schema, address, idWord), undefined);
    if (own !== undefined && !byUri.has(own)) byUri.set(own, resource);
    visit(schema, "", resource, 0);
    return resource;
  };

  const visit = (schema: unknown, at: JsonPointer, owner: Resource, depth: number, isNames = false): void => {
    if (typeof schema !== "object" || schema === null || depth > DEPTH || owners.has(schema)) return;
    const isSchema = isRecord(schema) && !isNames;
    const resource = isSchema && depth > 0 ? enter(schema, at, owner) : owner;
    owners.set(schema, resource);
    if (isSchema && collectAnchors(schema, at, resource, idWord)) hasDynamicAnchor = true;
    for (const [key, inner] of orElse(() => Object.entries(schema), [])) {
      const holdsSchemas = !isSchema || SCHEMA_WORDS.has(key) || NAMED_WORDS.has(key);
      if (holdsSchemas) visit(inner, at + pointerTo(key), resource, depth + 1, isSchema && NAMED_WORDS.has(key));
    }
  };

  const enter = (schema: JsonRecord, at: JsonPointer, owner: Resource): Resource => {
    const uri = orElse(() => uriOf(schema, owner.uri, idWord), undefined);
    if (uri === undefined || byUri.has(uri)) return owner;
    const resource = newResource(uri, schema, at);
    byUri.set(uri, resource);
    return resource;
  };

  const ownerOf = (schema: unknown, otherwise: Resource): Resource =>
    (typeof schema === "object" && schema !== null ? owners.get(schema) : undefined) ?? otherwise;

  const find = (reference: string, from: Resource): Place | undefined => {
    const [address = "", fragment = ""] = split(reference);
    const resource = address === "" ? from : byAddress(orElse(() => absolute(address, from.uri), address));
    return resource === undefined ? undefined : inside(resource, fragment, ownerOf);
  };

  const byAddress = (address: string): Resource | undefined => {
    if (byUri.has(address) || documents === undefined || !Object.hasOwn(documents, address)) return byUri.get(address);
    return addDocument(documents[address], address);
  };

  const isDynamic = (): boolean => hasDynamicAnchor;
  // They have no names, and may be many.
  const shared = orElse(() => sharedDefinitionsOf(document), undefined);
  const root = addDocument(document, orElse(() => uriOf(document, NOWHERE, idWord), NOWHERE) ?? NOWHERE);
  return { root, ownerOf, find, isDynamic };
}

export function newResource(uri: string, root: unknown, at: JsonPointer): Resource {
  return { uri, root, at, anchors: new Map(), dynamicAnchors: new Map() };
}

/** The address of a schema that has an `$id`. One that is only a fragment names an anchor of older drafts. */
function uriOf(schema: unknown, base: string, idWord: string): string | undefined {
  const id = isRecord(schema) ? schema[idWord] : undefined;
  return isString(id) && !id.startsWith("#") ? absolute(id, base) : undefined;
}

function idWordOf(document: unknown): string {
  const draft = isRecord(document) ? document["$schema"] : undefined;
  return isString(draft) && /draft-0[34]/.test(draft) ? "id" : "$id";
}

function absolute(reference: string, base: string): string {
  return new URL(reference, base).href.replace(/#.*$/s, "");
}

function split(reference: string): string[] {
  const hash = reference.indexOf("#");
  return hash < 0 ? [reference, ""] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

/** Tells whether there is a dynamic one. */
function collectAnchors(schema: JsonRecord, at: JsonPointer, resource: Resource, idWord: string): boolean {
  const place = { schema, at, resource };
  const { $anchor: anchor, $dynamicAnchor: dynamicAnchor, [idWord]: id } = schema;
  if (isString(anchor)) resource.anchors.set(anchor, place);
  if (isString(dynamicAnchor)) resource.dynamicAnchors.set(dynamicAnchor, place);
  if (isString(id) && id.startsWith("#")) resource.anchors.set(id.slice(1), place);
  return isString(dynamicAnchor);
}

function inside(resource: Resource, fragment: string, ownerOf: Resources["ownerOf"]): Place | undefined {
  const pointer = decoded(fragment);
  if (pointer !== "" && !pointer.startsWith("/")) {
    return resource.anchors.get(pointer) ?? resource.dynamicAnchors.get(pointer);
  }
  const way = wayTo(pointer, resource.root);
  if (way === undefined) return undefined;
  const schema = way.at(-1);
  return { schema, at: resource.at + pointer, resource: ownerOf(schema, resource) };
}

/** All that a pointer passes, from the root to its target, if there is one. */
export function wayTo(pointer: JsonPointer, root: unknown): readonly unknown[] | undefined {
  const way = [root];
  for (const key of pointerSegments(pointer)) {
    const last = way.at(-1);
    if (typeof last !== "object" || last === null || !Object.hasOwn(last, key)) return undefined;
    way.push((last as JsonRecord)[key]);
  }
  return way;
}

/** The pointer in the fragment of a reference. */
export function decoded(fragment: string): string {
  return fragment.includes("%") ? orElse(() => decodeURIComponent(fragment), fragment) : fragment;
}
