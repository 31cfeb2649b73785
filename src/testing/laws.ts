import type { Dialect, Loss } from "../dialects/dialect.js";
import { repeatsData } from "../dialects/loss.js";
import type { Outcome } from "../envelope/outcome.js";
import { type JsonPointer, pointerSegments, pointerTo } from "../json/pointer.js";
import { leaves } from "../json/residue.js";
import { isEqual, isRecord, type JsonRecord } from "../json/value.js";

/** Fails with both values where they differ. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  if (isEqual(actual, expected)) return;
  throw new Error(`${what}\n  expected: ${JSON.stringify(expected)}\n  actual:   ${JSON.stringify(actual)}`);
}

export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** `read(write(x))` is `x` without what was reported as lost, and the text on the wire says the same as the value. */
export function assertRoundTrip(dialect: Dialect, outcome: Outcome): void {
  const { wire, lost } = dialect.write(outcome, { now: 1_700_000_000_000 });
  const printed: unknown = typeof wire === "string" ? wire : JSON.parse(dialect.print(wire));
  assert(dialect.claims(printed), `${dialect.name} does not claim what it wrote: ${JSON.stringify(printed)}`);
  const reading = dialect.read(printed);
  assert(reading.kind === "outcome", `${dialect.name} cannot read what it wrote: ${JSON.stringify(reading)}`);
  const back = withoutNew(reading.outcome, outcome, dialect.name);
  assertEqual(without(back, lost), without(outcome, lost), `${dialect.name} changes the outcome and does not say so`);
  const broken = dialect.validate(printed).filter(({ level }) => level !== "advice");
  assert(broken.length === 0, `${dialect.name} breaks its own rules: ${JSON.stringify(broken)}`);
}

/** Where an origin names the tool or the helper, a dialect may say so in words of its own. */
function withoutNew(back: Outcome, outcome: Outcome, dialect: string): Outcome {
  const { [dialect]: own, ...extra } = back.meta.extra ?? {};
  const isNew = own !== undefined && outcome.meta.extra?.[dialect] === undefined;
  if (outcome.meta.source === undefined || !isNew) return back;
  const { extra: _, ...meta } = back.meta;
  return { ...back, meta: Object.keys(extra).length === 0 ? meta : { ...meta, extra } };
}

/** Reading and writing the same dialect reproduces the document. */
export function assertReproduces(dialect: Dialect, document: unknown): void {
  const reading = dialect.read(document);
  assert(reading.kind === "outcome", `${dialect.name} cannot read the document: ${JSON.stringify(reading)}`);
  const { wire, lost } = dialect.write(reading.outcome, { layout: reading.layout });
  assertEqual(wire, document, `${dialect.name} does not reproduce the document`);
  assertEqual(lost, [], `${dialect.name} loses something of its own document`);
}

/** Going to another dialect and back restores everything that was not reported as lost on the way. */
export function assertRestores(from: Dialect, by: Dialect, document: unknown): void {
  const start = from.read(document);
  assert(start.kind === "outcome", `${from.name} cannot read the document: ${JSON.stringify(start)}`);
  const there = by.write(start.outcome);
  const arrived = by.read(JSON.parse(JSON.stringify(there.wire)));
  assert(arrived.kind === "outcome", `${by.name} cannot read what it wrote: ${JSON.stringify(arrived)}`);
  const repeated = extraPlaces(start.outcome).filter(([, value]) => repeatsData(value, start.outcome));
  const lost = [...there.lost, ...repeated.map(([path]) => ({ path, reason: "it repeats the data" }))];
  const what = `${from.name} → ${by.name} → ${from.name} changes something that was not reported`;
  assertEqual(without(withoutNew(arrived.outcome, start.outcome, by.name), lost), without(start.outcome, lost), what);
  const back = from.write(arrived.outcome);
  const end = from.read(JSON.parse(JSON.stringify(back.wire)));
  assert(end.kind === "outcome", `${from.name} cannot read what it wrote: ${JSON.stringify(end)}`);
  const gone = [...lost, ...back.lost];
  assertEqual(without(withoutNew(end.outcome, start.outcome, by.name), gone), without(start.outcome, gone), what);
}

function extraPlaces({ meta }: Outcome): [JsonPointer, unknown][] {
  return Object.entries(meta.extra ?? {}).flatMap(([name, tree]) => leaves(tree, pointerTo("meta", "extra", name)));
}

/** A copy without the lost places. A record that loses all its fields goes too. */
export function without(outcome: Outcome, lost: readonly Loss[]): unknown {
  const copy = JSON.parse(JSON.stringify(outcome)) as JsonRecord;
  for (const { path } of lost) remove(copy, pointerSegments(path));
  return copy;
}

function remove(record: JsonRecord, [key, ...rest]: readonly string[]): void {
  if (key === undefined || !Object.hasOwn(record, key)) return;
  const inner = record[key];
  if (rest.length === 0) delete record[key];
  else if (isRecord(inner)) {
    remove(inner, rest);
    if (Object.keys(inner).length === 0) delete record[key];
  }
}
