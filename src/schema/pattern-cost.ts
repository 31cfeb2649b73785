import { type CharacterSet, setsOverlap } from "./pattern-characters.js";
import type { PatternNode } from "./pattern-syntax.js";

/**
 * An upper bound of the steps in which a backtracking engine searches a text of a length; infinite where none is proved.
 *
 * A part is traced when the next character alone decides where to go on (the strong one-unambiguity of Brüggemann-Klein
 * and Wood): it has one path through a text and at most one exit per character. The ways through the parts of a
 * sequence multiply, so two untraced neighbours are quadratic, three cubic, and an untraced loop has no bound.
 */
export function searchSteps(tree: PatternNode, length: number): number {
  const part = partOf(tree, { length, effort: MOST_EFFORT });
  if (part === undefined) return Number.POSITIVE_INFINITY;
  return isAnchored(tree) ? part.cost + length : part.cost * (length + 1);
}

/** Keeps the analysis of a hostile pattern short. */
const MOST_EFFORT = 30_000;

/** Exact counts up to this one are written out, which lets a loop around them be traced. */
const MOST_COPIES = 32;

interface Analysis {
  readonly length: number;
  effort: number;
}

interface Part {
  /** In how many ways it can match from one place. */
  readonly ways: number;
  readonly cost: number;
  readonly trace?: Trace;
}

interface Trace {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly nullable: boolean;
  readonly shortest: number;
  readonly longest: number;
  /** The most choices at one character. */
  readonly fanout: number;
  /** What anchors and looking around cost before the first character, and at each. */
  readonly opening: number;
  readonly looking: number;
}

/** One occurrence of a character in the pattern, and those that may come next. */
interface Position {
  readonly set: CharacterSet;
  readonly followers: Position[];
}

function isAnchored(node: PatternNode): boolean {
  if (node.kind === "sequence") return node.items[0] !== undefined && isAnchored(node.items[0]);
  if (node.kind === "choice") return node.options.every(isAnchored);
  return node.kind === "anchor" && node.anchor === "start";
}

function partOf(node: PatternNode, analysis: Analysis): Part | undefined {
  analysis.effort -= 1;
  if (analysis.effort < 0) return undefined;
  switch (node.kind) {
    case "characters":
      return traced(traceOf({ set: node.set, followers: [] }), analysis);
    case "anchor":
      return traced({ ...NO_CHARACTERS, opening: 1 }, analysis);
    case "sequence":
      return sequencePart(node.items, analysis);
    case "choice":
      return choicePart(node.options, analysis);
    case "repeat":
      return repeatPart(node, analysis);
    case "look": {
      const body = partOf(node.body, analysis);
      return body && traced({ ...NO_CHARACTERS, opening: body.cost }, analysis);
    }
    case "backreference":
      return { ways: 1, cost: analysis.length };
  }
}

const NO_CHARACTERS: Trace = {
  first: [],
  last: [],
  nullable: true,
  shortest: 0,
  longest: 0,
  fanout: 1,
  opening: 0,
  looking: 0,
};

function traceOf(position: Position): Trace {
  const [first, last] = [[position], [position]];
  return { ...NO_CHARACTERS, first, last, nullable: false, shortest: 1, longest: 1 };
}

function traced(trace: Trace, { length }: Analysis): Part {
  const { longest, shortest, fanout, opening, looking } = trace;
  const places = Math.min(longest, length) + 1;
  return { ways: Math.min(longest - shortest, length) + 1, cost: opening + places * (fanout + looking), trace };
}

function sequencePart(items: readonly PatternNode[], analysis: Analysis): Part | undefined {
  let before: Part = { ways: 1, cost: 0 };
  let current: Part = traced(NO_CHARACTERS, analysis);
  let isWhole = true;
  for (const item of items) {
    const part = partOf(item, analysis);
    if (part === undefined) return undefined;
    const trace = current.trace && part.trace && joined(current.trace, part.trace, analysis);
    if (trace === undefined) {
      before = followedBy(before, current);
      isWhole = false;
    }
    current = trace === undefined ? part : traced(trace, analysis);
  }
  return isWhole ? current : followedBy(before, current);
}

function followedBy(before: Part, part: Part): Part {
  return { ways: before.ways * part.ways, cost: before.cost + before.ways * part.cost };
}

