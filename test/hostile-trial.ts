import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type CallError, isCallError } from "../src/envelope/call-error.js";
import { isKnownCategory } from "../src/envelope/category.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../src/envelope/response-envelope.js";
import { WARNINGS, type Warning } from "../src/envelope/warning.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { type McpSource, type McpSourceOptions, mcpSource } from "../src/sources/mcp/index.js";
import type { Expectation, Misbehaviour } from "./fixtures/hostile/index.mjs";
import { operationOf } from "./operation-of-tool.js";
import { SLACK, within } from "./own-time.js";

const documentation = ["errors.md", "import-mcp.md"]
  .map((file) => readFileSync(new URL(`../docs/${file}`, import.meta.url), "utf8"))
  .join("\n");

/** A call that ended in neither of these ways would have hung or thrown something else. */
type Ending = { readonly envelope: ResponseEnvelope } | { readonly error: CallError };

const LIMITS = { timeout: 60_000, startTimeout: 60_000, graceMs: 300 };

/** Opens a source of a hostile server; `undefined` where it refuses to, as it should. */
export async function openHostile(
  options: McpSourceOptions,
  { opens, any }: Expectation = {},
): Promise<McpSource | undefined> {
  const { startTimeout = LIMITS.startTimeout, graceMs = LIMITS.graceMs } = options;
  const refuse = (thrown: unknown): undefined => {
    assertDocumented(thrown);
    if (any === true) return undefined;
    if (opens === undefined) throw thrown;
    expect([opens].flat()).toContain((thrown as CallError).category);
  };
  const source = await within(startTimeout + 2 * graceMs + SLACK, mcpSource({ ...LIMITS, ...options }).catch(refuse));
  if (source === undefined || opens === undefined) return source;
  await source.close();
  return expect.fail(`it opened, and should have failed as ${opens}`);
}

/** Calls the tool that misbehaves, and then the one that does not. */
export async function tryHostile(source: McpSource, name: string, one: Misbehaviour): Promise<void> {
  const registry = new OperationRegistry();
  const unmount = mountSource(registry, source);
  assertListed(source, one.expect);
  const id = operationOf(source, name)?.id;
  const { timeout = LIMITS.timeout } = one.options ?? {};
  const deadline = Date.now() + (one.patience ?? 60_000);
  if (id !== undefined)
    assertExpected(await within(timeout + SLACK, call(registry, id, one.input ?? {}, deadline)), one.expect);
  else for (const operation of source.operations.slice(0, 20)) await call(registry, operation.id, {});
  if (one.after !== false && source.operations.length > 0) await assertStillGood(source, registry);
  unmount();
}

function assertListed(source: McpSource, { lists, tells }: Expectation): void {
  if (lists !== undefined) expect(source.operations).toHaveLength(lists);
  const codes = codesOf(source.health().warnings);
  expect(codes.filter((code) => !Object.hasOwn(WARNINGS, code))).toEqual([]);
  if (tells !== undefined) expect(codes).toContain(tells);
}

async function call(registry: OperationRegistry, id: string, input: unknown, deadline?: number): Promise<Ending> {
  const options = { onProgress: () => {}, ...(deadline !== undefined && { deadline }) };
  try {
    const envelope = await registry.execute(id, input, options);
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(codesOf(envelope.meta.warnings).filter((code) => !Object.hasOwn(WARNINGS, code))).toEqual([]);
    return { envelope };
  } catch (thrown) {
    assertDocumented(thrown);
    return { error: thrown as CallError };
  } finally {
    expect({}).not.toHaveProperty("polluted");
  }
}

function assertDocumented(thrown: unknown): void {
  if (!isCallError(thrown)) throw thrown;
  expect(thrown.category).toSatisfy(isKnownCategory);
  expect(documentation.includes(`\`${thrown.code}\``), thrown.code).toBe(true);
  expect(thrown.message).not.toBe("");
}

function assertExpected(ending: Ending, expected: Expectation): void {
  const { any, fails } = expected;
  if (any === true) return;
  if ("envelope" in ending) {
    if (fails !== undefined) expect.fail(`it answered, and should have failed as ${fails}`);
    assertAnswer(ending.envelope, expected);
  } else {
    if (fails === undefined) throw ending.error;
    assertFailure(ending.error, [fails].flat(), expected);
  }
}

function assertFailure(error: CallError, categories: readonly string[], { code, retryAfterMs }: Expectation): void {
  expect(categories).toContain(error.category);
  if (code !== undefined) expect(error.code).toBe(code);
  if (retryAfterMs === undefined) return;
  expect(error.retryAfterMs).toBeGreaterThanOrEqual(retryAfterMs[0]);
  expect(error.retryAfterMs).toBeLessThanOrEqual(retryAfterMs[1]);
}

function assertAnswer({ data, meta }: ResponseEnvelope, expected: Expectation): void {
  if (expected.says !== undefined) expect(meta).toHaveProperty("content", [{ type: "text", text: expected.says }]);
  if ("gives" in expected) expect(data).toStrictEqual(expected.gives);
  if (expected.isError !== undefined) expect(meta).toHaveProperty("isError", expected.isError);
  if (expected.warns !== undefined) expect(codesOf(meta.warnings)).toContain(expected.warns);
}

function codesOf(warnings: readonly Warning[] = []): string[] {
  return warnings.map(({ code }) => code);
}

/** One that had to be started again may need a moment; one that is merely slow gets another chance. */
async function assertStillGood(source: McpSource, registry: OperationRegistry): Promise<void> {
  const id = operationOf(source, "good")?.id ?? expect.fail("the good tool is gone");
  let ending = await call(registry, id, {});
  for (let retries = 0; "error" in ending && retries < 5; retries += 1) ending = await call(registry, id, {});
  if ("error" in ending) throw ending.error;
  expect(ending.envelope.meta).toHaveProperty("content", [{ type: "text", text: "well" }]);
  expect(source.health()).toMatchObject({ status: "ready" });
}
