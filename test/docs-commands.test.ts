import { readFileSync } from "node:fs";
import { test } from "vitest";
import { describeWith } from "./describe-with.js";
import { expectSession, type Session } from "./docs-session.js";
import { expectBlock } from "./generated-block.js";
import { natsServer } from "./nats-server.js";
import { programOnThisMachine } from "./program.js";
import { findTerminal } from "./pseudo-terminal.js";

const EVERYTHING = '--mcp "npx -y @modelcontextprotocol/server-everything"';
const TODOS = "--module examples/gateway/todos.ts";

type Part = Omit<Session, "page">;

const QUICK_START: readonly Part[] = [
  { name: "mcp-ls", lines: [`npx plico ls ${EVERYTHING}`] },
  {
    name: "mcp-call",
    lines: [`npx plico call get-sum a=2 b=3 ${EVERYTHING}`, `npx plico call get-sum a=2 c=3 ${EVERYTHING}`],
  },
  {
    name: "others",
    lines: [
      "npx plico ls --openapi examples/gateway/pet-store.openapi.json",
      "npx plico describe triage --script examples/helpers/triage.mjs",
      `npx plico call list open=true ${TODOS}`,
    ],
  },
  {
    name: "pipe",
    lines: [`npx plico call finish id=2 ${TODOS} | cat`, `npx plico call finish id=9 ${TODOS} > /dev/null; echo $?`],
  },
  { name: "file-ls", lines: ["npx plico ls todos git --config examples/gateway/plico.json"] },
];

const MCP_SERVERS = {
  files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  github: { url: "https://api.githubcopilot.com/mcp/", headers: { Authorization: "Bearer ghp_16C7e42F292c6912E7" } },
};

const COMMANDS: readonly Part[] = [
  { name: "ls", lines: ["plico ls todos pets", "plico ls --module nowhere.mjs"] },
  { name: "describe", lines: ["plico describe todos.finish"] },
  { name: "call", lines: ["plico call todos.list open=true", "plico call todos.finish id=9"] },
  {
    name: "call-wrong",
    lines: ["plico call todos.add txt=milk", "plico call todos.finish id=nine", "plico call todos.finnish id=1"],
  },
  {
    name: "call-pipe",
    lines: [
      "plico call todos.list open=true | cat",
      "plico call todos.list open=true --data | cat",
      "plico call todos.finish id=9 --as problem-details 2>/dev/null | cat",
    ],
  },
  { name: "serve", lines: ["timeout --signal INT 2 plico serve --port 0 --module todos.ts"] },
  { name: "types", lines: ["plico types todos | head -n 46"] },
  { name: "doctor", lines: ["plico doctor --module todos.ts --openapi nowhere.yaml"] },
  {
    name: "init",
    home: { ".mcp.json": JSON.stringify({ mcpServers: MCP_SERVERS }) },
    answer: "y",
    lines: ["plico init"],
  },
  {
    name: "documents",
    cwd: "examples/documents",
    lines: ["plico read invalid-input.txt", "plico check root-data.json"],
  },
];

describeWith("the README", findTerminal(), (script) => {
  test("shows what people get in a minute", () => {
    const lines = [
      `npx plico ls ${TODOS}`,
      `npx plico call get-sum a=2 b=3 ${EVERYTHING}`,
      "npx plico describe adopt --openapi examples/gateway/pet-store.openapi.json",
    ];
    return expectSession(script, { page: "README.md", name: "minute", lines });
  });
});

describeWith("docs/quick-start.md", findTerminal(), (script) => {
  test("shows the file", () => {
    const file = readFileSync(new URL("../examples/gateway/plico.json", import.meta.url), "utf8");
    expectBlock("docs/quick-start.md", "file", `\`\`\`jsonc\n${file}\`\`\``);
  });

  test.each(QUICK_START)("shows what people get from $name", (part) =>
    expectSession(script, { page: "docs/quick-start.md", ...part }),
  );
});

describeWith("docs/commands.md on NATS", programOnThisMachine("nats-server"), (program) => {
  describeWith("in a terminal", findTerminal(), (script) => {
    test("shows what people get from worker", async () => {
      const server = await natsServer(program);
      try {
        const lines = ["timeout --signal INT 3 plico worker --nats $NATS_URL --module todos.ts"];
        const place = { page: "docs/commands.md", name: "worker", cwd: "examples/gateway" };
        await expectSession(script, { ...place, lines, env: { NATS_URL: server.url } });
      } finally {
        await server.close();
      }
    });
  });
});

describeWith("docs/commands.md", findTerminal(), (script) => {
  test.each(COMMANDS)("shows what people get from $name", (part) =>
    expectSession(script, { page: "docs/commands.md", cwd: "examples/gateway", ...part }),
  );
});
