import { expect, test } from "vitest";
import { runCaptured } from "../src/cli/fixtures/run-captured.js";
import type { Signal } from "../src/cli/io.js";
import { describeWith } from "./describe-with.js";
import { watchResources } from "./left-behind.js";
import { installNpmFolder } from "./npm-folder.js";
import { commandOf, REAL_SERVERS } from "./real-mcp-servers.js";

const assertNothingLeft = watchResources();

describeWith("a real MCP server", installNpmFolder("mcp-servers"), (installed) => {
  const everything = REAL_SERVERS.find(({ recording }) => recording === "everything");
  const command = (everything && commandOf(everything, installed, "/")) ?? [];
  const mcp = ["--mcp", command.map((word) => `"${word}"`).join(" ")];

  test("is listed with its name, and its tools are called by theirs", async () => {
    const { code, out } = await runCaptured(["ls", ...mcp]);
    expect(code).toBe(0);
    expect(out).toMatch(/^\w+ {2}mcp {2}ready {2}\S+everything .* era, \d+ operations, \d+ ms$/m);
    expect(out).toMatch(/\w+\.get-sum +query +in +\{ a: number, b: number \}/);
    const sum = await runCaptured(["call", "get-sum", "a=1", "b=2", "--raw", ...mcp]);
    expect(sum).toEqual({ code: 0, out: "The sum of 1 and 2 is 3.", err: "" });
    const wrong = await runCaptured(["call", "get-sum", "a=x", ...mcp]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/^ {2}b: .*\n {2}a: /m);
  });

  test("shows its progress, and is told to stop", async () => {
    let send: (signal: Signal) => void = () => {};
    const words = ["call", "trigger-long-running-operation", "duration=60", "steps=300", ...mcp];
    const { code, err } = await runCaptured(words, {
      isTTY: true,
      onStart: (given) => {
        send = given;
      },
      onWrite: (part) => {
        if (part.includes("%")) send("SIGINT");
      },
    });
    expect(code).toBe(130);
    expect(err).toContain("aborting");
  });

  test("leaves nothing behind", assertNothingLeft);
});
