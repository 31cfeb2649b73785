import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DIALECTS } from "../dialects/all.js";
import { type Captured, runCaptured } from "./fixtures/run-captured.js";

const folder = mkdtempSync(join(tmpdir(), "plico-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const V2 = { success: true, data: { id: 0 }, error: null, meta: { version: "response-v2" } };
const PAGED = { ...V2, meta: { version: "response-v2", pagination: { cursor: "abc", has_more: true } } };
const FAILED = {
  success: false,
  data: {
    error_code: "E_MAIL",
    error_type: "validation",
    remediation: "Fix it",
    validation_errors: [{ field: "email", message: "is none" }],
  },
  error: "Bad input",
  meta: { version: "response-v2", request_id: "req_1" },
};
const HELPER = {
  schema_version: "1.2.0",
  status: "ok",
  error: null,
  agent: "codex",
  ts: "2026-05-01T09:00:00Z",
  rows: [],
};
const ERROR_BLOCK = `__ENVELOPE_V1__:${Buffer.from(
  JSON.stringify({
    payload: { category: "validation", code: "E", message: "no", recoverable: true },
    meta: { tool: "t", ts: "2026-05-01T09:00:00Z", version: 1 },
  }),
).toString("base64")}`;

const plico = (argv: string[], input?: unknown, { isTTY = false, env = {} } = {}): Promise<Captured> =>
  runCaptured(argv, { input, isTTY, env });

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("plico", () => {
  test("shows an overview, and fails without a command", async () => {
    expect((await plico(["--help"])).out).toContain("convert");
    expect(await plico([])).toMatchObject({ code: 2, out: "" });
  });

  test("names the option that was meant", async () => {
    expect((await plico(["read", "--jsn"])).err).toContain("did you mean --json?");
  });

  test("shows the version, also after a command", async () => {
    expect(await plico(["--version"])).toMatchObject({ code: 0, out: "0.0.0-source\n" });
    expect(await plico(["-v"])).toMatchObject({ code: 0, out: "0.0.0-source\n" });
    expect(await plico(["read", "--version"])).toMatchObject({ code: 0, out: "0.0.0-source\n" });
  });

  test.each(["detect", "read", "convert", "check"])("shows the help of %s", async (command) => {
    const { code, out } = await plico([command, "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: plico ${command} `));
  });

  test.each([
    ["converge", "convert"],
    ["dotcor", "doctor"],
    ["list", "ls"],
    ["desc", "describe"],
  ])("in place of %s suggests %s", async (given, meant) => {
    const { code, err } = await plico([given]);
    expect(code).toBe(2);
    expect(err).toContain(`did you mean "${meant}"?`);
  });

  test("finds and writes files from where it runs", async () => {
    file("near.json", JSON.stringify({ content: [], isError: false }));
    const argv = ["convert", "--to", "response-envelope", "near.json", "--report", "near-report.json"];
    expect(await runCaptured(argv, { cwd: folder })).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, "near-report.json"))).toBe(true);
  });

  test("shows the help of a command that is named after help", async () => {
    expect(await plico(["help", "call"])).toEqual(await plico(["call", "--help"]));
    expect((await plico(["help", "nothing"])).code).toBe(2);
    expect((await plico(["help", "help"])).out).toContain("Usage: plico COMMAND");
  });

  test.each([
    ["an unknown flag", ["read", "--nope"]],
    ["two files", ["read", "a", "b"]],
    ["a missing file", ["read", join(folder, "absent.json")]],
    ["a folder", ["read", folder]],
    ["a size that is none", ["read", "--max-bytes", "many"]],
    ["a size of zero", ["read", "--max-bytes", "0"]],
    ["no target", ["convert"]],
    ["an unknown target", ["convert", "--to", "xml"]],
    ["an unknown dialect to check", ["check", "--as", "xml"]],
    ["a major that is none", ["check", "--expect-major", "one"]],
    ["a report that cannot be written", ["convert", "--to", "mcp-result", "--report", join(folder, "no", "where")]],
  ])("exits with 2 and one clear line for %s", async (_, argv) => {
    const { code, err } = await plico(argv, V2);
    expect(code).toBe(2);
    expect(err).toMatch(/^plico: /);
    expect(err).not.toContain("    at ");
  });
});

describe("the input", () => {
  test.each([
    ["nothing", "", 1],
    ["blanks", " \n\t", 1],
    ["a truncated document", '{"success":true,', 1],
  ])("that is %s is the document's fault", async (_, input, code) => {
    expect((await plico(["read"], input)).code).toBe(code);
  });

  test("that is broken JSON names line and column", async () => {
    const { err } = await plico(["read"], '{\n  "success": true,\n  "data": nope\n}');
    expect(err).toContain("line 3, column 11");
  });

  test("can be a file, `-`, or nothing", async () => {
    const path = file("v2.json", JSON.stringify(V2));
    expect((await plico(["detect", path])).out).toMatch(/^response-v2/);
    expect((await plico(["detect", "-"], V2)).out).toMatch(/^response-v2/);
    expect((await plico(["detect"], V2)).out).toMatch(/^response-v2/);
  });

  test("can begin with a byte order mark", async () => {
    expect((await plico(["detect"], `\uFEFF${JSON.stringify(V2)}`)).code).toBe(0);
  });

  test("can be JSON lines, each answered on a line", async () => {
    const { code, out } = await plico(
      ["read", "--json"],
      `${JSON.stringify(V2)}\n\n${JSON.stringify(HELPER)}\n${ERROR_BLOCK}\n`,
    );
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).dialect),
    ).toEqual(["response-v2", "helper-output", "tool-envelope-v1"]);
  });

  test("goes on after a broken line and names it", async () => {
    const { code, out, err } = await plico(["detect"], `${JSON.stringify(V2)}\n{"a":\n${JSON.stringify(HELPER)}\n`);
    expect(code).toBe(1);
    expect(out.match(/^[\w-]+/gm)).toEqual(["response-v2", "helper-output"]);
    expect(err).toContain("line 2, column 6");
  });

  test("can be a bare block", async () => {
    expect((await plico(["detect"], `${ERROR_BLOCK}\n`)).out).toMatch(/^tool-envelope-v1/);
  });

  test("is bounded, whether a file or a stream", async () => {
    const path = file("large.json", JSON.stringify(V2));
    expect((await plico(["read", "--max-bytes", "10", path])).code).toBe(1);
    expect((await plico(["read", "--max-bytes", "10"], V2)).code).toBe(1);
    expect((await plico(["read", "--max-bytes", "1000"], V2)).code).toBe(0);
  });

  test("must be UTF-8", async () => {
    const path = file("utf16.json", Buffer.from("\uFEFF{}", "utf16le"));
    expect(await plico(["read", path])).toMatchObject({ code: 1, err: expect.stringContaining("UTF-8") });
  });
});

