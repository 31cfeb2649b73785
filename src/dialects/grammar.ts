import type { Outcome } from "../envelope/outcome.js";
import type { Warning } from "../envelope/warning.js";
import type { JsonSchema } from "../json/json-schema.js";
import type { JsonPointer } from "../json/pointer.js";
import type { JsonRecord } from "../json/value.js";
import type { Carried } from "./carried.js";
import type { Layout, Rules, WriteOptions } from "./dialect.js";

/**
 * A dialect in its own words. The frame around it makes the laws hold: it keeps what the dialect does not understand,
 * carries what its words cannot say exactly, and reports the rest as lost.
 */
export interface Grammar<Wire> {
  readonly name: string;
  readonly marker: string;
  readonly schema: JsonSchema;
  readonly rules: Rules;
  /** The place of the key `plico`. */
  readonly carrier: JsonPointer;
  /** The places that the format requires and an outcome may not say. */
  readonly fillable?: readonly JsonPointer[];
  /** The dialect has a place for foreign metadata, so every hint travels. */
  readonly carriesMeta?: boolean;
  claims(value: unknown): boolean;
  resembles?(value: unknown): boolean;
  /** Unpacks the wire into a body of plain records, or says why it cannot. */
  open?(wire: unknown): Opened;
  /** Packs a body. */
  close?(body: JsonRecord, layout: Layout): Wire;
  check(body: JsonRecord, form: string | undefined): Broken[];
  /** Reads a body that broke no fatal rule. Only known fields are looked at, and ill-typed ones are passed over. */
  fromBody(body: JsonRecord, carried: Carried): Outcome;
  toBody(outcome: Outcome, options: DraftOptions): Draft;
  /** Of the fields that only this dialect knows, those that still go with the outcome. */
  ownExtra?(outcome: Outcome, extra: JsonRecord): JsonRecord;
  /** Whether a document's own value at a place means the same as the one that `toBody` writes there. */
  isSpelling?(place: JsonPointer, theirs: unknown, ours: unknown): boolean;
  /** What a consumer should be warned of, beyond broken rules. */
  notes?(outcome: Outcome): Warning[];
  print?(wire: Wire): string;
}

export interface DraftOptions extends WriteOptions {
  /** The draft is only compared with a document: leave out what costs a pass over the data. */
  readonly brief?: boolean;
}

export type Opened = OpenedBody | { readonly broken: readonly Broken[]; readonly fallback?: Outcome };

export interface OpenedBody extends Pick<Layout, "form" | "packed"> {
  readonly body: JsonRecord;
}

/** A broken rule: its name, the place, and what is there. */
export type Broken = readonly [rule: string, path: JsonPointer, message: string];

export interface Draft {
  readonly body: JsonRecord;
  /** Those of the fillable places that were filled. */
  readonly added?: readonly JsonPointer[];
  /** Fields of the meta that must not be carried. */
  readonly uncarried?: readonly string[];
  /** What only the writer knows, such as that the payload was wrapped. */
  readonly carried?: Carried;
}
