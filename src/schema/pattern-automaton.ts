import { type CharacterSet, namedRanges } from "./pattern-characters.js";
import type { PatternAnchor, PatternNode } from "./pattern-syntax.js";

/** Whether a pattern is found anywhere in the text. */
export type Matcher = (text: string) => boolean;

/**
 * A matcher whose time grows with the length of the text times the size of the pattern and no faster; a string says
 * why there is none. It gives a text up, as not matching, after fifty million steps.
 */
export function createMatcher(tree: PatternNode, unicode: boolean): Matcher | string {
  const { looks, rest } = splitLooks(tree);
  const states: State[] = [{ kind: "found" }];
  /** Answers undefined where it gives up, which satisfies no condition, not even a negative one. */
  const automaton = (part: PatternNode) => {
    const start = build(states, part, 0);
    return (text: string) => search({ states, start, unicode }, text);
  };
  try {
    const conditions = looks.map(({ body, negative }) => ({ negative, holds: automaton(anchored([body])) }));
    const matches = automaton(rest);
    return (text) => matches(text) === true && conditions.every(({ negative, holds }) => holds(text) === !negative);
  } catch (thrown) {
    if (thrown instanceof Unbuildable) return thrown.message;
    throw thrown;
  }
}

type Look = Extract<PatternNode, { readonly kind: "look" }>;

/** Looking ahead from the start of the text, as many patterns do, is a pattern of its own. */
function splitLooks(tree: PatternNode): { readonly looks: readonly Look[]; readonly rest: PatternNode } {
  if (tree.kind !== "sequence" || !isStart(tree.items[0])) return { looks: [], rest: tree };
  const items = tree.items.slice(1);
  const count = items.findIndex((item) => item.kind !== "look" || item.behind);
  const looks = items.slice(0, count < 0 ? items.length : count);
  return { looks: looks as Look[], rest: anchored(items.slice(looks.length)) };
}

function isStart(node: PatternNode | undefined): boolean {
  return node?.kind === "anchor" && node.anchor === "start";
}

function anchored(items: readonly PatternNode[]): PatternNode {
  return { kind: "sequence", items: [{ kind: "anchor", anchor: "start" }, ...items] };
}

type State =
  | { readonly kind: "found" }
  | { readonly kind: "characters"; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: "anchor"; readonly anchor: PatternAnchor; readonly next: number }
  | { readonly kind: "fork"; readonly next: number[] };

class Unbuildable extends Error {}

const MOST_STATES = 5_000;
const MOST_STEPS = 50_000_000;

function add(states: State[], state: State): number {
  if (states.length >= MOST_STATES) throw new Unbuildable("its counted repetitions are too large");
  return states.push(state) - 1;
}

/** Builds from the end to the beginning: `next` is where the match goes on, the answer where it begins. */
function build(states: State[], node: PatternNode, next: number): number {
  switch (node.kind) {
    case "characters":
      return add(states, { kind: "characters", set: node.set, next });
    case "anchor":
      return add(states, { kind: "anchor", anchor: node.anchor, next });
    case "sequence":
      return node.items.reduceRight((rest, item) => build(states, item, rest), next);
    case "choice":
      return add(states, { kind: "fork", next: node.options.map((option) => build(states, option, next)) });
    case "repeat":
      return buildRepeat(states, node, next);
    default:
      throw new Unbuildable("it refers back, or looks around elsewhere than at the start");
  }
}

type Repeat = Extract<PatternNode, { readonly kind: "repeat" }>;

function buildRepeat(states: State[], { body, least, most }: Repeat, next: number): number {
  let entry = most === Number.POSITIVE_INFINITY ? buildLoop(states, body, next) : next;
  if (most !== Number.POSITIVE_INFINITY) {
    for (let count = least; count < most; count += 1) {
      entry = add(states, { kind: "fork", next: [build(states, body, entry), next] });
    }
  }
  for (let count = 0; count < least; count += 1) entry = build(states, body, entry);
  return entry;
}

function buildLoop(states: State[], body: PatternNode, next: number): number {
  const ways = [next];
  const loop = add(states, { kind: "fork", next: ways });
  ways.push(build(states, body, loop));
  return loop;
}

interface Machine {
  readonly states: readonly State[];
  readonly start: number;
  readonly unicode: boolean;
}

/** The two characters around a place in the text; -1 where there is none. */
interface Place {
  before: number;
  after: number;
}

function search({ states, start, unicode }: Machine, text: string): boolean | undefined {
  const visited = new Int32Array(states.length).fill(-1);
  const place: Place = { before: -1, after: -1 };
  let entered: number[] = [];
  let steps = 0;
  for (let position = 0; steps < MOST_STEPS; position += place.after > 0xffff ? 2 : 1) {
    place.before = place.after;
    place.after = codeAt(text, position, unicode);
    entered.push(start);
    const left: number[] = [];
    for (let index = entered.pop(); index !== undefined; index = entered.pop()) {
      steps += 1;
      if (visited[index] === position) continue;
      visited[index] = position;
      const state = states[index] as State;
      if (state.kind === "found") return true;
      if (state.kind === "fork") entered.push(...state.next);
      else if (state.kind === "anchor" && holds(state.anchor, place)) entered.push(state.next);
      else if (state.kind === "characters" && state.set.has(place.after)) left.push(state.next);
    }
    if (place.after < 0) return false;
    entered = left;
  }
  return undefined;
}

function codeAt(text: string, position: number, unicode: boolean): number {
  if (position >= text.length) return -1;
  return (unicode ? text.codePointAt(position) : text.charCodeAt(position)) ?? -1;
}

function holds(anchor: PatternAnchor, { before, after }: Place): boolean {
  if (anchor === "start") return before < 0;
  if (anchor === "end") return after < 0;
  return (isWord(before) !== isWord(after)) === (anchor === "boundary");
}

const WORD = namedRanges("w") ?? [];

function isWord(code: number): boolean {
  return WORD.some(([first, last]) => first <= code && code <= last);
}
