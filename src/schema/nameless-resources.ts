import { isRecord, isString } from "../json/value.js";
import type { Place, Resource } from "./node.js";
import { decoded, NOWHERE, newResource, type Resources, wayTo } from "./resources.js";

/**
 * The resources of a document in which nothing has a name, as in most of them: they can be told without a look at all of
 * it. Whether that is so turns out when it is read.
 */
export class NamelessResources implements Resources {
  /** Something has a name, or is called by one: all of it is to be read again, once the names are collected. */
  isRefuted = false;
  readonly root: Resource;

  constructor(document: unknown) {
    this.root = newResource(NOWHERE, document, "");
  }

  isDynamic(): boolean {
    return false;
  }

  ownerOf(_schema: unknown, otherwise: Resource): Resource {
    return otherwise;
  }

  find(reference: string, from: Resource): Place | undefined {
    if (reference !== "#" && !reference.startsWith("#/")) {
      this.isRefuted = true;
      return undefined;
    }
    const pointer = decoded(reference.slice(1));
    const way = wayTo(pointer, from.root);
    // What it leads to is looked at when it is read.
    if (way?.slice(1, -1).some(hasName) === true) this.isRefuted = true;
    return way === undefined ? undefined : { schema: way.at(-1), at: pointer, resource: from };
  }
}

/** Draft 4 and older say `id`. */
export const NAME_WORDS: readonly string[] = ["$id", "id", "$anchor", "$dynamicAnchor"];

function hasName(schema: unknown): boolean {
  return isRecord(schema) && NAME_WORDS.some((word) => isString(schema[word]));
}
