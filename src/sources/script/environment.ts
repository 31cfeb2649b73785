import { AGENT_VARIABLES } from "../../dialects/agent.js";
import { traceIn } from "../../envelope/trace-context.js";
import type { HandlerContext } from "../../registry/context.js";
import { inheritedEnvironment, variablesNamed } from "../inherited-environment.js";

export interface EnvironmentOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly passEnv?: readonly string[];
}

/** All variables that a program gets: the basic ones, those by which it knows its agent, those named, and those given. */
export function environmentOf({ env = {}, passEnv = [] }: EnvironmentOptions): Record<string, string> {
  return { ...inheritedEnvironment(), ...variablesNamed([...ALSO, ...passEnv.flatMap(namesOf)]), ...env };
}

/** What the output of many programs depends on, and which agent it is for. */
const ALSO = ["LC_ALL", "LC_CTYPE", "TZ", ...AGENT_VARIABLES];

function namesOf(name: string): readonly string[] {
  if (!name.endsWith("*")) return [name];
  const start = name.slice(0, -1);
  return Object.keys(process.env).filter((variable) => variable.startsWith(start));
}

/** The variables by which a program goes on with the trace of a call (https://opentelemetry.io/docs/specs/otel/context/env-carriers/). */
export function traceVariables(metadata: HandlerContext["metadata"]): Record<string, string> {
  const trace = traceIn(metadata);
  if (trace === undefined) return {};
  const { traceparent, tracestate } = trace;
  return { TRACEPARENT: traceparent, ...(tracestate !== undefined && { TRACESTATE: tracestate }) };
}
