/** A JSON Pointer (RFC 6901); the empty string is the whole document. */
export type JsonPointer = string;

export function pointerTo(...segments: readonly (string | number)[]): JsonPointer {
  let pointer = "";
  for (const segment of segments) pointer += `/${escaped(String(segment))}`;
  return pointer;
}

export function pointerSegments(pointer: JsonPointer): string[] {
  const segments = pointer.split("/").slice(1);
  return pointer.includes("~") ? segments.map(unescaped) : segments;
}

function escaped(segment: string): string {
  return /[~/]/.test(segment) ? segment.replaceAll("~", "~0").replaceAll("/", "~1") : segment;
}

function unescaped(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** `/address/zip` as people write it in a form's error list: `address.zip`. What has no such form stays a pointer. */
export function pointerToDotted(pointer: JsonPointer): string {
  const segments = pointer.split("/").slice(1);
  const plain = pointer.startsWith("/") && segments.every((segment) => /^[^.~]+$/.test(segment));
  return plain ? segments.join(".") : pointer;
}

export function pointerFromDotted(dotted: string): JsonPointer {
  const segments = dotted.split(".");
  return segments.every((segment) => /^[^/~]+$/.test(segment)) ? `/${segments.join("/")}` : dotted;
}
