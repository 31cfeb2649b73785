import type { Outcome } from "../envelope/outcome.js";
import type { Warning } from "../envelope/warning.js";
import type { Issue } from "../json/issue.js";
import type { JsonSchema } from "../json/json-schema.js";
import type { JsonPointer } from "../json/pointer.js";

/** A wire format for outcomes. */
export interface Dialect<Wire = unknown> {
  readonly name: string;
  /** What gives a document of this dialect away, for people. */
  readonly marker: string;
  /** The JSON Schema of the wire document; where that is packed, of what it holds. */
  readonly schema: JsonSchema;
  /** The rules that `validate` may name, each with what it demands. */
  readonly rules: Rules;
  /** Looks at one marker and never throws. */
  claims(value: unknown): boolean;
  /** Whether an unclaimed document seems meant for this dialect, so that a check can say what it lacks. */
  resembles(value: unknown): boolean;
  read(value: unknown): Reading;
  write(outcome: Outcome, options?: WriteOptions): Writing<Wire>;
  /** Every broken rule, also those that do not keep the document from being read. */
  validate(value: unknown): Violation[];
  /** The wire as the text that is sent. */
  print(wire: Wire): string;
}

/** Rules by name. A fatal one leaves no safe way to read the document; advice does not make it wrong. */
export type Rules = Readonly<Record<string, { readonly level: RuleLevel; readonly demand: string }>>;

export type RuleLevel = "fatal" | "violation" | "advice";

export interface Violation extends Issue {
  readonly rule: string;
  readonly level: RuleLevel;
}

/** A claim has three outcomes; a malformed document is never tried as another dialect. */
export type Reading =
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly notes: readonly Warning[]; readonly layout: Layout }
  | { readonly kind: "stranger" }
  | { readonly kind: "malformed"; readonly issues: readonly Violation[]; readonly fallback?: Outcome };

/** How a document was laid out, beyond what it says: with it, `write` reproduces the document. */
export interface Layout {
  /** The carrier, where a dialect has several, such as a bare block or a whole MCP result. */
  readonly form?: string;
  /** The packed text of a part whose packing is not unique, such as a base64 block with another order of keys. */
  readonly packed?: string;
  /** The payload was wrapped, whether it had to be or not. */
  readonly wrapped?: boolean;
  /** Fields that `write` would add of itself and the document does not have. */
  readonly unset?: readonly JsonPointer[];
  /** Fields that the document spells in another way than `write` does, and means the same. */
  readonly spelled?: Readonly<Record<JsonPointer, unknown>>;
  /** Fields that Plico once added because the format requires them. */
  readonly added?: Readonly<Record<JsonPointer, unknown>>;
}

/** What the writer may use where the outcome does not say it but the format requires it. */
export interface WriteOptions {
  readonly layout?: Layout;
  /** @default Date.now() */
  readonly now?: number;
  /** The name of the tool or operation that answered. */
  readonly tool?: string;
  /** The helper's own version. */
  readonly schemaVersion?: string;
  readonly agent?: string;
}

export interface Writing<Wire = unknown> {
  readonly wire: Wire;
  readonly lost: readonly Loss[];
}

/** Something of the outcome that a wire cannot carry. */
export interface Loss {
  /** Where it is in the outcome. */
  readonly path: JsonPointer;
  readonly reason: string;
}
