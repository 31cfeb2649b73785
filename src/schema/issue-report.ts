import type { Issue } from "../json/issue.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";

/** More are not collected. */
const MAX_ISSUES = 100;

export interface CountedIssue extends Issue {
  readonly count: number;
}

/** Where issues are collected, when anyone asks for them. */
export interface Report {
  readonly sink: Sink;
  readonly at: JsonPointer;
}

/** Collects issues, each once. Those of the same shape, such as the same fault in every row, may count as one. */
export class Sink {
  readonly #found = new Map<string, CountedIssue>();
  readonly #folds: boolean;

  constructor(folds: boolean) {
    this.#folds = folds;
  }

  get issues(): CountedIssue[] {
    return [...this.#found.values()];
  }

  add(issue: Issue): void {
    const key = this.#folds ? `${issue.rule} ${issue.path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}` : issue.path;
    const known = this.#found.get(key);
    if (known === undefined && this.#found.size < MAX_ISSUES) this.#found.set(key, { ...issue, count: 1 });
    else if (known !== undefined) this.#found.set(key, { ...known, count: known.count + 1 });
  }
}

export function fail(report: Report | undefined, rule: string, message: string): false {
  report?.sink.add({ path: report.at, message, rule });
  return false;
}

export function inside(report: Report | undefined, key: string | number): Report | undefined {
  return report === undefined ? undefined : { sink: report.sink, at: report.at + pointerTo(key) };
}
