/** What the value of a schema's keyword is. */
export type WordKind = "schemas" | "named" | "required" | "data" | "dropped";

const WORDS: Readonly<Record<WordKind, readonly string[]>> = {
  /** A schema, or a list of them. */
  schemas: [
    ...["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"],
    ...["additionalProperties", "propertyNames", "unevaluatedProperties"],
    ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contentSchema"],
  ],
  /** Schemas by names, whatever these look like. */
  named: ["properties", "patternProperties", "dependentSchemas", "dependencies"],
  required: ["required"],
  data: ["type", "enum", "const", "default", "examples", "dependentRequired"],
  /** What a schema is called is said by its place in `$defs`; the rest means nothing outside of OpenAPI. */
  dropped: [
    ...["$ref", "$id", "$schema", "$anchor", "$comment", "$vocabulary", "$defs", "definitions"],
    ...["$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"],
    ...["discriminator", "xml", "externalDocs", "example"],
  ],
};

/** Of those that are known; the others are annotations, or limits of texts and numbers. */
export const WORD_KINDS: ReadonlyMap<string, WordKind> = new Map(
  Object.entries(WORDS).flatMap(([kind, words]) => words.map((word) => [word, kind as WordKind])),
);

/** What may stand beside a reference before 3.1, by the book or by habit. */
export const BESIDE_REFERENCE: readonly string[] = [
  ...["title", "description", "default", "deprecated", "nullable", "x-nullable"],
];
