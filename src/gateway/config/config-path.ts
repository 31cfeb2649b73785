import { type JsonPointer, pointerSegments } from "../../json/pointer.js";

/** A pointer as people write it: `sources.files.mcp[0]`. */
export function dotted(pointer: JsonPointer): string {
  let path = "";
  for (const segment of pointerSegments(pointer)) {
    if (/^\d+$/.test(segment)) path += `[${segment}]`;
    else if (/^[\w$@-]+$/.test(segment)) path += path === "" ? segment : `.${segment}`;
    else path += `[${JSON.stringify(segment)}]`;
  }
  return path;
}
