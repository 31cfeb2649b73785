import type { JsonPointer } from "./pointer.js";

/** One thing that is wrong with a value, and where. */
export interface Issue {
  readonly path: JsonPointer;
  readonly message: string;
  /** The name of the rule that was broken, where the rules have names. */
  readonly rule?: string;
}