describe("plico detect", () => {
  test("tells where inside an MCP result the document is", async () => {
    const { out } = await plico(["detect"], { content: [{ type: "text", text: JSON.stringify(V2) }] });
    expect(out).toMatch(/^response-v2 in \/content\/0\/text of mcp-result/);
  });

  test("says of a stranger what it is, and of a near miss what it looks like", async () => {
    expect(await plico(["detect"], { a: 1 })).toMatchObject({ code: 1, out: "" });
    expect(await plico(["detect"], { success: true })).toMatchObject({
      code: 1,
      err: expect.stringContaining("response-v2"),
    });
  });
});

describe("plico read", () => {
  test("gives dialect and outcome as JSON", async () => {
    const { out } = await plico(["read", "--json"], FAILED);
    expect(JSON.parse(out)).toEqual({
      dialect: "response-v2",
      outcome: {
        ok: false,
        error: {
          category: "validation",
          code: "E_MAIL",
          message: "Bad input",
          recoverable: true,
          issues: [{ path: "/email", message: "is none" }],
          suggestedAction: "Fix it",
        },
        meta: { requestId: "req_1" },
      },
    });
  });

  test("shows people headline, fields, suggestion and small print", async () => {
    const { code, out } = await plico(["read"], FAILED);
    expect(code).toBe(0);
    for (const shown of ["[E_MAIL]: Bad input", "/email: is none", "Suggestion: Fix it", "req_1"])
      expect(out).toContain(shown);
  });

  test("shows falsy data as it is", async () => {
    for (const data of [0, false, null, ""]) {
      const { out } = await plico(["read"], { data, meta: { source: "local", operationId: "a.b", timestamp: 0 } });
      expect(out).toContain(`Data\n  ${JSON.stringify(data)}`);
    }
  });

  test("shows the pages to come", async () => {
    expect((await plico(["read"], PAGED)).out).toContain("more to come");
  });

  test("colours on a terminal only, and never with NO_COLOR", async () => {
    expect((await plico(["read"], V2)).out).not.toContain("\u001b[");
    expect((await plico(["read"], V2, { isTTY: true })).out).toContain("\u001b[");
    expect((await plico(["read"], V2, { isTTY: true, env: { NO_COLOR: "1" } })).out).not.toContain("\u001b[");
  });

  test("gives the text beside a damaged block, and fails", async () => {
    const damaged = {
      content: [
        { type: "text", text: "for people" },
        { type: "text", text: "__ENVELOPE_V1__:!" },
      ],
    };
    const { code, out, err } = await plico(["read", "--json"], damaged);
    expect(code).toBe(1);
    expect(JSON.parse(out).outcome).toMatchObject({
      ok: true,
      data: "for people",
      meta: { warnings: [{ code: "ENVELOPE_DAMAGED" }] },
    });
    expect(err).toContain("base64");
  });

  test("names numbers that JavaScript cannot hold", async () => {
    const { err } = await plico(["read"], JSON.stringify(V2).replace('"id":0', '"id":12345678901234567890'));
    expect(err).toContain("/data/id: 12345678901234567890");
  });
});

