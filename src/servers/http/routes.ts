import { orElse } from "../../json/attempt.js";
import type { ServedOperation } from "./served-operations.js";

/** The way to an operation that a request has taken. */
export interface RouteMatch {
  readonly operation: ServedOperation;
  /** What stands in the places of the path. */
  readonly places: Readonly<Record<string, string>>;
}

interface Route {
  readonly operation: ServedOperation;
  readonly method: string;
  readonly steps: readonly Step[];
  /** Letters that are no place: the more, the more definite. */
  readonly literal: number;
}

/** What stands between two slashes: texts around places, and so one more than there are places. */
interface Step {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** The paths that operations have chosen themselves. */
export class Routes {
  readonly #routes: readonly Route[];

  constructor(operations: readonly ServedOperation[], prefix: string) {
    this.#routes = operations.flatMap((operation) => routeOf(operation, prefix)).sort((a, b) => b.literal - a.literal);
  }

  find(method: string, path: string): RouteMatch | undefined {
    const steps = path.split("/");
    for (const route of this.#routes) {
      if (route.method !== method) continue;
      const places = placesIn(route, steps);
      if (places !== undefined) return { operation: route.operation, places };
    }
    return undefined;
  }

  /** The methods that a path has. */
  methodsOf(path: string): readonly string[] {
    const steps = path.split("/");
    const found = this.#routes.filter((route) => placesIn(route, steps) !== undefined);
    return [...new Set(found.map(({ method }) => method))];
  }
}

const PLACE = /\{([A-Za-z0-9_.-]+)\}/g;

function routeOf(operation: ServedOperation, prefix: string): Route[] {
  const { http } = operation.spec;
  if (http === undefined) return [];
  const template = prefix + http.path;
  const literal = template.replaceAll(PLACE, "").length;
  return [{ operation, method: http.method, steps: template.split("/").map(stepOf), literal }];
}

function stepOf(template: string): Step {
  const parts = template.split(PLACE);
  return { texts: parts.filter((_, at) => at % 2 === 0), names: parts.filter((_, at) => at % 2 === 1) };
}

/** A place that cannot be decoded is none. */
function placesIn({ steps }: Route, given: readonly string[]): Record<string, string> | undefined {
  if (steps.length !== given.length) return undefined;
  const places: [name: string, text: string][] = [];
  for (const [at, step] of steps.entries()) {
    const texts = textsIn(step, given[at] as string);
    if (texts === undefined) return undefined;
    for (const [place, name] of step.names.entries()) places.push([name, texts[place] as string]);
  }
  return orElse(() => Object.fromEntries(places.map(([name, text]) => [name, decodeURIComponent(text)])), undefined);
}

/** From the right, each time to the nearest text: a regular expression would try all the others too. */
function textsIn({ texts, names }: Step, given: string): string[] | undefined {
  const [first = ""] = texts;
  if (names.length === 0) return given === first ? [] : undefined;
  const last = texts.at(-1) ?? "";
  if (!given.startsWith(first) || !given.endsWith(last)) return undefined;
  const found: string[] = [];
  let end = given.length - last.length;
  for (let at = names.length - 1; at > 0; at--) {
    const text = texts[at] as string;
    const before = given.lastIndexOf(text, end - text.length - 1);
    if (before <= first.length) return undefined;
    found.unshift(given.slice(before + text.length, end));
    end = before;
  }
  return end > first.length ? [given.slice(first.length, end), ...found] : undefined;
}
