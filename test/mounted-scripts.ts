import { afterAll, expect } from "vitest";
import { type CallError, isCallError } from "../src/envelope/call-error.js";
import type { ResponseEnvelope } from "../src/envelope/response-envelope.js";
import type { CallOptions } from "../src/registry/call-options.js";
import type { OperationSpec } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { type ScriptSource, type ScriptSourceOptions, scriptSource } from "../src/sources/script/index.js";
import { watchResources } from "./left-behind.js";
import { markProcesses } from "./marked-processes.js";

/** Scripts in a registry, as `run.NAME`. */
export interface MountedScripts {
  readonly source: ScriptSource;
  /** Of the operations. */
  readonly names: readonly string[];
  spec(name: string): OperationSpec | undefined;
  call(name: string, input?: unknown, options?: CallOptions): Promise<ResponseEnvelope>;
  fail(name: string, input?: unknown, options?: CallOptions): Promise<CallError>;
  each(name: string, input?: unknown): AsyncIterable<ResponseEnvelope>;
  /** All that a subscription gives, until it ends. */
  values(name: string, input?: unknown): Promise<readonly unknown[]>;
}

/** Opens sources, closes them when the tests are over, and sees that none of their processes is left. */
export function scriptMounter(): (options: Omit<ScriptSourceOptions, "name">) => Promise<MountedScripts> {
  const sources: ScriptSource[] = [];
  const mark = markProcesses();
  const nothingIsLeft = watchResources();
  afterAll(async () => {
    for (const source of sources) await source.close();
    expect(mark.alive()).toEqual([]);
    await nothingIsLeft();
  });
  return async (options) => {
    const source = await scriptSource({ name: "run", ...options, env: { ...mark.env, ...options.env } });
    sources.push(source);
    return mounted(source);
  };
}

function mounted(source: ScriptSource): MountedScripts {
  const registry = new OperationRegistry();
  mountSource(registry, source);
  const call: MountedScripts["call"] = (name, input, options) => registry.execute(`run.${name}`, input, options);
  const each: MountedScripts["each"] = (name, input) => registry.subscribe(`run.${name}`, input);
  return {
    source,
    names: source.operations.map(({ spec: { name } }) => name),
    spec: (name) => registry.getSpec(`run.${name}`),
    call,
    fail: async (name, input, options) => {
      const thrown = await call(name, input, options).catch((error: unknown) => error);
      if (!isCallError(thrown))
        return expect.fail(`it did not fail with a CallError but gave ${JSON.stringify(thrown)}`);
      return thrown;
    },
    each,
    values: async (name, input) => {
      const values: unknown[] = [];
      for await (const { data } of each(name, input)) values.push(data);
      return values;
    },
  };
}
