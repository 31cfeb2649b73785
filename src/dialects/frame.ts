import { callErrorData } from "../envelope/call-error.js";
import type { Outcome } from "../envelope/outcome.js";
import type { Warning } from "../envelope/warning.js";
import { messageOf, orElse } from "../json/attempt.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { printJson } from "../json/printable.js";
import { getAt, leaves, removeLeaf, setAll, setAt, subtract, unsetAll } from "../json/residue.js";
import { compact, isRecord, type JsonRecord, omit } from "../json/value.js";
import { type Carried, errorToCarry, isCarried, metaToCarry, readCarried, restore } from "./carried.js";
import type { Dialect, Layout, Loss, Reading, Violation, WriteOptions, Writing } from "./dialect.js";
import type { Draft, Grammar, Opened, OpenedBody } from "./grammar.js";
import { losses } from "./loss.js";

/** A dialect from its grammar, in the frame that makes the laws hold. */
export function defineDialect<Wire>(grammar: Grammar<Wire>): Dialect<Wire> {
  const { name, marker, schema, rules } = grammar;
  // Getters and proxies may throw: then there is no claim.
  const claims = (value: unknown) => orElse(() => grammar.claims(value), false);
  return {
    name,
    marker,
    schema,
    rules,
    claims,
    resembles: (value) => claims(value) || orElse(() => grammar.resembles?.(value) === true, false),
    read: (value) => (claims(value) ? readSafely(grammar, value) : { kind: "stranger" }),
    write: (outcome, options = {}) => writeOutcome(grammar, plain(outcome), options),
    validate: (value) =>
      safeguard(
        () => violationsOf(grammar, openWire(grammar, value)),
        (fault) => [fault],
      ),
    print: (wire) => grammar.print?.(wire) ?? printJson(wire),
  };
}

function openWire<Wire>(grammar: Grammar<Wire>, value: unknown): Opened {
  if (grammar.open !== undefined) return grammar.open(value);
  return { body: isRecord(value) ? value : {} };
}

function violationsOf<Wire>({ rules, check }: Grammar<Wire>, opened: Opened): Violation[] {
  const broken = "broken" in opened ? opened.broken : check(opened.body, opened.form);
  return broken.map(([rule, path, message]) => ({ path, message, rule, level: rules[rule]?.level ?? "violation" }));
}

function readSafely<Wire>(grammar: Grammar<Wire>, value: unknown): Reading {
  return safeguard<Reading>(
    () => readClaimed(grammar, value),
    (fault) => ({ kind: "malformed", issues: [fault] }),
  );
}

/** Looking at a hostile value may throw; then that is what is wrong with it. */
function safeguard<T>(look: () => T, answer: (fault: Violation) => T): T {
  try {
    return look();
  } catch (thrown) {
    const message = `looking at the value threw: ${messageOf(thrown)}`;
    return answer({ path: "", message, rule: "unreadable", level: "fatal" });
  }
}

function readClaimed<Wire>(grammar: Grammar<Wire>, value: unknown): Reading {
  const opened = openWire(grammar, value);
  const issues = violationsOf(grammar, opened);
  if ("broken" in opened) {
    return { kind: "malformed", issues, ...(opened.fallback !== undefined && { fallback: opened.fallback }) };
  }
  if (issues.some((issue) => issue.level === "fatal")) return { kind: "malformed", issues };
  const { outcome, layout } = readBody(grammar, opened);
  const notes = [...issues.filter(isViolation).map(note), ...(grammar.notes?.(outcome) ?? [])];
  return { kind: "outcome", outcome, notes, layout };
}

