import { expect } from "vitest";
import { type CallError, isCallError } from "../src/envelope/call-error.js";
import { isKnownCategory } from "../src/envelope/category.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../src/envelope/response-envelope.js";
import { WARNINGS, type Warning } from "../src/envelope/warning.js";
import { isString } from "../src/json/value.js";
import type { CallOptions } from "../src/registry/call-options.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { REGISTRY_CODES } from "../src/registry/registry-code.js";
import { mountSource } from "../src/registry/source.js";
import { type ScriptSource, type ScriptSourceOptions, scriptSource } from "../src/sources/script/index.js";
import type { Expectation } from "./fixtures/scripts-hostile/index.js";

/** A call that ended in neither of these ways would have hung or thrown something else. */
export type Ending = { readonly envelope: ResponseEnvelope } | { readonly error: CallError };

/** Codes that the programs of the tests give of themselves. */
const OWN_CODES = ["GATHER_FAILED"];

export interface OneScript {
  readonly source: ScriptSource;
  readonly registry: OperationRegistry;
  call(input?: unknown, options?: CallOptions): Promise<Ending>;
}

/** A source of one operation, `hostile.trial`. */
export async function openScript(options: Partial<ScriptSourceOptions>): Promise<OneScript> {
  const source = await scriptSource({ name: "hostile", operation: "trial", ...options });
  const registry = new OperationRegistry();
  mountSource(registry, source);
  return { source, registry, call: (input = {}, call = {}) => ending(registry.execute("hostile.trial", input, call)) };
}

/** How a call ended, with what every ending has. */
export async function ending(answer: Promise<ResponseEnvelope>): Promise<Ending> {
  try {
    const envelope = await answer;
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(codesOf(envelope.meta.warnings).filter((code) => !Object.hasOwn(WARNINGS, code))).toEqual([]);
    return { envelope };
  } catch (thrown) {
    if (!isCallError(thrown)) throw thrown;
    expect(thrown.category).toSatisfy(isKnownCategory);
    expect([...Object.keys(REGISTRY_CODES), ...OWN_CODES]).toContain(thrown.code);
    expect(thrown.message).not.toBe("");
    return { error: thrown };
  } finally {
    expect({}).not.toHaveProperty("polluted");
  }
}

export function assertExpected(end: Ending, expected: Expectation): void {
  if (expected.any === true) return;
  if ("envelope" in end) assertAnswer(end.envelope, expected);
  else assertFailure(end.error, expected);
}

function assertAnswer({ data, meta }: ResponseEnvelope, { fails, gives, warns, silent }: Expectation): void {
  if (fails !== undefined) expect.fail(`it answered, and should have failed with ${fails}`);
  // A comparison that fails prints both, which takes very long where they are very long.
  if (isString(gives) && isString(data) && gives.length > 10_000) expect(data === gives).toBe(true);
  // As text, because fields such as `constructor` mislead whoever compares objects.
  else expect(JSON.stringify(data)).toBe(JSON.stringify(gives));
  if (warns !== undefined) expect(codesOf(meta.warnings)).toContain(warns);
  if (silent === true) expect(meta.warnings ?? []).toEqual([]);
}

function assertFailure(error: CallError, { fails, details, keeps }: Expectation): void {
  if (fails === undefined) throw error;
  expect(error.code).toBe(fails);
  if (details !== undefined) expect(error.details).toMatchObject(details);
  if (keeps !== undefined) expect(error.data).toStrictEqual(keeps);
}

export function codesOf(warnings: readonly Warning[] = []): string[] {
  return warnings.map(({ code }) => code);
}