describe("plico convert", () => {
  test.each(DIALECTS.map(({ name }) => name))("to %s is read back as the same data", async (name) => {
    const { code, out } = await plico(["convert", "--to", name], V2);
    expect(code).toBe(0);
    expect(JSON.parse((await plico(["read", "--json"], out)).out)).toMatchObject({
      dialect: name,
      outcome: { ok: true, data: { id: 0 } },
    });
  });

  test("tells each loss on standard error", async () => {
    const { code, err } = await plico(["convert", "--to", "helper-output"], PAGED);
    expect(code).toBe(0);
    expect(err).toMatch(/^lost: \/meta\/pagination: .+$/m);
  });

  test("writes nothing with --strict if anything is lost", async () => {
    expect(await plico(["convert", "--to", "helper-output", "--strict"], PAGED)).toMatchObject({ code: 1, out: "" });
    expect((await plico(["convert", "--to", "helper-output", "--strict"], V2)).code).toBe(0);
  });

  test("writes the losses into a report", async () => {
    const path = join(folder, "report.json");
    await plico(["convert", "--to", "helper-output", "--report", path], PAGED);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      from: "response-v2",
      to: "helper-output",
      lost: [{ path: "/meta/pagination" }],
    });
  });

  test("counts a number that changes as lost", async () => {
    const text = JSON.stringify(V2).replace('"id":0', '"id":12345678901234567890');
    expect(await plico(["convert", "--to", "mcp-result", "--strict"], text)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^lost: \/data\/id: /),
    });
  });

  test("reproduces a document of the same dialect", async () => {
    expect(JSON.parse((await plico(["convert", "--to", "helper-output"], HELPER)).out)).toEqual(HELPER);
    expect((await plico(["convert", "--to", "tool-envelope-v1"], ERROR_BLOCK)).out).toBe(`${ERROR_BLOCK}\n`);
  });

  test("keeps to a line each for JSON lines", async () => {
    const { out } = await plico(
      ["convert", "--to", "helper-output"],
      `${JSON.stringify(V2)}\n${JSON.stringify(HELPER)}\n`,
    );
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).status),
    ).toEqual(["ok", "ok"]);
  });
});

