import { orElse } from "../../json/attempt.js";
import { compact, type JsonRecord } from "../../json/value.js";
import type { Identity } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { nearestOf } from "../../registry/refusals.js";
import { inputTextsOf } from "../../servers/input-texts.js";
import type { Catalog } from "./catalog.js";

export interface Search {
  readonly query: string;
  readonly source: string | undefined;
  readonly limit: number;
  readonly identity: Identity | undefined;
}

const DESCRIPTION_LENGTH = 160;
const MOST_FIELDS = 12;

/** The best matches; the sources where nothing is asked for, or nothing was found. */
export function searchAnswer(catalog: Catalog, { query, source, limit, identity }: Search): JsonRecord {
  const shown = catalog.shownTo(identity);
  const isOf = ({ namespace }: OperationSpec): boolean => source === undefined || namespace === source;
  if (query.trim() === "" && source === undefined) return { sources: sourcesOf(shown) };
  const found = (query.trim() === "" ? shown : catalog.search(query, identity)).filter(isOf);
  if (found.length === 0) return { operations: [], hint: hintFor(shown, source), sources: sourcesOf(shown) };
  const operations = found.slice(0, limit).map(matchOf);
  return compact({ operations, more: found.length > limit ? found.length - limit : undefined });
}

function sourcesOf(specs: readonly OperationSpec[]): readonly JsonRecord[] {
  const counts = new Map<string, number>();
  for (const { namespace } of specs) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  return [...counts].map(([source, operations]) => ({ source, operations }));
}

function hintFor(shown: readonly OperationSpec[], source: string | undefined): string {
  const names = new Set(shown.map(({ namespace }) => namespace));
  if (source === undefined || names.has(source)) return "Nothing was found. Try other words, or look into a source.";
  const nearest = nearestOf(source, names);
  return `There is no source ${JSON.stringify(source)}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
}

function matchOf(spec: OperationSpec): JsonRecord {
  return compact({
    id: operationIdOf(spec),
    type: spec.type,
    description: shortened(spec.description === "" ? (spec.title ?? "") : spec.description),
    input: fieldsOf(spec),
    destructive: spec.annotations?.destructive === true ? true : undefined,
  });
}

/** The names of what it takes; those that may be left out end in `?`. Often that is enough to call it. */
function fieldsOf(spec: OperationSpec): readonly string[] | undefined {
  const fields = orElse(() => inputTextsOf(spec).fields, []);
  const required = [...fields].sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
  const names = required.slice(0, MOST_FIELDS).map(({ name, isRequired }) => (isRequired ? name : `${name}?`));
  if (names.length === 0) return undefined;
  return fields.length > MOST_FIELDS ? [...names, "…"] : names;
}

/** The first sentence, if that is short enough. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const [sentence = line] = /^.*?[.!?](?=\s|$)/u.exec(line) ?? [];
  if (sentence.length <= DESCRIPTION_LENGTH) return sentence;
  return `${sentence.slice(0, DESCRIPTION_LENGTH).replace(/\s\S*$/, "")}…`;
}
