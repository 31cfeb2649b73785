/**
 * Names for operations and tools: letters, digits, `_` and `-`, which every client takes. What else a name has becomes
 * `_`; one that is too long is cut and ends in a hash of the whole, so that it stays the same from start to start.
 */
export function portableName(name: string, { maxLength = 64, also = "" }: PortableNameOptions = {}): string {
  const allowed = new RegExp(`[^A-Za-z0-9_${also.replaceAll(/[\\\]^-]/g, "\\$&")}-]+`, "g");
  const clean = name.replaceAll(allowed, "_").replace(/^[^A-Za-z0-9_]+/, "") || "tool";
  if (clean.length <= maxLength) return clean;
  return `${clean.slice(0, maxLength - 9)}_${hashOf(name)}`;
}

export interface PortableNameOptions {
  readonly maxLength?: number;
  /** More characters that may stay. */
  readonly also?: string;
}

/** The name, or the name with the first number that makes it unique. */
export function uniqueName(name: string, taken: { has(name: string): boolean }, maxLength: number = 64): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count++) {
    const end = `_${count}`;
    const candidate = name.slice(0, maxLength - end.length) + end;
    if (!taken.has(candidate)) return candidate;
  }
}

/** FNV-1a with 32 bits: tells names apart, protects nothing. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
