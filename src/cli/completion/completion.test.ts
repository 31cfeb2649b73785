import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { programOnThisMachine } from "../../../test/program.js";
import { runCaptured } from "../fixtures/run-captured.js";

const folder = mkdtempSync(join(tmpdir(), "plico-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, "plico.json"),
  '{ "sources": { "files": { "mcp": ["x"] }, "pets": { "openapi": "y" } } } // end',
);

async function wordsAfter(...words: string[]): Promise<string[]> {
  return wordsIn(await runCaptured(["completion", "words", "--", ...words], { cwd: folder }));
}

function wordsIn({ code, out }: { readonly code: number; readonly out: string }): string[] {
  expect(code).toBe(0);
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what may follow", () => {
  test("are commands at first", async () => {
    expect(await wordsAfter("")).toEqual(expect.arrayContaining(["ls", "call", "completion", "convert"]));
    expect(await wordsAfter("de")).toEqual(["describe", "detect"]);
  });

  test("are the flags of a command, of which one is given once", async () => {
    expect(await wordsAfter("ls", "--j")).toEqual(["--json"]);
    expect(await wordsAfter("ls", "--json", "--j")).toEqual([]);
    expect(await wordsAfter("ls", "--module", "a", "--mod")).toEqual(["--module"]);
  });

  test("are the values of a flag", async () => {
    expect(await wordsAfter("call", "x", "--as", "mcp")).toEqual(["mcp-result"]);
    expect(await wordsAfter("serve", "--log-level", "")).toEqual(["debug", "info", "warn", "error", "silent"]);
    expect(await wordsAfter("serve", "--log-level=", "--search=o")).toEqual(["--search=off", "--search=on"]);
    expect(await wordsAfter("record", "x.jsonl", "serve", "--log-format", "j")).toEqual(["json"]);
    expect(await wordsAfter("call", "--timeout", "")).toEqual([]);
  });

  test.each([
    [["ls", "--module", ""], ""],
    [["ls", "--config", "p"], ""],
    [["ls", "--config=p"], "--config="],
    [["types", "--out", ""], ""],
    [["init", "--from", ""], ""],
    [["serve", "--replay", ""], ""],
    [["call", "a.b", "--input", "@"], "@"],
    [["call", "a.b", "--input=@x"], "--input=@"],
    [["call", "a.b", "text@=x"], "text@="],
  ])("are names of files, with what stands before them: %j", async (words, before) => {
    const { out } = await runCaptured(["completion", "words", "--", ...words], { cwd: folder });
    expect(out).toBe(before === "" ? ":files\n" : `:files\t${before}\n`);
  });

  test("are operations that were listed, by their names alone where only one has it", async () => {
    const cwd = mkdtempSync(join(folder, "listed-"));
    const inputSchema = { properties: { name: { type: "string" } } };
    const script = (operation: string) => ({ script: ["node"], operation, description: "Tells.", inputSchema });
    const sources = { one: script("greet"), two: script("greet"), three: script("part") };
    writeFileSync(join(cwd, "plico.json"), JSON.stringify({ sources }));
    const options = { cwd, env: { HOME: cwd } };
    expect((await runCaptured(["ls"], options)).code).toBe(0);
    const listedAfter = async (...words: string[]): Promise<string[]> =>
      wordsIn(await runCaptured(["completion", "words", "--", ...words], options));
    expect(await listedAfter("call", "")).toEqual(["one.greet", "two.greet", "three.part"]);
    expect(await listedAfter("describe", "p")).toEqual(["part"]);
    expect(await listedAfter("call", "g")).toEqual([]);
    expect(await listedAfter("record", "x.jsonl", "call", "t")).toEqual(["two.greet", "three.part"]);
    expect(await listedAfter("record", "x.jsonl", "call", "part", "")).toEqual(["name="]);
    expect(await listedAfter("record", "x.jsonl", "serve", "")).toEqual([]);
  });

  test("are sources, and operations of which only the source is known", async () => {
    expect(await wordsAfter("ls", "")).toEqual(["files", "pets"]);
    expect(await wordsAfter("ls", "files", "p")).toEqual(["pets"]);
    expect(await wordsAfter("call", "")).toEqual(["files.", "pets."]);
  });

  test("are files where a command reads one, and nothing where nothing is known", async () => {
    expect(await wordsAfter("read", "")).toEqual([":files"]);
    expect(await wordsAfter("nonsense", "")).toEqual([]);
    expect(await wordsAfter("call", "--config", "nowhere.json", "")).toEqual([]);
  });
});

test("a shell that is not known is refused", async () => {
  expect((await runCaptured(["completion", "tcsh"])).code).toBe(2);
  expect((await runCaptured(["completion"])).code).toBe(2);
});

/** Stands for the command: keeps its words, and answers what the test wants. */
const asked = join(folder, "asked");
const answers = join(folder, "answers");
const plico = join(folder, "plico");
writeFileSync(plico, `#!/bin/sh\nshift 3\nfor word; do echo "$word"; done > ${asked}\ncat ${answers}\n`);
chmodSync(plico, 0o755);
const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, HOME: folder };

async function scriptOf(shell: string): Promise<string> {
  const { code, out } = await runCaptured(["completion", shell]);
  expect(code).toBe(0);
  return out;
}

const askedWords = (): string[] => readFileSync(asked, "utf8").replace(/\n$/, "").split("\n");

