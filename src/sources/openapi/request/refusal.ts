import { CallError } from "../../../envelope/call-error.js";
import type { Issue } from "../../../json/issue.js";
import { pointerTo } from "../../../json/pointer.js";

type Place = readonly (string | number)[];

/** Why a value cannot be sent. The message goes on after the place of the value. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly rule: string;
  /** Inside the value; the value itself where it is empty. */
  readonly place: Place;

  constructor(rule: string, message: string, place: Place = []) {
    super(message);
    this.rule = rule;
    this.place = place;
  }
}

/** Whatever a value has made us throw, said of its place in the input. The words of a stranger's exception stay out. */
export function issueFrom(thrown: unknown, place: Place): Issue {
  if (thrown instanceof Refusal)
    return { path: pointerTo(...place, ...thrown.place), message: thrown.message, rule: thrown.rule };
  if (thrown instanceof URIError) return issueFrom(halfCharacter(), place);
  const message = "must be readable data: no cycle, no endless nesting, nothing that throws";
  return { path: pointerTo(...place), message, rule: "readable" };
}

/** UTF-8 has no bytes for a surrogate without its other half. */
export function halfCharacter(): Refusal {
  return new Refusal("encoding", "must be well-formed text: it has half of a surrogate pair");
}

/** Such a list would be read as a longer one. */
export function ambiguous(style: string): Refusal {
  return new Refusal("style", `must not have a member with the character that separates the members (${style})`);
}

export function missing(): Refusal {
  return new Refusal("required", "is missing");
}

/** One issue a field: the first that was found. */
export function invalidRequest(found: readonly Issue[]): CallError {
  const issues = found.filter(({ path }, at) => found.findIndex((other) => other.path === path) === at);
  const [first] = issues;
  const what = first === undefined ? "" : `: ${first.path === "" ? "it" : first.path} ${first.message}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new CallError({ category: "validation", message: `The input cannot be sent${what}${more}.`, issues });
}
