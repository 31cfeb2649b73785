import { orElse } from "../json/attempt.js";
import { type JsonPointer, pointerSegments } from "../json/pointer.js";
import { isRecord, isString } from "../json/value.js";

const LONGEST = 2_000;
const LONGEST_VALUE = 200;

/** What a schema says to people, as the lines of a comment. */
export function docOf(...schemas: readonly unknown[]): readonly string[] {
  return orElse(() => linesOf(schemas.filter(isRecord)), []);
}

function linesOf(schemas: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const said = (word: string): unknown => schemas.map((schema) => schema[word]).find((value) => value !== undefined);
  const description = said("description");
  const fallback = valueText(said("default"));
  const format = said("format");
  return [
    ...(isString(description) ? textLines(description) : []),
    ...(isString(format) ? [`@format ${format.slice(0, LONGEST_VALUE)}`] : []),
    ...(fallback === undefined ? [] : [`@default ${fallback}`]),
    ...(said("deprecated") === true ? ["@deprecated"] : []),
  ];
}

export function textLines(text: string): readonly string[] {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const lines = cut.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trimEnd());
  return lines.slice(
    lines.findIndex((line) => line !== ""),
    lines.findLastIndex((line) => line !== "") + 1,
  );
}

function valueText(value: unknown): string | undefined {
  const text = value === undefined ? undefined : JSON.stringify(value);
  return text === undefined || text.length > LONGEST_VALUE ? undefined : text;
}

/** What stands at a place of a document; nothing where it cannot be looked at. */
export function partAt(document: unknown, at: JsonPointer): unknown {
  return orElse(
    () =>
      pointerSegments(at).reduce<unknown>(
        (value, step) =>
          typeof value === "object" && value !== null && Object.hasOwn(value, step)
            ? Reflect.get(value, step)
            : undefined,
        document,
      ),
    undefined,
  );
}
