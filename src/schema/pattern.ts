import { messageOf } from "../json/attempt.js";
import { told } from "../json/told.js";
import { createMatcher } from "./pattern-automaton.js";
import { searchSteps } from "./pattern-cost.js";
import { type PatternNode, readPattern } from "./pattern-syntax.js";

/** A regular expression whose cost is bounded. */
export interface Pattern {
  readonly source: string;
  /**
   * Whether it is found anywhere in the text. What cannot run on the linear matcher (back-references, look-around
   * elsewhere than after a leading `^`, counts of thousands) is not tried on a text for which it could take long: beyond
   * 10,000 characters, or 300 where the pattern is cubic, the answer is false, so that a check fails closed.
   */
  test(text: string): boolean;
}

/** A pattern of JSON Schema, or the reason why it cannot be used. */
export function compilePattern(source: string): Pattern | Fault {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const pattern = compile(source);
  if (cache.size >= MOST_CACHED) cache.delete(cache.keys().next().value ?? "");
  cache.set(source, pattern);
  return pattern;
}

/** The pattern on the matcher of linear time alone, for which there is no text too long. */
export function linearPattern(source: string): Pattern | Fault {
  const expression = readExpression(source);
  if ("fault" in expression) return expression;
  const linear = createMatcher(expression.tree, expression.native.unicode);
  return typeof linear === "string" ? unusable(source, linear) : { source, test: linear };
}

interface Fault {
  readonly fault: string;
}

const MOST_CACHED = 250;
const cache = new Map<string, Pattern | Fault>();

const MOST_CHARACTERS = 5_000;

/** The texts on which the engine may run: shorter ones where it is slower, and none shorter than an e-mail address. */
const NATIVE_LENGTHS = [10_000, 3_000, 1_000, 300];

/** The engine takes about a nanosecond for a step. */
const NATIVE_STEPS = 100_000_000;

function compile(source: string): Pattern | Fault {
  const expression = readExpression(source);
  if ("fault" in expression) return expression;
  const { native, tree } = expression;
  const linear = createMatcher(tree, native.unicode);
  const most = NATIVE_LENGTHS.find((length) => searchSteps(tree, length) <= NATIVE_STEPS) ?? -1;
  const isShort = (text: string) => text.length <= most;
  if (typeof linear !== "string") {
    return { source, test: (text) => (isShort(text) ? native.test(text) : linear(text)) };
  }
  if (most < 0) return unusable(source, `${linear}, and it could take too long otherwise`);
  return { source, test: (text) => isShort(text) && native.test(text) };
}

interface Expression {
  readonly native: RegExp;
  readonly tree: PatternNode;
}

function readExpression(source: string): Expression | Fault {
  if (source.length > MOST_CHARACTERS) {
    return unusable(source, `it has ${source.length} characters, more than ${MOST_CHARACTERS}`);
  }
  const native = nativeExpression(source);
  if (typeof native === "string") return unusable(source, `the engine refuses it (${native})`);
  const tree = readPattern(source, native.unicode);
  return typeof tree === "string" ? unusable(source, tree) : { native, tree };
}

function nativeExpression(source: string): RegExp | string {
  try {
    return new RegExp(source, "u");
  } catch {
    return withoutUnicode(source);
  }
}

function withoutUnicode(source: string): RegExp | string {
  try {
    return new RegExp(source);
  } catch (thrown) {
    return messageOf(thrown).slice(-100);
  }
}

function unusable(source: string, why: string): Fault {
  return { fault: `The pattern ${told(source)} cannot be used: ${why}. ${ADVICE}` };
}

const ADVICE =
  "Write a shorter regular expression of ECMA-262 without inline flags, or leave the pattern out and check elsewhere.";
