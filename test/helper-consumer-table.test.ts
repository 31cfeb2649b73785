import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsumeOptions, consumeHelperOutput, type HelperAdvice } from "../src/dialects/consume-helper-output.js";
import type { ResponseEnvelope } from "../src/envelope/response-envelope.js";
import type { ScriptSourceOptions } from "../src/sources/script/index.js";
import { type Ending, type OneScript, openScript } from "./script-trial.js";

/** What a program prints and how it ends: exit code 1 for `error`, else 0. */
type Document = Readonly<Record<string, unknown>> & { readonly status: string };

const HEAD = { schema_version: "1.4.2", status: "ok", error: null, agent: "codex", ts: "2026-05-01T09:30:00.000Z" };
const OK: Document = { ...HEAD, rows: [1, 2] };
const PARTIAL: Document = {
  ...HEAD,
  status: "partial",
  error: { code: "SOURCES_SKIPPED", message: "The journal is locked." },
  skipped_sources: ["journal", { source: "mail", reason: "offline" }],
  rows: [1],
};
const FAILED: Document = {
  ...HEAD,
  status: "error",
  error: { code: "GATHER_FAILED", message: "The index is locked." },
};
const MISSING: Document = {
  ...HEAD,
  status: "tool-missing",
  error: { code: "TOOL_MISSING", message: "gh is not installed.", suggestedAction: "apt install gh" },
};
const STATUSES = { ok: OK, partial: PARTIAL, error: FAILED, "tool-missing": MISSING };

const PRINT = 'printf "%s\\n" "$1"; exit "$2"';

/** One source for one document, as a program prints it and a consumer of major 1 reads it. */
async function printed(document: Document, options: Partial<ScriptSourceOptions> = {}): Promise<Ending> {
  const exitCode = document.status === "error" ? "1" : "0";
  const command = ["sh", "-c", PRINT, "sh", JSON.stringify(document, null, 2), exitCode];
  const { source, call } = await openScript({ command, outputAs: "helper-output", major: 1, ...options });
  try {
    return await call();
  } finally {
    await source.close();
  }
}

function answerOf(end: Ending): ResponseEnvelope {
  if ("error" in end) throw end.error;
  return end.envelope;
}

/** Who reads the document without a source is advised to do the same. */
function assertAgrees(end: Ending, document: Document, options: ConsumeOptions = { major: 1 }): HelperAdvice {
  const advice = consumeHelperOutput(document, options);
  if (advice.action === "use" || advice.action === "use-with-footer") {
    const { data, meta } = answerOf(end);
    expect(data).toEqual(advice.data);
    expect(meta.skippedSources).toEqual(advice.outcome.meta.skippedSources);
    return advice;
  }
  if ("envelope" in end) throw new Error(`It should have failed: ${advice.action}.`);
  const { code, message, suggestedAction, category } = end.error;
  if (advice.action === "install-hint") {
    expect({ code, message, category }).toEqual({
      code: advice.error.code,
      message: advice.error.message,
      category: "unavailable",
    });
    expect(suggestedAction ?? message).toBe(advice.hint);
  } else if (advice.outcome !== undefined) {
    expect({ code, message }).toEqual({ code: advice.code, message: advice.reason });
  } else {
    expect(code).toBe(advice.code === "UNSUPPORTED_VERSION" ? advice.code : "INVALID_ANSWER");
  }
  return advice;
}

describe("the consumer's table, row by row", () => {
  test.each(Object.entries(STATUSES))("another major: fall back, also from %s", async (_, document) => {
    const next = { ...document, schema_version: "2.0.0" };
    const end = await printed(next);
    const data = `${JSON.stringify(next, null, 2)}\n`;
    const fallBack = { code: "UNSUPPORTED_VERSION", recoverable: false, suggestedAction: expect.any(String) };
    expect(end).toMatchObject({ error: { ...fallBack, data } });
    expect(assertAgrees(end, next)).toMatchObject({ action: "fall-back", code: "UNSUPPORTED_VERSION" });
  });

  test("another major: it is read before anything else that may have changed", async () => {
    const next = { ...HEAD, schema_version: "2.0.0", status: "fine", error: "none" };
    const end = await printed(next);
    expect(end).toMatchObject({ error: { code: "UNSUPPORTED_VERSION" } });
    assertAgrees(end, next);
  });

  test("error: code and message are told, and the consumer falls back", async () => {
    const end = await printed(FAILED);
    expect(end).toMatchObject({ error: { code: "GATHER_FAILED", message: "The index is locked." } });
    expect(assertAgrees(end, FAILED)).toMatchObject({ action: "fall-back", code: "GATHER_FAILED" });
  });

  test("tool-missing: a hint for the user", async () => {
    const end = await printed(MISSING);
    expect(end).toMatchObject({
      error: { code: "TOOL_MISSING", category: "unavailable", recoverable: false, suggestedAction: "apt install gh" },
    });
    expect(assertAgrees(end, MISSING)).toMatchObject({ action: "install-hint", hint: "apt install gh" });
  });

  test("tool-missing: where there is no hint, the message is one", async () => {
    const bare = { ...MISSING, error: { code: "TOOL_MISSING", message: "gh is not installed." } };
    const end = await printed(bare);
    expect(assertAgrees(end, bare)).toMatchObject({ action: "install-hint", hint: "gh is not installed." });
  });

  test("partial: the content, and a footer with the skipped sources", async () => {
    const end = await printed(PARTIAL);
    const { data, meta } = answerOf(end);
    expect(data).toEqual({ rows: [1] });
    expect(meta.skippedSources).toEqual(PARTIAL["skipped_sources"]);
    expect(meta.warnings).toMatchObject([{ code: "SOURCES_SKIPPED", message: "The journal is locked." }]);
    const advice = assertAgrees(end, PARTIAL);
    expect(advice).toMatchObject({ action: "use-with-footer", footer: expect.stringContaining("journal") });
  });

  test("ok: the content", async () => {
    const end = await printed(OK);
    const { data, meta } = answerOf(end);
    expect(data).toEqual({ rows: [1, 2] });
    expect(meta).toMatchObject({ source: "script", exitCode: 0, schemaVersion: "1.4.2", agent: "codex" });
    expect(meta.timestamp).toBe(Date.parse(HEAD.ts));
    expect(meta).not.toHaveProperty("skippedSources");
    expect(meta.warnings ?? []).toEqual([]);
    expect(assertAgrees(end, OK)).toMatchObject({ action: "use" });
  });
});

