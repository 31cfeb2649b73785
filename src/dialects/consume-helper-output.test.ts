import { describe, expect, test } from "vitest";
import { detectAgent } from "./agent.js";
import { consumeHelperOutput } from "./consume-helper-output.js";

const HEAD = { schema_version: "1.4.2", status: "ok", error: null, agent: "claude", ts: "2026-05-01T09:30:00Z" };
const PARTIAL = { ...HEAD, status: "partial", error: { code: "HALF", message: "one is missing" } };
const ERROR = { ...HEAD, status: "error", error: { code: "GATHER_FAILED", message: "locked" } };
const MISSING = { ...HEAD, status: "tool-missing", error: { code: "TOOL_MISSING", message: "gh is absent" } };

describe("a consumer of helper output", () => {
  test("uses what is ok", () => {
    const advice = consumeHelperOutput({ ...HEAD, rows: [1] });
    expect(advice).toMatchObject({ action: "use", data: { rows: [1] }, outcome: { ok: true } });
  });

  test("uses what is partial, and names the skipped sources in a footer", () => {
    const advice = consumeHelperOutput({ ...PARTIAL, rows: [1], skipped_sources: ["journal", { name: "mail" }] });
    if (advice.action !== "use-with-footer") throw new Error(`it is ${advice.action}`);
    expect(advice.data).toEqual({ rows: [1] });
    expect(advice.skippedSources).toEqual(["journal", { name: "mail" }]);
    expect(advice.footer).toContain("journal");
    expect(advice.footer).toContain("mail");
  });

  test("flags a partial answer that names no sources", () => {
    expect(consumeHelperOutput(PARTIAL)).toMatchObject({ action: "use-with-footer", skippedSources: [] });
  });

  test("falls back where the helper failed, with its code", () => {
    expect(consumeHelperOutput(ERROR)).toMatchObject({
      action: "fall-back",
      code: "GATHER_FAILED",
      outcome: { ok: false },
    });
  });

  test("tells people to install what is missing", () => {
    expect(consumeHelperOutput(MISSING)).toMatchObject({ action: "install-hint", error: { code: "TOOL_MISSING" } });
  });

  test("prefers the helper's own suggestion as the hint", () => {
    const error = { ...MISSING.error, suggestedAction: "apt install gh" };
    expect(consumeHelperOutput({ ...MISSING, error })).toMatchObject({ hint: "apt install gh" });
  });

  test("falls back from what is no helper output or breaks its format", () => {
    expect(consumeHelperOutput({ rows: [1] })).toMatchObject({ action: "fall-back", code: "NOT_AN_ENVELOPE" });
    expect(consumeHelperOutput("text")).toMatchObject({ action: "fall-back", code: "NOT_AN_ENVELOPE" });
    const advice = consumeHelperOutput({ ...HEAD, status: "fine" });
    if (advice.action !== "fall-back") throw new Error(`it is ${advice.action}`);
    expect(advice.code).toBe("MALFORMED");
    expect(advice.issues.map(({ rule }) => rule)).toContain("status");
  });

  test.each(["0.9.0", "1.0.0", "7.3.1-rc.1"])("takes version %s where it pins no major", (schema_version) => {
    expect(consumeHelperOutput({ ...HEAD, schema_version }).action).toBe("use");
  });

  test.each(["1.0.0", "1.99.3", "1.0.0-beta+7"])("takes version %s where it pins major 1", (schema_version) => {
    expect(consumeHelperOutput({ ...HEAD, schema_version }, { major: 1 }).action).toBe("use");
  });

  test.each([HEAD, PARTIAL, ERROR, MISSING])("falls back from another major whatever the status is: %j", (document) => {
    const advice = consumeHelperOutput({ ...document, schema_version: "2.0.0" }, { major: 1 });
    expect(advice).toMatchObject({ action: "fall-back", code: "UNSUPPORTED_VERSION" });
  });

  test("pins major 0 too", () => {
    expect(consumeHelperOutput(HEAD, { major: 0 })).toMatchObject({ code: "UNSUPPORTED_VERSION" });
    expect(consumeHelperOutput({ ...HEAD, schema_version: "0.3.0" }, { major: 0 }).action).toBe("use");
  });

  test("falls back from a version that is none", () => {
    expect(consumeHelperOutput({ ...HEAD, schema_version: "one" }, { major: 1 })).toMatchObject({
      action: "fall-back",
      code: "MALFORMED",
    });
  });
});

describe("the agent of an environment", () => {
  test.each([
    [{ CODEX_PROFILE: "work" }, "codex"],
    [{ GEMINI_PROFILE: "work" }, "gemini"],
    [{ CLAUDECODE: "1" }, "claude"],
    [{ CLAUDE_CODE_ENTRYPOINT: "cli" }, "claude"],
    [{ CODEX_PROFILE: "work", GEMINI_PROFILE: "work", CLAUDECODE: "1" }, "codex"],
    [{ GEMINI_PROFILE: "work", CLAUDECODE: "1" }, "gemini"],
    [{ CODEX_PROFILE: "", CLAUDECODE: "1" }, "claude"],
    [{ PATH: "/bin" }, "unknown"],
    [{}, "unknown"],
  ])("told by %j is %s", (env, agent) => {
    expect(detectAgent(env)).toBe(agent);
  });
});
