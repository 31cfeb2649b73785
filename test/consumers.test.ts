import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prefixOf } from "../src/dialects/envelope-block.js";
import { FIXTURES } from "../src/dialects/fixtures/by-dialect.js";
import { helperOutput } from "../src/dialects/helper-output.js";
import type { Outcome } from "../src/envelope/outcome.js";
import { type Advice, adviceOf, helperAdviceOf, type Printed, STRANGE, WRITTEN } from "./consumer-documents.js";
import { describeWith } from "./describe-with.js";
import { blocksUnder, codeUnder } from "./docs-code.js";
import { programOnThisMachine } from "./program.js";

const PAGE = "docs/consume-helpers.md";
const MAJOR = 1;

const ALL = [...WRITTEN, ...STRANGE];
const OF_HELPERS = ALL.filter(({ label }) => !/^[\w-]+ \w*: /.test(label) || label.startsWith("helper-output"));
/** As other programs print them, and not only Plico. */
const FOREIGN = Object.entries(FIXTURES).flatMap(([name, { accepts = [] }]) =>
  accepts.map(({ label, document }) => ({
    label: `${name}: ${label}`,
    text: typeof document === "string" ? document : JSON.stringify(document),
  })),
);

let work: string;
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "plico-consumers-"));
  writeFileSync(join(work, "each.py"), EACH_IN_PYTHON);
  writeFileSync(join(work, "each.sh"), EACH_IN_SHELL);
});
afterAll(() => rmSync(work, { recursive: true }));

/** Reads each numbered file; a line of JSON for each. */
const EACH_IN_PYTHON = `
import json, sys
from snippet import consume
for at in range(int(sys.argv[1])):
    with open(f"{at}.txt", "rb") as file:
        print(json.dumps(consume(file.read(), ${MAJOR})))
`;
const EACH_IN_SHELL = `
set -eu
. ./snippet.sh
at=0
while [ "$at" -lt "$1" ]; do
  consume ${MAJOR} <"$at.txt"
  at=$((at + 1))
done
`;

describeWith("the Python snippets", programOnThisMachine("python3"), (python) => {
  const run = (heading: string, printed: readonly Printed[]) => {
    writeFileSync(join(work, "snippet.py"), codeUnder(PAGE, heading, "python"));
    return results([python, "-B", "each.py"], printed);
  };

  test("read what Plico writes, in every format, as Plico does", () => {
    expectSame(ALL, run("### Python, any format", ALL));
  });

  test("do with the documents of others what Plico advises", () => {
    expectSameAction(FOREIGN, run("### Python, any format", FOREIGN));
  });

  test("read helper-output as Plico does, in fewer lines", () => {
    expectSame(OF_HELPERS, run("### Python", OF_HELPERS), helperAdviceOf);
  });

  test("are used as is shown", () => {
    writeHelper();
    writeFileSync(join(work, "use.py"), blocksUnder(PAGE, "### Python", "python").slice(0, 2).join("\n"));
    expect(text(python, ["use.py"])).toBe("{'open': [1]} Sources skipped: journal\n");
  });
});

describeWith("the shell snippets", programOnThisMachine("jq"), () => {
  const write = (heading: string) => writeFileSync(join(work, "snippet.sh"), codeUnder(PAGE, heading, "sh"));
  const run = (heading: string, printed: readonly Printed[]) => {
    write(heading);
    return results(["sh", "each.sh"], printed);
  };
  /** A process of jq costs more than all documents together. */
  const runAtOnce = (printed: readonly Printed[]) => {
    write("### Shell, any format");
    const values = printed.map(({ text }) => (prefixOf(text) === undefined ? JSON.parse(text) : text.trim()));
    writeFileSync(join(work, "all.json"), JSON.stringify(values));
    return lines("sh", ["-c", `. ./snippet.sh; jq -c --argjson major ${MAJOR} ".[] | [.] | $CONSUME" all.json`]);
  };

  test("read what Plico writes, in every format, as Plico does", () => {
    expectSame(WRITTEN, runAtOnce(WRITTEN));
  });

  test("do with the documents of others what Plico advises", () => {
    expectSameAction(FOREIGN, runAtOnce(FOREIGN));
  });

  test("read what a program prints, whatever it is", () => {
    const some = [...WRITTEN.filter(({ label }) => SINGLED_OUT.test(label)), ...STRANGE];
    expectSame(some, run("### Shell, any format", some));
  });

  test("read helper-output as Plico does, in fewer lines", () => {
    const some = OF_HELPERS.filter(({ label }) => !label.includes(": ") || SINGLED_OUT.test(label));
    expectSame(some, run("### Shell", some), helperAdviceOf);
  });

  test("are used as is shown", () => {
    writeHelper();
    writeFileSync(join(work, "use.sh"), blocksUnder(PAGE, "### Shell", "sh").slice(0, 2).join("\n"));
    expect(text("sh", ["use.sh"]).replaceAll(/\s+/g, " ")).toBe('{ "open": [ 1 ] } "Sources skipped: journal" ');
  });
});

const SINGLED_OUT = /: (zero|partial|a missing tool with a hint|text to escape|large)$/;

function results([program = "", ...words]: readonly string[], printed: readonly Printed[]): Advice[] {
  for (const [at, { text }] of printed.entries()) writeFileSync(join(work, `${at}.txt`), text);
  return lines(program, [...words, String(printed.length)]);
}

function lines(program: string, words: readonly string[]): Advice[] {
  const printed = text(program, words).trimEnd().split("\n");
  return printed.map((line) => JSON.parse(line));
}

function text(program: string, words: readonly string[]): string {
  return execFileSync(program, words, { cwd: work, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The program that the page calls. */
function writeHelper(): void {
  const outcome: Outcome = { ok: true, data: { open: [1] }, meta: { skippedSources: ["journal"] } };
  const { wire } = helperOutput.write(outcome);
  writeFileSync(join(work, "triage.mjs"), `#!/bin/sh\ncat <<'JSON'\n${helperOutput.print(wire)}JSON\n`, {
    mode: 0o755,
  });
}

/** What cannot be read has no words of its own to compare, but that it is another version. */
function expectSame(printed: readonly Printed[], found: readonly Advice[], advise = adviceOf): void {
  expect(found.length).toBe(printed.length);
  for (const [at, { label, text }] of printed.entries()) {
    const { code, message, ...wanted } = advise(text, MAJOR);
    const { code: foundCode, message: foundMessage, ...rest } = found[at] ?? {};
    expect(rest, label).toEqual(wanted);
    if (message !== undefined) expect([foundCode, foundMessage], label).toEqual([code, message]);
    else if (code === "UNSUPPORTED_VERSION") expect(foundCode, label).toBe(code);
  }
}

function expectSameAction(printed: readonly Printed[], found: readonly Advice[]): void {
  const actions = printed.map(({ label, text }) => `${label}: ${adviceOf(text, MAJOR).action}`);
  expect(printed.map(({ label }, at) => `${label}: ${found[at]?.action}`)).toEqual(actions);
}
