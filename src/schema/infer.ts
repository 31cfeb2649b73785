import type { SchemaSide } from "./standard-schema.js";

/**
 * The type of the values that a schema describes: of a Standard Schema by its own word, of TypeBox and of JSON Schema
 * (written `as const`, or where it is passed to `defineOperation`) by its keywords. What cannot be told is `unknown`.
 */
export type Infer<Schema, Side extends SchemaSide = "output"> = Schema extends {
  readonly "~standard": { readonly types?: { readonly input: infer Input; readonly output: infer Output } | undefined };
}
  ? Side extends "input"
    ? Input
    : Output
  : InferJson<Schema>;

type InferJson<Schema> = Schema extends boolean
  ? Schema extends false
    ? never
    : unknown
  : Schema extends { readonly const: infer Value }
    ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { readonly anyOf: readonly (infer Member)[] } | { readonly oneOf: readonly (infer Member)[] }
        ? EachOf<Member>
        : Schema extends { readonly allOf: infer Members }
          ? AllOf<Members>
          : Schema extends { readonly type: infer Name }
            ? OfType<Schema, Name> | (Schema extends { readonly nullable: true } ? null : never)
            : unknown;

/** A union distributes over its members. */
type EachOf<Member> = Member extends unknown ? InferJson<Member> : never;

type AllOf<Members> = Members extends readonly [infer First, ...infer Rest] ? InferJson<First> & AllOf<Rest> : unknown;

type OfType<Schema, Name> = Name extends readonly (infer One)[] ? OfOneType<Schema, One> : OfOneType<Schema, Name>;

type OfOneType<Schema, Name> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "void" | "undefined"
          ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a result returns it
            void
          : Name extends "array"
            ? ListOf<Schema>
            : Name extends "object"
              ? ObjectOf<Schema>
              : unknown;

type ListOf<Schema> = Schema extends { readonly prefixItems: infer Items }
  ? TupleOf<Items>
  : Schema extends { readonly items: infer Items }
    ? Items extends readonly unknown[]
      ? TupleOf<Items>
      : InferJson<Items>[]
    : unknown[];

type TupleOf<Items> = { -readonly [At in keyof Items]: InferJson<Items[At]> };

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? FieldsOf<Properties, RequiredOf<Schema, Properties>>
  : Schema extends { readonly additionalProperties: infer Rest }
    ? Record<string, InferJson<Rest>>
    : Schema extends { readonly patternProperties: infer Patterns }
      ? Record<string, InferJson<Patterns[keyof Patterns]>>
      : Record<string, unknown>;

/** TypeBox marks what is optional, JSON Schema what is required. */
type RequiredOf<Schema, Properties> = Schema extends { readonly "~kind": string }
  ? {
      [Key in keyof Properties]: Properties[Key] extends { readonly "~optional": true } ? never : Key;
    }[keyof Properties]
  : Schema extends { readonly required: readonly (infer Name)[] }
    ? Name & keyof Properties
    : never;

type FieldsOf<Properties, Required extends keyof Properties> = Flat<
  { -readonly [Key in Required]: InferJson<Properties[Key]> } & {
    -readonly [Key in Exclude<keyof Properties, Required>]?: InferJson<Properties[Key]>;
  }
>;

type Flat<Fields> = { [Key in keyof Fields]: Fields[Key] };
