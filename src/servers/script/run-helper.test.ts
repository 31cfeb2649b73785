import { describe, expect, test } from "vitest";
import { DIALECTS, dialectNamed } from "../../dialects/all.js";
import { helperOutput } from "../../dialects/helper-output.js";
import { CallError } from "../../envelope/call-error.js";
import { whileImporting } from "../../helper/importing.js";
import type { JsonRecord } from "../../json/value.js";
import { defineOperation } from "../../registry/operation.js";
import { defineHelper } from "./define-helper.js";
import { brokenIo, documentIn, recordedIo } from "./fixtures/recorded-io.js";
import { runRecorded } from "./fixtures/run-recorded.js";
import type { Helper } from "./helper.js";
import { HelperRun } from "./helper-run.js";
import { runHelper } from "./run-helper.js";

describe("the answer of a helper", () => {
  test("is five fixed fields in order, then its own, and exit code 0", async () => {
    const { said } = await runRecorded(["--agent", "codex"], () => ({ b: 1, a: { c: [] } }));
    const ts = /"ts": "([^"]+)"/.exec(said.stdout)?.[1];
    expect(said.stdout).toBe(`{
  "schema_version": "1.2.3",
  "status": "ok",
  "error": null,
  "agent": "codex",
  "ts": "${ts}",
  "b": 1,
  "a": {
    "c": []
  }
}
`);
    expect(said.exitCode).toBe(0);
  });

  test("has only the fixed fields where the helper returns nothing", async () => {
    expect(Object.keys(documentIn(await runRecorded([], () => {})))).toEqual([
      "schema_version",
      "status",
      "error",
      "agent",
      "ts",
    ]);
  });

  test.each([[0], [""], [false], [null], [[1]]])("keeps %j, which has no fields", async (value) => {
    expect(documentIn(await runRecorded([], () => value))).toMatchObject({ status: "ok", result: value });
  });

  test("is partial and names the sources where some are skipped, and exit code 0", async () => {
    const io = await runRecorded([], ({ skip }) => {
      skip("journal");
      skip("calendar", "no token");
      return { rows: 1 };
    });
    const { status, error, skipped_sources: skipped, rows } = documentIn(io);
    expect({ status, rows, code: (error as JsonRecord)["code"] }).toEqual({
      status: "partial",
      rows: 1,
      code: "SOURCES_SKIPPED",
    });
    expect(skipped).toEqual(["journal", { source: "calendar", reason: "no token" }]);
    expect(io.said.exitCode).toBe(0);
  });

  test("tells on stderr what was skipped where its format has no place for it", async () => {
    const skipping = ({ skip }: Helper): void => skip("journal");
    expect((await runRecorded(["--envelope", "problem-details"], skipping)).said.stderr).toContain("SOURCES_SKIPPED");
    expect((await runRecorded([], skipping)).said.stderr).toBe("");
  });

  test("is an error where many values come that nobody asked for, or a source without a name", async () => {
    const many = async function* (): AsyncGenerator<number> {
      yield 1;
    };
    expect(documentIn(await runRecorded([], many))).toMatchObject({ status: "error" });
    const nameless = await runRecorded([], ({ skip }) => skip(""));
    expect(documentIn(nameless)).toMatchObject({ status: "error" });
    expect(documentIn(nameless)).not.toHaveProperty("skipped_sources");
  });

  test("is an error whose sources are named too where it fails after skipping", async () => {
    const io = await runRecorded([], ({ skip }) => {
      skip("journal");
      throw new Error("nothing is left");
    });
    expect(documentIn(io)).toMatchObject({ status: "error", skipped_sources: ["journal"] });
    expect(io.said.exitCode).toBe(1);
  });

  test("says tool-missing with the hint, and exit code 0, where a program is absent", async () => {
    const io = await runRecorded([], ({ requires }) => requires("no-such-program-here", "apt install it"));
    expect(documentIn(io)).toMatchObject({
      status: "tool-missing",
      error: { code: "TOOL_MISSING", suggestedAction: "apt install it" },
    });
    expect(io.said.exitCode).toBe(0);
  });

  test("never has a field of the helper in the place of a fixed one", async () => {
    for (const name of ["schema_version", "status", "error", "agent", "ts", "skipped_sources", "plico"]) {
      const io = await runRecorded([], () => ({ [name]: 1 }));
      expect(documentIn(io)).toMatchObject({ status: "error", error: { code: "RESERVED_FIELD" } });
      expect(io.said.exitCode).toBe(1);
    }
    const other = await runRecorded(["--envelope", "response-v2"], () => ({ status: 1 }));
    expect(documentIn(other)).toMatchObject({ success: true, data: { status: 1 } });
  });

  test("keeps all that the helper said where a field has a fixed name", async () => {
    const io = await runRecorded([], ({ skip }) => {
      skip("journal");
      return { status: 1, rows: [2] };
    });
    expect(helperOutput.read(documentIn(io))).toMatchObject({
      outcome: { ok: false, error: { code: "RESERVED_FIELD", data: { status: 1, rows: [2] } } },
    });
    expect(documentIn(io)).toMatchObject({ skipped_sources: ["journal"] });
    const failed = await runRecorded([], () => {
      throw new CallError({ category: "not_found", code: "GONE", message: "gone", data: { status: 1 } });
    });
    expect(helperOutput.read(documentIn(failed))).toMatchObject({
      outcome: { ok: false, error: { code: "GONE", data: { status: 1 } } },
    });
  });

  test("that cannot be written ends with exit code 1, and says so", async () => {
    const line = defineHelper({ name: "line", version: "1.0.0", type: "subscription", run: () => [{ at: 1 }] });
    for (const [code, exitCode] of [
      ["ENOSPC", 1],
      ["EPIPE", 0],
    ] as const) {
      const one = brokenIo(code);
      await runHelper(() => ({}), { io: one });
      const many = brokenIo(code);
      await runHelper(line, { io: many });
      expect([one, many].map(({ said }) => said.exitCode)).toEqual([exitCode, exitCode]);
      expect([one, many].map(({ said }) => said.stderr.includes(code))).toEqual([exitCode === 1, exitCode === 1]);
    }
  });

  test("stays the only one where something fails after it, of which standard error tells", async () => {
    const io = recordedIo();
    const helper = new HelperRun(io, undefined);
    await helper.start(() => defineHelper({ name: "late", version: "1.0.0", run: () => ({}) }));
    helper.fail(new Error("too late"));
    expect(documentIn(io)).toMatchObject({ status: "ok" });
    expect(io.said.stderr).toContain("too late");
  });

  test("keeps the stack of an error out, which goes to standard error", async () => {
    const { said } = await runRecorded([], () => {
      throw new Error("GATHER_FAILED: no disk");
    });
    expect(JSON.parse(said.stdout).error).toEqual({ code: "GATHER_FAILED", message: "no disk" });
    expect(said.stdout).not.toContain(".ts:");
    expect(said.stderr).toContain("run-helper.test.ts");
  });

  test("keeps the words of a CallError with a cause", async () => {
    const io = await runRecorded([], () => {
      throw new CallError({ category: "execution", message: "mine", cause: new Error("inner") });
    });
    expect(documentIn(io)).toMatchObject({ error: { code: "EXECUTION_ERROR", message: "mine" } });
  });

  test("tells on standard error the warnings that the format has no place for", async () => {
    const { said } = await runRecorded([], ({ warn, progress }) => {
      warn({ code: "OLD", message: "it is old" });
      progress(1, 2, "half");
      return {};
    });
    expect(said.stderr).toContain("OLD: it is old");
    expect(said.stderr).toContain("1/2 half");
  });

  test.each(DIALECTS.map(({ name }) => name))("can be read as %s", async (name) => {
    const good = await runRecorded(["--envelope", name], () => ({ rows: [1] }));
    const reading = dialectNamed(name)?.read(JSON.parse(good.said.stdout));
    if (name !== "problem-details") expect(reading).toMatchObject({ outcome: { ok: true, data: { rows: [1] } } });
    const bad = await runRecorded([`--envelope=${name}`], () => {
      throw new Error("RATE_LIMITED: later");
    });
    const failure = dialectNamed(name)?.read(JSON.parse(bad.said.stdout));
    expect(failure).toMatchObject({ outcome: { ok: false, error: { code: "RATE_LIMITED", category: "rate_limit" } } });
    expect([good.said.exitCode, bad.said.exitCode]).toEqual([0, 1]);
  });
});

