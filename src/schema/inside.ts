import { type JsonPointer, pointerSegments, pointerTo } from "../json/pointer.js";
import { isRecord } from "../json/value.js";
import { relocate } from "./relocate.js";

/** A part of a schema by itself. Where it refers to other parts, it stays a part of the whole. */
export function inside(whole: unknown, name: string, place: JsonPointer = "/properties"): unknown {
  const way = place + pointerTo(name);
  const part = at(whole, way);
  if (!isRecord(whole) || !isRecord(part)) return part;
  const draft = whole["$schema"] === undefined ? {} : { $schema: whole["$schema"] };
  if (!/"\$(dynamic|recursive)?[rR]ef"/.test(JSON.stringify(part))) return { ...draft, ...part };
  return { ...draft, $defs: { whole: relocate(whole, "/$defs/whole") }, $ref: `#/$defs/whole${encodeURI(way)}` };
}

function at(value: unknown, place: JsonPointer): unknown {
  return pointerSegments(place).reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), value);
}