describe("the version", () => {
  test.each(["1.0.0", "1.99.3", "1.0.1", "1.0.0-beta+7"])("%s is taken by a consumer of major 1", async (version) => {
    const document = { ...OK, schema_version: version };
    const end = await printed(document);
    expect(answerOf(end).meta).toMatchObject({ schemaVersion: version });
    assertAgrees(end, document);
  });

  test.each(["0.9.0", "2.0.0-rc.1", "10.0.0", "11.1.1"])("%s is not", async (version) => {
    const document = { ...OK, schema_version: version };
    assertAgrees(await printed(document), document);
  });

  test.each(["0.1.0", "1.0.0", "7.3.1"])("%s is taken by a consumer who pins none", async (schema_version) => {
    const document = { ...OK, schema_version };
    const end = await printed(document, { major: undefined });
    expect(answerOf(end).data).toEqual({ rows: [1, 2] });
    assertAgrees(end, document, {});
  });

  test("major 0 is a major", async () => {
    const early = { ...OK, schema_version: "0.3.0" };
    assertAgrees(await printed(early, { major: 0 }), early, { major: 0 });
    const end = await printed(OK, { major: 0 });
    expect(end).toMatchObject({ error: { code: "UNSUPPORTED_VERSION" } });
    assertAgrees(end, OK, { major: 0 });
  });

  test.each(["one", "1", "", null, 1])("that is none (%j) makes no document", async (schema_version) => {
    const document = { ...OK, schema_version };
    const end = await printed(document);
    expect(end).toMatchObject({ error: { code: "INVALID_ANSWER" } });
    expect(assertAgrees(end, document)).toMatchObject({ action: "fall-back" });
  });

  test.each([
    ["1.9.0", "answers"],
    ["2.0.0", "UNSUPPORTED_VERSION"],
  ])("that a helper said of itself pins its answers: %s after 1.0.0", async (version, expected) => {
    const document = { ...OK, schema_version: version };
    const sh = `if [ "$1" = --schema ]; then printf '%s' '{"version":"1.0.0"}'; else printf '%s' "$0"; fi`;
    const { source, call } = await openScript({ command: ["sh", "-c", sh, JSON.stringify(document)], describe: true });
    const end = await call();
    expect("error" in end ? end.error.code : "answers").toBe(expected);
    await source.close();
  });
});

describe("what breaks the format", () => {
  test.each<[string, Document]>([
    ["a status that there is not", { ...OK, status: "fine" }],
    ["an error that is no object", { ...FAILED, error: "locked" }],
    ["an error that is missing", { ...FAILED, error: null }],
    ["ok with an error", { ...OK, error: { code: "X", message: "x" } }],
    ["partial without an error", { ...PARTIAL, error: null }],
    ["partial without its sources", { ...PARTIAL, skipped_sources: undefined }],
    ["no agent", { ...OK, agent: undefined }],
    ["no time", { ...OK, ts: undefined }],
    ["a time that is none", { ...OK, ts: "today" }],
  ])("%s is judged as a consumer without a source judges it", async (_, document) => {
    const sent = JSON.parse(JSON.stringify(document)) as Document;
    assertAgrees(await printed(sent), sent);
  });
});

describe("a helper by the kit", () => {
  const helper = fileURLToPath(new URL("fixtures/scripts-hostile/statuses.mjs", import.meta.url));
  let script: OneScript;

  beforeAll(async () => {
    script = await openScript({ command: [process.execPath, helper], describe: true });
  });

  afterAll(() => script.source.close());

  test("has all gathered: ok, exit code 0", async () => {
    const { data, meta } = answerOf(await script.call({ status: "ok" }));
    expect(data).toEqual({ rows: [1, 2] });
    expect(meta).toMatchObject({ source: "script", exitCode: 0, schemaVersion: "1.4.2" });
    expect(meta).not.toHaveProperty("skippedSources");
  });

  test("could not read some sources: partial, exit code 0", async () => {
    const { data, meta } = answerOf(await script.call({ status: "partial" }));
    expect(data).toEqual({ rows: [1] });
    expect(meta).toMatchObject({ exitCode: 0, skippedSources: ["journal", { source: "mail", reason: "offline" }] });
    expect(meta.warnings?.map(({ code }) => code)).toContain("SOURCES_SKIPPED");
  });

  test("failed inside: error", async () => {
    const end = await script.call({ status: "error" });
    expect(end).toMatchObject({ error: { code: "GATHER_FAILED", message: "The index is locked." } });
  });

  test("cannot run here: tool-missing, with the hint", async () => {
    const end = await script.call({ status: "tool-missing" });
    expect(end).toMatchObject({
      error: { code: "TOOL_MISSING", category: "unavailable", recoverable: false, suggestedAction: "apt install gh" },
    });
  });
});
