import { isThenable } from "../json/attempt.js";
import type { Issue } from "../json/issue.js";
import { pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord } from "../json/value.js";
import { type CompiledSchema, compile } from "./compile.js";
import type { AnySchema } from "./standard-schema.js";

/** The value that goes on, or why it does not. */
export type Verdict = { readonly value: unknown } | { readonly issues: readonly Issue[] };

/** How an input is checked. */
export interface InputSchema {
  readonly compiled: CompiledSchema;
  /** Of a Standard Schema its own check, which may refine and convert what JSON Schema cannot say. */
  readonly validate?: (value: unknown) => Verdict | Promise<Verdict>;
}

export function compileInput(schema: AnySchema): InputSchema {
  const compiled = compile(schema, { side: "input" });
  const standard: unknown =
    isRecord(schema) || typeof schema === "function" ? Reflect.get(schema, "~standard") : undefined;
  if (!isRecord(standard) || typeof standard["validate"] !== "function") return { compiled };
  const validate = standard["validate"] as (value: unknown) => unknown;
  return {
    compiled,
    validate: (value) => {
      const result = validate.call(standard, value);
      return isThenable(result) ? Promise.resolve(result).then(verdictOf) : verdictOf(result);
    },
  };
}

function verdictOf(result: unknown): Verdict {
  if (typeof result !== "object" || result === null)
    throw new TypeError(`A Standard Schema answered ${told(result)} where a result is wanted.`);
  const { value, issues } = result as { readonly value?: unknown; readonly issues?: readonly StandardIssue[] };
  return issues === undefined ? { value } : { issues: issues.map(issueOf) };
}

/** As Standard Schema writes it: a step of the path is a key, or an object with one. */
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

function issueOf({ message, path = [] }: StandardIssue): Issue {
  // Not by its own `map`: arktype's path is a list of another kind.
  const steps = Array.from(path, (step) => (typeof step === "object" ? step.key : step));
  return { path: pointerTo(...steps.map(String)), message };
}