describe("plico check", () => {
  test("finds nothing wrong with a good document", async () => {
    expect((await plico(["check"], V2)).code).toBe(0);
  });

  test("names the anti-patterns of response-v2 with their paths, though the document has no version", async () => {
    const { code, out } = await plico(["check", "--json"], { success: true, user_id: "123", meta: {} });
    expect(code).toBe(1);
    const { dialect, valid, violations } = JSON.parse(out);
    expect({ dialect, valid }).toEqual({ dialect: "response-v2", valid: false });
    expect(violations).toContainEqual(expect.objectContaining({ path: "/user_id", rule: "anti-pattern-data-at-root" }));
    expect(violations).toContainEqual(
      expect.objectContaining({ path: "/meta/version", rule: "anti-pattern-missing-version" }),
    );
  });

  test("checks as another dialect when asked", async () => {
    expect(await plico(["check", "--as", "helper-output"], V2)).toMatchObject({
      code: 1,
      out: expect.stringContaining("schema-version"),
    });
  });

  test("pins the major of a helper", async () => {
    expect((await plico(["check", "--expect-major", "1"], HELPER)).code).toBe(0);
    expect(await plico(["check", "--expect-major", "2"], HELPER)).toMatchObject({
      code: 1,
      out: expect.stringContaining("UNSUPPORTED_VERSION"),
    });
    expect((await plico(["check", "--expect-major", "1"], V2)).code).toBe(1);
  });

  test("gives advice without failing", async () => {
    const { code, out } = await plico(["check"], { meta: { status: "ok", summary: "x".repeat(81) }, data: null });
    expect(code).toBe(0);
    expect(out).toContain("summary-length");
  });
});

describe("what is told to people", () => {
  test("cannot move the cursor or change the title", async () => {
    const evil = { ...FAILED, error: "\u001b]0;title\u0007\u001b[2J\u202E\u001b[31mred" };
    for (const isTTY of [true, false]) {
      const { out } = await plico(["read"], evil, { isTTY });
      expect(out).toContain("\\u001b]0;title\\u0007\\u001b[2J\\u202e\\u001b[31mred");
    }
  });

  test("is one line a loss, whatever its path", async () => {
    const forged = { ...V2, meta: { version: "response-v2", "x\nlost: /fake: y": 1 } };
    const { err } = await plico(["convert", "--to", "helper-output"], forged);
    expect(err.match(/^lost: /gm)).toHaveLength(1);
  });

  test("is no stack trace, even where the path of a file runs through another file", async () => {
    const path = join(file("plain.json", "{}"), "below");
    expect(await plico(["read", path])).toMatchObject({ code: 2, err: expect.not.stringContaining("    at ") });
  });
});

describe("a large input", () => {
  test("of many blocks is looked into in time", async () => {
    const content = Array.from({ length: 20_000 }, () => ({ type: "text", text: "{}" }));
    expect((await plico(["detect"], { content })).out).toMatch(/^mcp-result/);
  });

  test("of many unknown fields is written in time", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key${at}`, at]));
    const document = { ...V2, meta: { version: "response-v2", ...unknown } };
    expect(JSON.parse((await plico(["convert", "--to", "response-v2"], document)).out)).toEqual(document);
  });

  test("of a number below many levels is told", async () => {
    const deep = `${"[".repeat(50_000)}12345678901234567890${"]".repeat(50_000)}`;
    const text = JSON.stringify(V2).replace('"id":0', `"id":${deep}`);
    expect((await plico(["convert", "--to", "helper-output"], text)).err).toContain("12345678901234567890 becomes");
  });
});
