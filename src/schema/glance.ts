import { orElse } from "../json/attempt.js";
import { isString, type JsonRecord } from "../json/value.js";
import { hasOldWords } from "./flavours.js";
import { KEYWORDS, TYPE_BITS } from "./keywords.js";
import { NAME_WORDS } from "./nameless-resources.js";
import { TYPE } from "./node.js";

/** What the names of its keywords tell of a schema. A large document has many schemas, and most of them say little. */
export interface Glance {
  /** Nothing is said but a type. */
  readonly isPlain: boolean;
  /** The type, where nothing else is said; absent where all are allowed. */
  readonly types: number | undefined;
  /** Nothing is said but a reference. */
  readonly isReference: boolean;
  /** There are words of older drafts. */
  readonly isOld: boolean;
  readonly hasName: boolean;
  /** All of it can be looked at. */
  readonly isReadable: boolean;
}

export function glanceAt(schema: JsonRecord): Glance {
  try {
    return glance(schema);
  } catch {
    // A getter or a proxy that throws.
    const isReference = orElse(() => isString(schema["$ref"]), false) && Object.keys(schema).every(isBesideReference);
    return { isPlain: false, types: undefined, isReference, isOld: true, hasName: true, isReadable: false };
  }
}

function glance(schema: JsonRecord): Glance {
  let said = 0;
  let types: number | undefined;
  let orNull = 0;
  const words = Object.keys(schema);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    // Also what says nothing is looked at: it may throw.
    const value = schema[word];
    said |= KINDS.get(word) ?? BESIDE_TYPE;
    if (word === "type") types = TYPE_BITS.get(value);
    else if (word === "nullable" && value === true) orNull = TYPE.null;
    else if (word === "$ref" && !isString(value)) said |= SPEAKS;
    if (word === "type" && types === undefined) said |= SPEAKS;
  }
  return {
    isPlain: (said & (SPEAKS | REFERENCE)) === 0,
    types: types === undefined ? undefined : types | orNull,
    isReference: (said & (SPEAKS | REFERENCE | BESIDE_TYPE)) === REFERENCE,
    isOld: (said & OLD) !== 0 && hasOldWords(schema),
    hasName: (said & NAME) !== 0,
    isReadable: true,
  };
}

/** Is more than a type, and more than a reference. */
const SPEAKS = 1;
const REFERENCE = 2;
/** May stand beside a type that is to count as nothing else, but not beside a reference. */
const BESIDE_TYPE = 4;
const NAME = 8;
const OLD = 16;

const BESIDE_REFERENCE = ["$comment", "title", "description", "deprecated", "readOnly", "writeOnly"];

/** Words that are not here are annotations. */
const KINDS: ReadonlyMap<string, number> = new Map<string, number>([
  ...KEYWORDS.map((word) => [word, SPEAKS] as const),
  ...NAME_WORDS.map((word) => [word, SPEAKS | NAME] as const),
  ...["items", "exclusiveMinimum", "exclusiveMaximum", "dependencies"].map((word) => [word, SPEAKS | OLD] as const),
  ["nullable", BESIDE_TYPE | OLD],
  ["type", BESIDE_TYPE],
  ["$ref", REFERENCE],
  ...BESIDE_REFERENCE.map((word) => [word, 0] as const),
]);

function isBesideReference(word: string): boolean {
  return word === "$ref" || BESIDE_REFERENCE.includes(word);
}
