import type { Issue } from "../../../json/issue.js";
import { ownValue } from "../own-value.js";
import { encodeFixedQuery, encodeLiteral, percentEncode } from "../percent-encode.js";
import type { PlannedParameter } from "../plan.js";
import { documentOf } from "./plain-text.js";
import { issueFrom, missing, Refusal } from "./refusal.js";
import { expand } from "./serialise-parameter.js";

/** A path with places, taken apart once for all calls. */
export interface PathTemplate {
  readonly segments: readonly (readonly Piece[])[];
  /** Some documents have a query in their paths, against the specification. */
  readonly query: readonly Piece[];
}

/** A fixed text, encoded, or what is to be filled in. */
type Piece = string | PlannedParameter;

// A fragment is never sent: documents use it to tell operations apart that have the same path.
const PATH_AND_QUERY = /^((?:\{[^{}]+\}|[^?#])*)(?:\?((?:\{[^{}]+\}|[^#])*))?/;

export function parsePath(path: string, parameters: readonly PlannedParameter[]): PathTemplate {
  const [, own = "", query = ""] = PATH_AND_QUERY.exec(path.replaceAll(/\p{Surrogate}/gu, "\ufffd")) ?? [];
  const places = new Map(parameters.filter(isOfPath).map((parameter) => [parameter.name, parameter]));
  return {
    segments: segmentsOf(piecesOf(own.startsWith("/") ? own : `/${own}`, places, encodeLiteral)),
    query: piecesOf(query, places, encodeFixedQuery),
  };
}

function isOfPath(parameter: PlannedParameter): boolean {
  return parameter.in === "path";
}

function piecesOf(
  text: string,
  places: ReadonlyMap<string, PlannedParameter>,
  encode: (literal: string) => string,
): Piece[] {
  // Every second piece is a place: so does `split` with a group.
  return text
    .split(/\{([^{}]+)\}/)
    .map((piece, at) => (at % 2 === 1 ? placeOf(piece, places) : encode(piece)))
    .filter((piece) => piece !== "");
}

/** A place that the document has no parameter for is filled all the same: the path is wrong without it. */
function placeOf(name: string, places: ReadonlyMap<string, PlannedParameter>): PlannedParameter {
  return places.get(name) ?? { key: name, name, in: "path", style: "simple", explode: false, allowReserved: false };
}

function segmentsOf(pieces: readonly Piece[]): Piece[][] {
  const segments: Piece[][] = [];
  for (const piece of pieces) {
    const [same = "", ...next] = typeof piece === "string" ? piece.split("/") : [piece];
    if (same !== "") segments.at(-1)?.push(same);
    segments.push(...next.map((text) => (text === "" ? [] : [text])));
  }
  return segments;
}

/** No value can leave its segment, and none can make a segment that means another place. */
export function fillPath(
  { segments }: PathTemplate,
  input: Readonly<Record<string, unknown>>,
  issues: Issue[],
): string {
  let path = "";
  for (const segment of segments) path += `/${fillSegment(segment, input, issues)}`;
  return path;
}

// Servers and proxies that decode twice, or before they look for dots, see them in these forms too.
const DOTS = /^(?:\.|%(?:25)*2e){1,2}$/i;

function fillSegment(segment: readonly Piece[], input: Readonly<Record<string, unknown>>, issues: Issue[]): string {
  const known = issues.length;
  const text = fillPieces(segment, input, issues);
  const first = segment.find((piece) => typeof piece !== "string");
  if (first === undefined || issues.length > known) return text;
  if (text === "")
    issues.push(issueFrom(new Refusal("minLength", "must not be empty: the path needs it"), [first.key]));
  if (DOTS.test(text)) issues.push(issueFrom(new Refusal("pattern", "must not be a step of a path"), [first.key]));
  return text;
}

export function fillPieces(
  pieces: readonly Piece[],
  input: Readonly<Record<string, unknown>>,
  issues: Issue[],
): string {
  let text = "";
  for (const piece of pieces) text += typeof piece === "string" ? piece : fillPlace(piece, input, issues);
  return text;
}

function fillPlace(parameter: PlannedParameter, input: Readonly<Record<string, unknown>>, issues: Issue[]): string {
  try {
    const value = ownValue(input, parameter.key);
    if (value === undefined) throw missing();
    const { name, style, explode, mediaType } = parameter;
    if (mediaType !== undefined) return percentEncode(documentOf(value, mediaType));
    return expand(name, value, { style, explode, encode: percentEncode }) ?? "";
  } catch (thrown) {
    issues.push(issueFrom(thrown, [parameter.key]));
    return "";
  }
}