describe("runHelper", () => {
  test("runs any operation, and tells the text of what it throws", async () => {
    const operation = defineOperation({
      namespace: "math",
      name: "halve",
      version: "2.0.0",
      type: "query",
      description: "",
      inputSchema: { type: "object", properties: { of: { type: "number" } }, required: ["of"] },
      outputSchema: { type: "object", properties: { half: { type: "number" } } },
      handler: ({ of }) => {
        if (of === 0) throw new Error("nothing to halve");
        return { half: of / 2 };
      },
    });
    const good = recordedIo(["--of", "3"]);
    await runHelper(operation, { io: good });
    expect(documentIn(good)).toMatchObject({ schema_version: "2.0.0", half: 1.5 });
    const bad = recordedIo(["--of", "0"]);
    await runHelper(operation, { io: bad });
    expect(documentIn(bad)).toMatchObject({ error: { code: "EXECUTION_ERROR", message: "nothing to halve" } });
  });

  test("prints each value of a subscription as a line, and an error as the last", async () => {
    const count = defineHelper({
      name: "count",
      version: "1.0.0",
      type: "subscription",
      async *run({ skip }) {
        yield { at: 1 };
        skip("two");
        yield { at: 2 };
        throw new Error("NO_MORE: three is missing");
      },
    });
    const io = recordedIo();
    await runHelper(count, { io });
    const lines = io.said.stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: "ok", at: 1 },
      { status: "partial", at: 2, skipped_sources: ["two"] },
      { status: "error", error: { code: "NO_MORE" } },
    ]);
    expect(io.said.exitCode).toBe(1);
  });

  test("does nothing while its module is imported, or where another file is the main one", async () => {
    const io = recordedIo();
    await whileImporting(() => runHelper(() => ({}), { io }));
    await runHelper(() => ({}), { io, main: import.meta });
    await runHelper(() => ({}), { io, main: { exports: {} } as never });
    expect(io.said).toEqual({ stdout: "", stderr: "", exitCode: undefined });
  });

  test("answers with an error where there is no helper, or an option is unknown", async () => {
    for (const [what, options] of [
      [undefined, {}],
      [{ id: "a.b" }, {}],
      [() => ({}), { colour: "red" }],
      [() => ({}), { version: "1" }],
      [defineHelper({ name: "a", version: "1.0.0", run: () => 1 }), { version: "2.0.0" }],
    ] as const) {
      const io = recordedIo();
      await runHelper(what as never, { ...options, io } as object);
      expect(documentIn(io)).toMatchObject({ status: "error" });
      expect(io.said.exitCode).toBe(1);
    }
  });
});
