/**
 * Names for operations and tools: letters, digits, `_` and `-`, which every client takes. What else a name has becomes
 * `_`. A name that is cut ends in a hash of the whole, and where `isExact` any that was changed, so that no two names
 * become one, and each stays the same whatever other names there are.
 */
export function portableName(
  name: string,
  { maxLength = 64, also = "", isExact = false }: PortableNameOptions = {},
): string {
  const other = new RegExp(`[^A-Za-z0-9_${also.replaceAll(/[\\\]^-]/g, "\\$&")}-]+`, "g");
  const clean = name.replaceAll(other, "_").replace(/^[^A-Za-z0-9_]+/, "");
  const readable = clean !== "" && (/[A-Za-z0-9]/.test(clean) || clean === name) ? clean : "tool";
  const isSame = isExact ? readable === name && !RESERVED.includes(name) : true;
  if (isSame && readable.length <= maxLength) return readable;
  return `${readable.slice(0, maxLength - 9)}_${hashOf(name)}`;
}

/** An object with a field of such a name would not behave as one. */
export const RESERVED: readonly string[] = ["__proto__", "constructor", "prototype", "then"];

export interface PortableNameOptions {
  readonly maxLength?: number;
  /** More characters that may stay. */
  readonly also?: string;
  readonly isExact?: boolean;
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