function readBody<Wire>(
  grammar: Grammar<Wire>,
  { body: whole, form, packed }: OpenedBody,
): { outcome: Outcome; layout: Layout } {
  const { meta, absentMeta, ...others } = readCarried(getAt(whole, grammar.carrier));
  const carried: Carried = grammar.carriesMeta ? compact({ ...others, meta, absentMeta }) : others;
  const added = (carried.added ?? []).filter((place) => grammar.fillable?.includes(place));
  const body = unsetAll(withoutCarrier(whole, grammar.carrier), added);
  const outcome = restore(grammar.fromBody(body, carried), carried);

  const known = { ...(form !== undefined && { form }), ...(carried.wrapped === true && { wrapped: true }) };
  const draft = grammar.toBody(outcome, { brief: true, layout: known });
  const filled = draft.added ?? [];
  const { set, unset: surplus } = subtract(body, unsetAll(draft.body, filled));
  const unset = [...surplus, ...filled.filter((place) => getAt(whole, place) === undefined)];
  const spelled = leaves(set).filter(([place, theirs]) =>
    grammar.isSpelling?.(place, theirs, getAt(draft.body, place)),
  );
  const extra = spelled.reduce((rest, [place]) => removeLeaf(rest, place), set);
  const layout = {
    ...known,
    ...(packed !== undefined && { packed }),
    ...(unset.length > 0 && { unset }),
    ...(spelled.length > 0 && { spelled: Object.fromEntries(spelled) }),
    ...(added.length > 0 && { added: Object.fromEntries(added.map((place) => [place, getAt(whole, place)])) }),
  };
  return { outcome: Object.keys(extra).length > 0 ? withExtra(outcome, grammar.name, extra) : outcome, layout };
}

/** Where the carrier was all that its record held, Plico made the record too. */
function withoutCarrier(whole: JsonRecord, carrier: JsonPointer): JsonRecord {
  return isCarried(getAt(whole, carrier)) ? removeLeaf(whole, carrier) : whole;
}

/** An error that was thrown says its message where no spread finds it. */
function plain(outcome: Outcome): Outcome {
  return outcome.ok || !(outcome.error instanceof Error)
    ? outcome
    : { ...outcome, error: callErrorData(outcome.error) };
}

function writeOutcome<Wire>(grammar: Grammar<Wire>, outcome: Outcome, options: WriteOptions): Writing<Wire> {
  const { layout = {} } = options;
  const draft = layOut(grammar.toBody(outcome, options), layout);
  const { body, lost } = fitExtra(grammar, outcome, draft, layout);
  return { wire: closeBody(grammar, body, layout), lost };
}

function closeBody<Wire>(grammar: Grammar<Wire>, body: JsonRecord, layout: Layout): Wire {
  return grammar.close?.(body, layout) ?? (body as Wire);
}

function ownExtra<Wire>(grammar: Grammar<Wire>, outcome: Outcome): JsonRecord {
  const own = outcome.meta.extra?.[grammar.name];
  if (!isRecord(own)) return {};
  return grammar.ownExtra?.(outcome, own) ?? own;
}

/** Gives a draft the layout of the document that the outcome was read from. */
function layOut(draft: Draft, { unset = [], added = {}, spelled = {} }: Layout): Draft {
  const filled = draft.added ?? [];
  const refilled = filled.filter((place) => Object.hasOwn(added, place)).map((place) => [place, added[place]] as const);
  return {
    ...draft,
    body: unsetAll(setAll(draft.body, [...refilled, ...Object.entries(spelled)]), unset),
    added: filled.filter((place) => !unset.includes(place)),
  };
}

/** Puts back the fields that only this dialect knows, but those that would damage the document or contradict it. */
function fitExtra<Wire>(grammar: Grammar<Wire>, outcome: Outcome, draft: Draft, layout: Layout): Finished {
  const fields = leaves(ownExtra(grammar, outcome)).filter(([place]) => place !== "");
  const plain = finish(grammar, outcome, draft);
  if (fields.length === 0) return plain;
  const fitting = fittingOf(fields, (kept) => {
    const finished = finish(grammar, outcome, withFields(draft, kept));
    return finished.lost.length <= plain.lost.length && isSound(grammar, closeBody(grammar, finished.body, layout));
  });
  const { body, lost } = finish(grammar, outcome, withFields(draft, [...fitting]));
  const dropped = fields.filter((field) => !fitting.has(field));
  return { body, lost: [...lost, ...dropped.map(([place]) => contradicts(grammar.name, place))] };
}

