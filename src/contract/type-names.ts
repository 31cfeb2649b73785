const LONGEST = 120;

/** Names that the text around the types uses in their own meaning. */
const TAKEN = [
  "Record",
  "Promise",
  "AsyncIterable",
  "AsyncGenerator",
  "Error",
  "Array",
  "Object",
  "Function",
  "Response",
  "Request",
  "AbortSignal",
  "Partial",
  "Readonly",
];

/** Names of types, each given once. */
export class TypeNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set([...TAKEN, ...taken]);
  }

  /** The name, or the name with the first number that makes it unique. */
  give(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** `files.read_file` as types are named: `FilesReadFile`. */
export function typeName(...parts: readonly string[]): string {
  const words = parts.flatMap((part) => part.split(/[^\p{L}\p{Nd}]+/u)).filter((word) => word !== "");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const ascii = name.normalize("NFKD").replaceAll(/[^A-Za-z0-9]/g, "");
  return ascii === "" ? "Type" : /^\d/.test(ascii) ? `Type${ascii}` : ascii.slice(0, LONGEST);
}
