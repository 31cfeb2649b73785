import { relative } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import type { Issue } from "../../json/issue.js";
import type { JsonPointer } from "../../json/pointer.js";
import { dotted } from "./config-path.js";
import { type JsoncFault, type JsoncPlaces, jsoncPlaces, type Place, placeOf } from "./jsonc.js";

export interface InvalidConfig {
  readonly file: string;
  readonly cwd: string;
  readonly text: string;
  readonly issues?: readonly Issue[];
  /** Why the text is no JSON. */
  readonly fault?: JsoncFault;
}

/** The error that names every fault with its line. */
export function configInvalid({ file, cwd, text, issues = [], fault }: InvalidConfig): CallError {
  const name = shownPath(file, cwd);
  const faults = fault === undefined ? issuesInOrder(issues, text) : [faultOf(fault, text)];
  const lines = faults.map(({ place: { line, column }, message }) => `${name}:${line}:${column}: ${message}`);
  const message =
    lines.length === 1 ? (lines[0] ?? "") : `${name} has ${lines.length} faults:\n  ${lines.join("\n  ")}`;
  return new CallError({
    category: "validation",
    code: "CONFIG_INVALID",
    message,
    issues: faults.map(({ path, message: what, place }) => ({ path, message: `${what} (line ${place.line})` })),
  });
}

/** As people type it: from where they are, unless it is elsewhere. */
export function shownPath(file: string, cwd: string): string {
  const way = relative(cwd, file);
  return way === "" || way.startsWith("..") ? file : way;
}

interface PlacedFault {
  readonly place: Place;
  readonly path: JsonPointer;
  readonly message: string;
}

function faultOf({ message, at }: JsoncFault, text: string): PlacedFault {
  return { place: placeOf(text, at), path: "", message };
}

function issuesInOrder(issues: readonly Issue[], text: string): readonly PlacedFault[] {
  const places = jsoncPlaces(text);
  return issues
    .map(({ path, message, rule }) => ({ at: offsetOf(path, rule, places), path, message }))
    .sort((a, b) => a.at - b.at)
    .map(({ at, path, message }) => ({
      place: placeOf(text, at),
      path,
      message: path === "" ? `it ${message}` : `${dotted(path)} ${message}`,
    }));
}

/** Rules that speak of the name of a value, and not of the value. */
const OF_NAMES = new Set(["additionalProperties", "config", "kind"]);

/** What is not there is missing in what is around it. */
function offsetOf(path: JsonPointer, rule: string | undefined, { values, keys }: JsoncPlaces): number {
  const key = keys.get(path);
  if (key !== undefined && OF_NAMES.has(rule ?? "")) return key;
  for (let at = path; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const found = values.get(at);
    if (found !== undefined) return found;
    if (at === "") return 0;
  }
}
