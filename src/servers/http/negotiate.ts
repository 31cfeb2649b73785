import { dialectNamed } from "../../dialects/all.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { type AcceptedType, parseAccept } from "./accept.js";
import { bareData, type Format, inDialect, problem, standard, wholeEnvelope } from "./printing.js";

/** What a client wants to be answered in. */
export interface Wanted {
  readonly format: Format;
  /** Whether it takes server-sent events; `first` where it would rather have them than one document. */
  readonly stream: "no" | "accepted" | "first";
  /** Whether it takes one document. */
  readonly takesDocument: boolean;
  /** One document is all that it wants of a call. */
  readonly isPlain: boolean;
}

/** For whoever takes everything, and whoever wants JSON of no special kind. */
const ANYTHING: Wanted = { format: standard, stream: "accepted", takesDocument: true, isPlain: true };
export const PLAIN: Wanted = { ...ANYTHING, stream: "no" };

const KNOWN = new Map<string, Wanted | undefined>();
const MOST_KNOWN = 200;

/** `undefined` where nothing that a client accepts can be given. */
export function wantedBy(accept: string | undefined): Wanted | undefined {
  if (accept === undefined || accept === "*/*") return ANYTHING;
  if (accept === "application/json") return PLAIN;
  if (KNOWN.has(accept)) return KNOWN.get(accept);
  const wanted = negotiated(parseAccept(accept));
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
  KNOWN.set(accept, wanted);
  return wanted;
}

/** For people who have asked for what there is not. */
export const OFFERED: readonly string[] = [
  "application/json",
  "application/json;profile=data",
  "application/problem+json",
  "application/vnd.plico.<dialect>+json",
  "text/event-stream",
];

function negotiated(accepted: readonly AcceptedType[]): Wanted | undefined {
  const usable = accepted.filter(({ q }) => q > 0);
  const formats = usable.map(formatOf);
  const ofSuccess = formats.find((format) => format !== undefined && format !== problem);
  const hasProblem = formats.includes(problem);
  const stream = streamIn(usable, formats);
  if (ofSuccess === undefined && !hasProblem && stream === "no") return undefined;
  const success = ofSuccess ?? standard;
  const format: Format = hasProblem ? (outcome) => (outcome.ok ? success(outcome) : problem(outcome)) : success;
  const takesDocument = ofSuccess !== undefined || hasProblem;
  return { format, stream, takesDocument, isPlain: takesDocument && stream !== "first" };
}

function formatOf({ type, subtype, parameters }: AcceptedType): Format | undefined {
  if (type === "*") return standard;
  if (type !== "application") return undefined;
  if (subtype === "*") return standard;
  if (subtype === "json") return parameters["profile"] === "data" ? bareData : standard;
  if (subtype === "problem+json") return problem;
  const [, name = ""] = /^vnd\.plico\.([\w-]+)\+json$/.exec(subtype) ?? [];
  const dialect = dialectNamed(name);
  if (dialect === undefined) return undefined;
  return dialect === responseEnvelope ? wholeEnvelope : inDialect(dialect, `application/${subtype}`);
}

function streamIn(usable: readonly AcceptedType[], formats: readonly (Format | undefined)[]): Wanted["stream"] {
  const events = usable.findIndex(({ type, subtype }) => type === "text" && subtype === "event-stream");
  const document = formats.findIndex((format) => format !== undefined);
  if (events >= 0) return document < 0 || events < document ? "first" : "accepted";
  return usable.some(({ type, subtype }) => type === "*" || (type === "text" && subtype === "*")) ? "accepted" : "no";
}