/** However many fields there are, no more than this is tried to tell those that fit from those that do not. */
const MOST_TRIES = 64;

function fittingOf(fields: Leaves, fits: (kept: Leaves) => boolean): Set<Leaves[number]> {
  const fitting = new Set<Leaves[number]>();
  let tries = 0;
  const add = (group: Leaves): void => {
    if (group.length === 0 || tries++ >= MOST_TRIES) return;
    if (orElse(() => fits([...fitting, ...group]), false)) for (const field of group) fitting.add(field);
    else if (group.length > 1) {
      const middle = group.length >> 1;
      add(group.slice(0, middle));
      add(group.slice(middle));
    }
  };
  add(fields);
  return fitting;
}

/** Whether a document can be read at all. */
function isSound<Wire>(grammar: Grammar<Wire>, wire: Wire): boolean {
  return grammar.claims(wire) && !violationsOf(grammar, openWire(grammar, wire)).some(({ level }) => level === "fatal");
}

function contradicts(name: string, place: JsonPointer): Loss {
  return { path: `${pointerTo("meta", "extra", name)}${place}`, reason: "it contradicts the rest" };
}

type Leaves = readonly (readonly [JsonPointer, unknown])[];

interface Finished {
  readonly body: JsonRecord;
  readonly lost: readonly Loss[];
}

function withFields(draft: Draft, fields: Leaves): Draft {
  const { body, added = [] } = draft;
  const isWithin = (place: JsonPointer) => fields.some(([other]) => other.startsWith(`${place}/`));
  const isSaid = (place: JsonPointer) => isWithin(place) || fields.some(([other]) => other === place);
  const emptied = added.filter(isWithin).map((place) => [place, {}] as const);
  return {
    ...draft,
    body: setAll(body, [...emptied, ...fields]),
    added: added.filter((place) => !isSaid(place)),
  };
}

/** Adds what has to be carried, and finds what is lost by reading the body back. */
function finish<Wire>(
  grammar: Grammar<Wire>,
  outcome: Outcome,
  { body, added = [], carried = {}, uncarried = [] }: Draft,
): Finished {
  const said = unsetAll(body, added);
  let known: Carried = carried;
  let native = grammar.fromBody(said, known);
  if (native.ok !== outcome.ok) {
    known = { ...known, ok: outcome.ok };
    native = grammar.fromBody(said, known);
  }
  const { wrapped = false, absent = [] } = known;
  const plain = restore(native, { wrapped, absent });
  const exact: Carried = {
    ...(added.length > 0 && { added }),
    ...known,
    ...(!plain.ok && !outcome.ok && errorToCarry(plain.error, outcome.error, absent)),
    ...(grammar.carriesMeta && metaToCarry(plain.meta, metaToKeep(outcome, grammar.name, uncarried), known.meta)),
  };
  // A tool's own field of that name stays: what would have been carried is lost instead.
  const place = getAt(body, grammar.carrier);
  const written = place === undefined || isCarried(place) ? exact : {};
  const wire = Object.keys(written).length === 0 ? body : setAt(body, grammar.carrier, written);
  return { body: wire, lost: losses(outcome, restore(native, written), grammar.name) };
}

function metaToKeep({ meta }: Outcome, name: string, uncarried: readonly string[]): Outcome["meta"] {
  const { [name]: own, ...foreign } = meta.extra ?? {};
  const rest = omit({ ...meta }, ["extra", ...uncarried]);
  return Object.keys(foreign).length === 0 ? rest : { ...rest, extra: foreign };
}

function withExtra(outcome: Outcome, name: string, fields: JsonRecord): Outcome {
  return { ...outcome, meta: { ...outcome.meta, extra: { ...outcome.meta.extra, [name]: fields } } };
}

function isViolation(violation: Violation): boolean {
  return violation.level === "violation";
}

function note({ path, message, rule }: Violation): Warning {
  return { code: "NONCONFORMING", message: `${rule}: ${message}`, path };
}
