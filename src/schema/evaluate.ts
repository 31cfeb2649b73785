import type { Issue } from "../json/issue.js";
import type { JsonPointer } from "../json/pointer.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import * as say from "./issue-messages.js";
import { type CountedIssue, fail, inside, type Report, Sink } from "./issue-report.js";
import { type Graph, isComposed, type Node, type Resource } from "./node.js";
import { checkOwn, checkType, hasField } from "./own-rules.js";

/** How deep a value may go into schemas that contain themselves. Both ways of checking count alike. */
export const MAX_RECURSION = 200;

/** Alternatives within more alternatives than this are only said not to match: each level would multiply the work. */
const MAX_TOLD_ALTERNATIVES = 3;

/** How deep the check of a value is, in schemas that contain themselves. The walk and generated code share it. */
export interface Depth {
  now: number;
  /** The value is deeper than is looked at, so that nothing can be said of it. */
  isExceeded: boolean;
}

/** Checks values against a graph by walking it: all of JSON Schema, where no code may be generated, and for issues. */
export class Evaluator {
  readonly depth: Depth = { now: 0, isExceeded: false };
  /** Whether depth and memory matter at all. */
  readonly isRecursive: boolean;
  readonly #mayBeTooDeep: boolean;
  readonly #graph: Graph;
  readonly #isDynamic: boolean;
  #scope: Resource[] = [];
  /** What is known of a value in this run, by recursive node: alternatives within alternatives would ask again and again. */
  #known = new Map<Node, Map<object, boolean>>();
  #alternatives = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.isRecursive = graph.isRecursive;
    this.#isDynamic = graph.dynamicAnchors.size > 0;
    this.#mayBeTooDeep = graph.isRecursive || this.#isDynamic || graph.parents > MAX_RECURSION;
  }

  /** For a check in generated code, which does not come through here. */
  begin(): void {
    this.depth.now = 0;
    this.depth.isExceeded = false;
    if (this.#known.size > 0) this.#known = new Map();
  }

  accepts(node: Node, value: unknown): boolean {
    return this.#start(() => this.#evaluate(node, value, undefined, undefined));
  }

  /** Whether the value is nested deeper than is looked at. */
  isTooDeep(node: Node, value: unknown): boolean {
    if (!this.#mayBeTooDeep) return false;
    let isExceeded = true;
    this.#start(() => {
      this.#evaluate(node, value, undefined, undefined);
      isExceeded = this.depth.isExceeded;
      return true;
    });
    return isExceeded;
  }

  /** As `accepts`, within a check that is under way in generated code. */
  continues(node: Node, value: unknown): boolean {
    return this.#evaluate(node, value, undefined, undefined);
  }

  /** All that is wrong, one issue for each place. */
  issues(node: Node, value: unknown): Issue[] {
    return this.#collect(node, value, new Sink(false)).map(
      ({ path, message, rule }) => ({ path, message, rule }) as Issue,
    );
  }

  /** As `issues`, but the same fault in many items is one, with the number of times. */
  foldedIssues(node: Node, value: unknown): CountedIssue[] {
    return this.#collect(node, value, new Sink(true));
  }

  #collect(node: Node, value: unknown, sink: Sink): CountedIssue[] {
    let isExceeded = true;
    this.#start(() => {
      const valid = this.#evaluate(node, value, { sink, at: "" }, undefined);
      isExceeded = this.depth.isExceeded;
      return valid;
    });
    // What else was found follows from not having looked.
    return isExceeded ? [{ path: "", message: say.tooDeep(MAX_RECURSION), rule: "depth", count: 1 }] : sink.issues;
  }

  #start(run: () => boolean): boolean {
    const { depth } = this;
    const [scope, now, isExceeded] = [this.#scope, depth.now, depth.isExceeded];
    try {
      depth.now = 0;
      depth.isExceeded = false;
      return run() && !depth.isExceeded;
    } catch (thrown) {
      // Many schemas at each level need more of the stack than there is.
      if (!(thrown instanceof RangeError)) throw thrown;
      return false;
    } finally {
      this.#scope = scope;
      depth.now = now;
      depth.isExceeded = isExceeded;
      this.#alternatives = 0;
      if (this.#known.size > 0) this.#known = new Map();
    }
  }

  #evaluate(node: Node, value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    if (node.isPlain === true) return checkType(node, value, report);
    if (node.recursive === true) return this.#recurse(node, value, report, marks);
    return this.#enter(node, value, report, marks);
  }

  #recurse(node: Node, value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    const { depth } = this;
    const isPlain = report === undefined && marks === undefined && !this.#isDynamic && isObject(value);
    const known = isPlain ? this.#known.get(node)?.get(value) : undefined;
    if (known !== undefined) return known;
    if (depth.now >= MAX_RECURSION) {
      depth.isExceeded = true;
      return fail(report, "depth", say.tooDeep(MAX_RECURSION));
    }
    depth.now++;
    const valid = this.#enter(node, value, report, marks);
    depth.now--;
    if (isPlain) this.#remember(node, value, valid);
    return valid;
  }

  #remember(node: Node, value: object, valid: boolean): void {
    const known = this.#known.get(node);
    if (known === undefined) this.#known.set(node, new Map([[value, valid]]));
    else known.set(value, valid);
  }

  #enter(node: Node, value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    const enters = this.#isDynamic && this.#scope.at(-1) !== node.resource;
    if (!enters) return this.#evaluateInScope(node, value, report, marks);
    this.#scope = [...this.#scope, node.resource];
    const valid = this.#evaluateInScope(node, value, report, marks);
    this.#scope = this.#scope.slice(0, -1);
    return valid;
  }

  #evaluateInScope(node: Node, value: unknown, report: Report | undefined, outer: Marks | undefined): boolean {
    const needed = node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined;
    const marks = needed ? new Marks() : outer;
    // With a report all that is wrong is collected, without one the first fault decides.
    let valid = checkOwn(node, value, report);
    if (valid || report !== undefined) valid = this.#inPlace(node, value, report, marks) && valid;
    if (valid || report !== undefined) valid = this.#below(node, value, report, marks) && valid;
    if (needed && (valid || report !== undefined))
      valid = this.#unevaluated(node, value, report, marks as Marks) && valid;
    if (valid && needed) outer?.add(marks as Marks);
    return valid;
  }

  #below(node: Node, value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    if (Array.isArray(value)) return this.#items(node, value, report, marks);
    return isRecord(value) ? this.#properties(node, value, report, marks) : true;
  }

  #items(node: Node, value: readonly unknown[], report: Report | undefined, marks: Marks | undefined): boolean {
    const { prefix = [], items, contains } = node;
    let valid = true;
    if (prefix.length > 0 || items !== undefined) {
      for (let at = 0; at < value.length && (valid || report !== undefined); at++) {
        const inner = prefix[at] ?? items;
        if (inner === undefined) break;
        if (this.#evaluate(inner, value[at], inside(report, at), undefined)) marks?.items.add(at);
        else valid = false;
      }
    }
    return (contains === undefined || this.#contains(contains, value, report, marks)) && valid;
  }

  #contains(
    { node, min, max }: NonNullable<Node["contains"]>,
    value: readonly unknown[],
    report: Report | undefined,
    marks: Marks | undefined,
  ): boolean {
    let found = 0;
    value.forEach((item, at) => {
      if (!this.#evaluate(node, item, undefined, undefined)) return;
      found++;
      marks?.items.add(at);
    });
    return (found >= min && found <= max) || fail(report, "contains", say.contains(min, max, found));
  }

  #properties(node: Node, value: JsonRecord, report: Report | undefined, marks: Marks | undefined): boolean {
    const { properties, patterns, additional, names } = node;
    if (properties === undefined && patterns === undefined && additional === undefined && names === undefined)
      return true;
    let valid = true;
    const later: string[] = [];
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      if (names !== undefined && !this.#evaluate(names, key, inside(report, key), undefined)) valid = false;
      // What tells one alternative from another is at the surface; what is below may cost much.
      if (isObject(value[key])) later.push(key);
      else if (!this.#property(node, key, value, inside(report, key), marks)) valid = false;
      if (!valid && report === undefined) return false;
    }
    for (const key of later) {
      if (!this.#property(node, key, value, inside(report, key), marks)) valid = false;
      if (!valid && report === undefined) return false;
    }
    return valid;
  }

  #property(node: Node, key: string, value: JsonRecord, place: Report | undefined, marks: Marks | undefined): boolean {
    const schemas = schemasFor(node, key);
    const first = schemas[0];
    if (first === undefined) return true;
    if (first.never === true && first === node.additional)
      return place !== undefined && fail(place, "additionalProperties", say.unknownField(node.properties));
    let valid = true;
    for (const schema of schemas) valid = this.#evaluate(schema, value[key], place, undefined) && valid;
    if (valid) marks?.properties.add(key);
    return valid;
  }

  #inPlace(node: Node, value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    if (!isComposed(node)) return true;
    const { all, any, one, not, condition, dependent, dynamic } = node;
    let valid = true;
    const and = (holds: boolean): boolean => {
      valid &&= holds;
      return valid || report !== undefined;
    };
    for (const inner of all ?? []) if (!and(this.#marked(inner, value, report, marks))) return false;
    if (dynamic !== undefined && !and(this.#marked(this.#dynamic(dynamic), value, report, marks))) return false;
    if (any !== undefined && !and(this.#any(any, value, report, marks))) return false;
    if (one !== undefined && !and(this.#one(one, value, report, marks))) return false;
    if (not !== undefined && !and(!this.#evaluate(not, value, undefined, undefined) || fail(report, "not", say.not)))
      return false;
    if (condition !== undefined && !and(this.#condition(condition, value, report, marks))) return false;
    for (const [name, inner] of dependent ?? []) {
      if (hasField(value, name) && !and(this.#marked(inner, value, report, marks))) return false;
    }
    return valid;
  }

  /** What a schema has seen counts only where it accepts. */
  #marked(node: Node, value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    if (marks === undefined) return this.#evaluate(node, value, report, undefined);
    const own = new Marks();
    const valid = this.#evaluate(node, value, report, own);
    if (valid) marks.add(own);
    return valid;
  }

  #any(nodes: readonly Node[], value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    let valid = false;
    for (const node of nodes) {
      if (!this.#marked(node, value, undefined, marks)) continue;
      valid = true;
      if (marks === undefined) return true;
    }
    return valid || this.#failAlternatives(nodes, value, report, "anyOf");
  }

  #one(nodes: readonly Node[], value: unknown, report: Report | undefined, marks: Marks | undefined): boolean {
    let matching = 0;
    for (const node of nodes) {
      if (this.#marked(node, value, undefined, marks)) matching++;
      if (matching > 1) return fail(report, "oneOf", say.severalAlternatives);
    }
    return matching === 1 || this.#failAlternatives(nodes, value, report, "oneOf");
  }

  #failAlternatives(nodes: readonly Node[], value: unknown, report: Report | undefined, rule: string): false {
    if (report === undefined) return false;
    const meant =
      this.#alternatives < MAX_TOLD_ALTERNATIVES ? this.#meantAlternative(nodes, value, report.at) : undefined;
    if (meant === undefined) return fail(report, rule, say.noAlternative(nodes));
    for (const issue of meant) report.sink.add(issue);
    return false;
  }

  /** The faults of the alternative that was meant, if that can be told. */
  #meantAlternative(nodes: readonly Node[], value: unknown, at: JsonPointer): readonly Issue[] | undefined {
    this.#alternatives++;
    const attempts = nodes.map((node) => {
      const sink = new Sink(false);
      this.#evaluate(node, value, { sink, at }, undefined);
      return sink.issues;
    });
    this.#alternatives--;
    return say.meantAlternative(attempts, at);
  }

  #condition(
    condition: NonNullable<Node["condition"]>,
    value: unknown,
    report: Report | undefined,
    marks: Marks | undefined,
  ): boolean {
    const branch = this.#marked(condition.test, value, undefined, marks) ? condition.fits : condition.otherwise;
    return branch === undefined || this.#marked(branch, value, report, marks);
  }

  #dynamic({ anchor, node }: NonNullable<Node["dynamic"]>): Node {
    for (const resource of this.#scope) {
      const found = this.#graph.dynamicAnchors.get(resource)?.get(anchor);
      if (found !== undefined) return found;
    }
    return node;
  }

  #unevaluated(node: Node, value: unknown, report: Report | undefined, marks: Marks): boolean {
    const { unevaluatedItems, unevaluatedProperties } = node;
    let valid = true;
    const visit = (inner: Node, key: string | number, item: unknown): boolean => {
      const place = inside(report, key);
      if (inner.never === true) valid = fail(place, "unevaluated", say.unknownField(undefined));
      else if (!this.#evaluate(inner, item, place, undefined)) valid = false;
      return valid;
    };
    if (Array.isArray(value) && unevaluatedItems !== undefined) {
      value.forEach((item, at) => {
        if (!marks.items.has(at) && visit(unevaluatedItems, at, item)) marks.items.add(at);
      });
    } else if (isRecord(value) && unevaluatedProperties !== undefined) {
      for (const key of Object.keys(value)) {
        if (value[key] === undefined || marks.properties.has(key)) continue;
        if (visit(unevaluatedProperties, key, value[key])) marks.properties.add(key);
      }
    }
    return valid;
  }
}

/** The schemas for a property: those that name it, or else the one for additional ones. */
export function schemasFor({ properties, patterns, additional }: Node, key: string): Node[] {
  const named = properties?.get(key);
  if (patterns === undefined) return listOf(named ?? additional);
  const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, node]) => node);
  const found = named === undefined ? matching : [named, ...matching];
  return found.length === 0 ? listOf(additional) : found;
}

function listOf(node: Node | undefined): Node[] {
  return node === undefined ? [] : [node];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** What a schema has looked at, for those that speak of the rest. */
class Marks {
  readonly properties: Set<string> = new Set();
  readonly items: Set<number> = new Set();

  add({ properties, items }: Marks): void {
    for (const name of properties) this.properties.add(name);
    for (const at of items) this.items.add(at);
  }
}
