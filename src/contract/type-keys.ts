import { orElse } from "../json/attempt.js";
import { pointerSegments } from "../json/pointer.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import { isComposed, type Node } from "../schema/node.js";
import { sharedDefinitionsOf } from "../schema/shared-definitions.js";

/** Whether a part is a definition of its schema, with so much to say that it is worth a name. */
export function isNamedPart(node: Node): boolean {
  return (
    DEFINITION.test(node.at) && (isComposed(node) || (node.properties?.size ?? 0) > 0 || (node.values?.length ?? 0) > 1)
  );
}

const DEFINITION =
  /^(?:|.*\/(?!properties\/|patternProperties\/)[^/]+)\/(?:\$defs|definitions|components\/schemas)\/[^/]+$/;

/** By what definitions of many schemas are told apart: those that mean the same have the same key. */
export class DefinitionKeys {
  readonly #sets = new Map<object, number>();

  /** The keys of the definitions of one schema; other parts have none. */
  of(document: unknown): (node: Node) => unknown {
    const keys = new Map<Node, string>();
    const keyIn = this.#keysIn(document);
    return (node) => {
      if (!isNamedPart(node)) return undefined;
      const key = keys.get(node) ?? keyIn(node);
      keys.set(node, key);
      return key;
    };
  }

  #keysIn(document: unknown): (node: Node) => string {
    const shared = sharedDefinitionsOf(document);
    if (shared === undefined) return ({ at }) => orElse(() => meaningOf(document, pointerSegments(at)), at);
    const number = this.#sets.get(shared.set) ?? this.#sets.size;
    this.#sets.set(shared.set, number);
    return ({ at }) => `${number}${at}`;
  }
}

const OWN_REFERENCE = /"\$ref":"#\/(?:\$defs|definitions)\/([^"/]+)"/g;
const OTHER_WORD = /"\$(?:ref|dynamicRef|recursiveRef|id|anchor|dynamicAnchor)":/;

/** A definition with all that it refers to; the whole document where that is not easy to tell. */
function meaningOf(document: unknown, way: readonly string[]): string {
  const [place = "", name = "", ...deeper] = way;
  const definitions = isRecord(document) ? document[place] : undefined;
  if (!isRecord(definitions) || deeper.length > 0) return JSON.stringify([way, document]);
  const texts = new Map<string, string>();
  if (!collect(definitions, name, texts)) return JSON.stringify([way, document]);
  return JSON.stringify([name, [...texts].sort()]);
}

/** Whether all that a definition refers to are definitions beside it. */
function collect(definitions: JsonRecord, first: string, texts: Map<string, string>): boolean {
  for (const names = [first]; ; ) {
    const name = names.pop();
    if (name === undefined) return true;
    if (texts.has(name)) continue;
    const text = JSON.stringify(definitions[name]) ?? "";
    texts.set(name, text);
    if (OTHER_WORD.test(text.replaceAll(OWN_REFERENCE, ""))) return false;
    names.push(...[...text.matchAll(OWN_REFERENCE)].map(([, target = ""]) => decodeURIComponent(target)));
  }
}
