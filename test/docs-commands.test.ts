import { readFileSync } from "node:fs";
import { test } from "vitest";
import { describeWith } from "./describe-with.js";
import { expectSession, type Session } from "./docs-session.js";
import { expectBlock } from "./generated-block.js";
import { findTerminal } from "./pseudo-terminal.js";

const EVERYTHING = '--mcp "npx -y @modelcontextprotocol/server-everything"';
const TODOS = "--module examples/gateway/todos.ts";

const QUICK_START: readonly Omit<Session, "page">[] = [
  { name: "mcp-ls", lines: [`npx plico ls ${EVERYTHING}`] },
  {
    name: "mcp-call",
    lines: [
      `npx plico call get-sum a=2 b=3 ${EVERYTHING}`,
      `npx plico call get-sum a=2 c=3 ${EVERYTHING}`,
    ],
  },
  {
    name: "others",
    lines: [
      "npx plico ls --openapi examples/gateway/pet-store.openapi.json",
      "npx plico call triage maxCount=2 --script examples/helpers/triage.mjs --data | head -c 60",
      `npx plico call list open=true ${TODOS}`,
    ],
  },
  {
    name: "pipe",
    lines: [`npx plico call finish id=2 ${TODOS} | cat`, `npx plico call finish id=9 ${TODOS} > /dev/null; echo $?`],
  },
  { name: "file-ls", lines: ["npx plico ls todos git --config examples/gateway/plico.json"] },
];

describeWith("docs/quick-start.md", findTerminal(), (script) => {
  test("shows the file", () => {
    const file = readFileSync(new URL("../examples/gateway/plico.json", import.meta.url), "utf8");
    expectBlock("docs/quick-start.md", "file", `\`\`\`jsonc\n${file}\`\`\``);
  });

  test.each(QUICK_START)("shows what people get from $name", { timeout: 30_000 }, (session) =>
    expectSession(script, { page: "docs/quick-start.md", ...session }),
  );
});
