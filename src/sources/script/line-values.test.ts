import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { watchResources } from "../../../test/left-behind.js";
import { markProcesses } from "../../../test/marked-processes.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { CallOptions } from "../../registry/call-options.js";
import { openShell } from "./fixtures/open-script.js";
import type { ScriptSourceOptions } from "./index.js";

const assertNothingLeft = watchResources();
afterAll(assertNothingLeft);

interface Taken {
  readonly values: readonly unknown[];
  readonly envelopes: readonly ResponseEnvelope[];
  readonly error: unknown;
}

/** All values of a script, as long as `goOn` says so. */
async function take(
  script: string,
  options: Partial<ScriptSourceOptions> = {},
  goOn: (count: number) => boolean | Promise<boolean> = () => true,
  callOptions: CallOptions = {},
): Promise<Taken> {
  const { source, registry } = await openShell(script, { outputAs: "json-lines", graceMs: 100, ...options });
  const envelopes: ResponseEnvelope[] = [];
  let error: unknown;
  try {
    for await (const envelope of registry.subscribe("test.script", undefined, callOptions)) {
      envelopes.push(envelope);
      if (!(await goOn(envelopes.length))) break;
    }
  } catch (thrown) {
    error = thrown;
  }
  await source.close();
  return { values: envelopes.map(({ data }) => data), envelopes, error };
}

describe("JSON lines", () => {
  test("are a subscription of one value a line", async () => {
    const { values, envelopes, error } = await take("printf '1\\n\\n \\r\\n{\"a\":2}\\r\\n[3]'; echo; printf null");
    expect({ values, error }).toEqual({ values: [1, { a: 2 }, [3], null], error: undefined });
    expect(envelopes[0]?.meta).toMatchObject({ source: "script", exitCode: null });
  });

  test("come one by one, while the program runs", async () => {
    const mark = markProcesses();
    const { values } = await take("echo 1; sleep 60", { env: mark.env }, () => false);
    expect(values).toEqual([1]);
    expect(mark.alive()).toEqual([]);
  });

  test("that are documents of a dialect are read as such", async () => {
    const document =
      '{"schema_version":"1.0.0","status":"%s","error":%s,"agent":"x","ts":"2026-01-01T00:00:00Z","n":1}\\n';
    const failure = '{"code":"BROKEN","message":"b"}';
    const { values, error } = await take(
      `printf '${document}' ok null; printf '${document}' error '${failure}'; exit 1`,
    );
    expect(values).toEqual([{ n: 1 }]);
    expect(error).toMatchObject({ code: "BROKEN" });
  });

  test("may be of another major", async () => {
    const document = '{"schema_version":"2.0.0","status":"ok","error":null,"agent":"x","ts":"2026-01-01T00:00:00Z"}';
    const { error } = await take(`echo '${document}'`, { major: 1 });
    expect(error).toMatchObject({ code: "UNSUPPORTED_VERSION" });
  });

  test("that are none end the subscription, after those before", async () => {
    const { values, error } = await take("echo 1; echo oops; echo 2");
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: "INVALID_ANSWER", data: "oops" });
  });

  test("that are too long end it too", async () => {
    const { values, error } = await take("echo 1; exec cat /dev/zero", { maxOutputBytes: 1_000 });
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("may be many times longer together than one may be", async () => {
    const { values, error } = await take("for i in 1 2 3 4 5; do printf '\"%050d\"\\n' $i; done", {
      maxOutputBytes: 60,
    });
    expect({ count: values.length, error }).toEqual({ count: 5, error: undefined });
  });

  test("cut a character in two without harm", async () => {
    const { values } = await take("printf '\"\\303'; sleep 0.1; printf '\\244\"\\n'");
    expect(values).toEqual(["ä"]);
  });

  test("that are no UTF-8 are told", async () => {
    const { envelopes } = await take("printf '\"\\377\"\\n'");
    expect(envelopes).toMatchObject([{ data: "\uFFFD", meta: { warnings: [{ code: "NOT_UTF8" }] } }]);
  });
});

describe("the end of the program", () => {
  test.each([
    ["echo 1; echo why >&2; exit 3", { code: "SCRIPT_FAILED", details: { exitCode: 3, stderr: "why\n" } }],
    ["echo 1; printf '{\"half'; exit 3", { code: "SCRIPT_FAILED" }],
    ["echo 1; kill -KILL $$", { code: "SCRIPT_KILLED", details: { signal: "SIGKILL" } }],
    ["echo 1; printf '{\"half'", { code: "INVALID_ANSWER", data: '{"half' }],
  ])("is told after its values: %s", async (script, expected) => {
    const { values, error } = await take(script);
    expect(values).toEqual([1]);
    expect(error).toMatchObject(expected);
  });

  test("that is allowed is none", async () => {
    expect(await take("echo 1; exit 3", { exitCodes: [0, 3] })).toMatchObject({ values: [1], error: undefined });
  });

  test("comes when its time is over", async () => {
    const { values, error } = await take("echo 1; sleep 60", { timeout: 300 });
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: "TIMEOUT" });
  });
});

describe("a program that never ends", () => {
  const endless = "i=0; while :; do i=$((i+1)); echo $i; echo $i >&2; done";

  test("waits while nobody reads, and is ended when nobody wants more", async () => {
    const mark = markProcesses();
    let last = 0;
    const onStderr = (line: string): void => {
      last = Number(line);
    };
    const { values } = await take(endless, { env: mark.env, onStderr }, async (count) => {
      if (count < 3) return true;
      // It goes on until all buffers are full, and then no further.
      for (let before = -1; before !== last; await delay(150)) before = last;
      return false;
    });
    expect(values).toEqual([1, 2, 3]);
    expect(last).toBeLessThan(500_000);
    expect(mark.alive()).toEqual([]);
  });

  test("is ended when its subscription is aborted", async () => {
    const mark = markProcesses();
    const controller = new AbortController();
    const stop = (): boolean => {
      controller.abort();
      return true;
    };
    const { error } = await take(endless, { env: mark.env }, stop, { signal: controller.signal });
    expect(error).toMatchObject({ code: "ABORTED" });
    expect(mark.alive()).toEqual([]);
  });

  test("and prints nothing is ended when its subscription is aborted", async () => {
    const mark = markProcesses();
    const signal = AbortSignal.timeout(300);
    const { error } = await take("sleep 60", { env: mark.env }, undefined, { signal });
    expect(error).toMatchObject({ code: "TIMEOUT" });
    expect(mark.alive()).toEqual([]);
  });

  test("gives its place back", async () => {
    const { source, registry } = await openShell(endless, { outputAs: "json-lines", concurrency: 1, graceMs: 100 });
    for (let round = 0; round < 2; round += 1)
      for await (const { data } of registry.subscribe("test.script", {})) if (data === 2) break;
    await expect.poll(() => source.health().running).toBe(0);
    await source.close();
  });
});