describe("bash", () => {
  /** As bash does: the line, its parts, which break at `=`, `:` and `@` too, and what is to be replaced, with an `@` before it. */
  async function complete(line: string, parts: readonly string[], answer: string): Promise<string[]> {
    writeFileSync(answers, answer);
    const words = parts.map((part) => `'${part}'`).join(" ");
    const text = `${await scriptOf("bash")}
compopt() { echo "compopt $*"; }
COMP_WORDBREAKS=$' \\t\\n"'"'"'><=;|&(:@'
COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${words}) COMP_CWORD=${parts.length - 1}
_plico plico '${/@?[^\s=:@]*$/.exec(line)?.[0]}' '${parts.at(-2)}'
printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", text], { env, cwd: folder, encoding: "utf8" }).split("\n").filter(Boolean);
  }

  test("asks with the words up to the cursor", async () => {
    expect(await complete("plico call ma", ["plico", "call", "ma"], "math.add\tAdds.\nmath.sub\n")).toEqual([
      "math.add",
      "math.sub",
    ]);
    expect(askedWords()).toEqual(["call", "ma"]);
  });

  test("asks with an empty word after a blank", async () => {
    await complete("plico call ", ["plico", "call", ""], "");
    expect(askedWords()).toEqual(["call", ""]);
  });

  test("puts words together again that bash took apart, and gives only what follows", async () => {
    const parts = ["plico", "call", "a", "x", "=", "@", "y", "mood", "=", "s"];
    expect(await complete("plico call a x=@y mood=s", parts, "mood=sad\n")).toEqual(["sad"]);
    expect(askedWords()).toEqual(["call", "a", "x=@y", "mood=s"]);
    await complete("plico call --input @f", ["plico", "call", "--input", "@", "f"], "");
    expect(askedWords()).toEqual(["call", "--input", "@f"]);
  });

  test("goes on without a blank after = and a dot, and leaves files to the shell", async () => {
    expect(await complete("plico call x a", ["plico", "call", "x", "a"], "a=\tnumber\n")).toEqual([
      "compopt -o nospace",
      "a=",
    ]);
    expect(await complete("plico read ", ["plico", "read", ""], ":files\n")).toEqual(["compopt -o default"]);
    const parts = ["plico", "ls", "--config", "=", "pl"];
    expect(await complete("plico ls --config=pl", parts, ":files\t--config=\n")).toEqual(["compopt -o default"]);
  });

  test("names files after an @ itself, as the shell does not", async () => {
    mkdirSync(join(folder, "in"));
    writeFileSync(join(folder, "in", "a b.json"), "{}");
    writeFileSync(join(folder, "x=@y.json"), "{}");
    const filesAt = async (word: string, parts: string[], before: string): Promise<string[]> => {
      const told = await complete(`plico call x --input ${word}`, ["plico", "call", "x", "--input", ...parts], before);
      return told.filter((line) => !line.startsWith("compopt"));
    };
    expect(await filesAt("@plico.j", ["@", "plico.j"], ":files\t@\n")).toEqual(["@plico.json"]);
    expect(await filesAt("@in", ["@", "in"], ":files\t@\n")).toEqual(["@in/"]);
    expect(await filesAt("@in/", ["@", "in/"], ":files\t@\n")).toEqual(["@in/a\\ b.json"]);
    expect(await filesAt("x=@y", ["x", "=", "@", "y"], ":files\n")).toEqual(["@y.json"]);
  });
});

describeWith("fish", programOnThisMachine("fish"), (fish) => {
  test("completes with what it is told, and files where it is told so", async () => {
    const script = join(folder, "plico.fish");
    writeFileSync(script, await scriptOf("fish"));
    const complete = (line: string, answer: string): string[] => {
      writeFileSync(answers, answer);
      const command = `source ${script}; complete -C '${line}'`;
      return execFileSync(fish, ["--no-config", "-c", command], { env, cwd: folder, encoding: "utf8" })
        .trim()
        .split("\n");
    };
    expect(complete("plico call ma", "math.add\tAdds.\n")).toEqual(["math.add\tAdds."]);
    expect(askedWords()).toEqual(["call", "ma"]);
    expect(complete("plico call x mood=s", "mood=sad\n")).toEqual(["mood=sad"]);
    expect(complete("plico read plico.js", ":files\n").join("\n")).toContain("plico.json");
    expect(complete("plico read ", ":files\n").join("\n")).toContain("plico.json");
    expect(complete("plico call x --input @plico.js", ":files\t@\n").join("\n")).toContain("@plico.json");
    expect(complete("plico call x ", "")).toEqual([""]);
  });
});

describeWith("zsh", programOnThisMachine("zsh"), (zsh) => {
  test("asks with its words, and adds what it is told", async () => {
    const script = join(folder, "plico.zsh");
    writeFileSync(script, await scriptOf("zsh"));
    writeFileSync(answers, "math.add\tAdds.\na=\tnumber\n");
    const command = `compdef() { :; }; compadd() { print -r -- "compadd $*" }; _files() { print "files $IPREFIX of $PREFIX" }
source ${script}; words=(plico call ma); CURRENT=3; PREFIX=ma; _plico; print -l -- ended $ended`;
    const out = execFileSync(zsh, ["-f", "-c", command], { env, encoding: "utf8" });
    expect(askedWords()).toEqual(["call", "ma"]);
    expect(out).toContain("compadd -l -d endedShown -a ended");
    expect(out).toContain("compadd -l -S  -d openShown -a open");
    writeFileSync(answers, ":files\n");
    expect(execFileSync(zsh, ["-f", "-c", command], { env, encoding: "utf8" })).toContain("files  of ma");
    writeFileSync(answers, ":files\tm\n");
    expect(execFileSync(zsh, ["-f", "-c", command], { env, encoding: "utf8" })).toContain("files m of a");
  });
});