function joined(one: Trace, other: Trace, analysis: Analysis): Trace | undefined {
  if (one.nullable && overlap(one.first, other.first, analysis)) return undefined;
  const fanout = linked(one.last, other.first, analysis);
  if (fanout === undefined) return undefined;
  const first = one.nullable ? [...one.first, ...other.first] : one.first;
  const isOpening = one.longest === 0;
  return {
    first,
    last: other.nullable ? [...one.last, ...other.last] : other.last,
    nullable: one.nullable && other.nullable,
    shortest: one.shortest + other.shortest,
    longest: one.longest + other.longest,
    fanout: Math.max(one.fanout, other.fanout, fanout, first.length + 1),
    opening: isOpening ? one.opening + other.opening : one.opening,
    looking: one.looking + other.looking + (isOpening ? 0 : other.opening),
  };
}

/** Lets the positions follow each other and gives the fanout; undefined where a character would not decide. */
function linked(last: readonly Position[], first: readonly Position[], analysis: Analysis): number | undefined {
  if (last.some(({ followers }) => overlap(followers, first, analysis))) return undefined;
  let fanout = 1;
  for (const { followers } of last) {
    analysis.effort -= first.length;
    if (analysis.effort < 0) return undefined;
    followers.push(...first);
    fanout = Math.max(fanout, followers.length + 1);
  }
  return fanout;
}

function overlap(some: readonly Position[], others: readonly Position[], analysis: Analysis): boolean {
  return some.some((one) =>
    others.some((other) => {
      analysis.effort -= one.set.ranges.length + other.set.ranges.length;
      return analysis.effort < 0 || setsOverlap(one.set, other.set);
    }),
  );
}

function choicePart(options: readonly PatternNode[], analysis: Analysis): Part | undefined {
  let sum: Part | undefined;
  for (const option of options) {
    const part = partOf(option, analysis);
    if (part === undefined) return undefined;
    sum = sum === undefined ? part : either(sum, part, analysis);
  }
  return sum;
}

function either(one: Part, other: Part, analysis: Analysis): Part {
  const trace = one.trace && other.trace && chosen(one.trace, other.trace, analysis);
  return trace ? traced(trace, analysis) : { ways: one.ways + other.ways, cost: one.cost + other.cost };
}

function chosen(one: Trace, other: Trace, analysis: Analysis): Trace | undefined {
  if ((one.nullable && other.nullable) || overlap(one.first, other.first, analysis)) return undefined;
  const first = [...one.first, ...other.first];
  return {
    first,
    last: [...one.last, ...other.last],
    nullable: one.nullable || other.nullable,
    shortest: Math.min(one.shortest, other.shortest),
    longest: Math.max(one.longest, other.longest),
    fanout: Math.max(one.fanout, other.fanout, first.length + 1),
    opening: one.opening + other.opening,
    looking: one.looking + other.looking,
  };
}

type Repeat = Extract<PatternNode, { readonly kind: "repeat" }>;

function repeatPart({ body, least, most }: Repeat, analysis: Analysis): Part | undefined {
  if (least === most && most <= MOST_COPIES) return sequencePart(Array(most).fill(body), analysis);
  const part = partOf(body, analysis);
  if (part === undefined) return undefined;
  const trace = part.trace && repeated(part.trace, { least, most }, analysis);
  if (trace !== undefined) return traced(trace, analysis);
  if (most === Number.POSITIVE_INFINITY) return undefined;
  const ways = part.ways ** most * (most - least + 1);
  return { ways, cost: ways * part.cost * most };
}

function repeated(
  body: Trace,
  { least, most }: { readonly least: number; readonly most: number },
  analysis: Analysis,
): Trace | undefined {
  // A body that can be empty can be so in any of its turns: that many ways through the same text.
  if (body.nullable) return undefined;
  const fanout = most === 1 ? 1 : linked(body.last, body.first, analysis);
  if (fanout === undefined) return undefined;
  return {
    ...body,
    nullable: least === 0,
    shortest: body.shortest * least,
    longest: body.longest * most,
    fanout: Math.max(body.fanout, fanout, body.first.length + 1),
    opening: most === 1 ? body.opening : 0,
    looking: most === 1 ? body.looking : body.opening + body.looking,
  };
}
