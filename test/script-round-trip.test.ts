import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, test } from "vitest";
import { HINT_NAMES } from "../src/envelope/hints.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { type ScriptSourceOptions, scriptSource } from "../src/sources/script/index.js";
import { sampleCalls } from "../src/testing/operations.js";
import type { AsyncTestCase } from "../src/testing/test-bus.js";
import { type RoundTrip, type ServerTestOptions, testServer } from "../src/testing/test-server.js";

const PATIENCE = { timeout: 60_000 };

/** What a process may need to start on a busy machine; a deadline before that would not find anybody to tell. */
const START_MS = 1_500;

interface Way {
  /** For each script. */
  readonly args: string;
  readonly options: Partial<ScriptSourceOptions>;
}

/** As anybody would do it: a directory of scripts. */
async function asScripts(registry: OperationRegistry, { args, options }: Way): Promise<RoundTrip> {
  const folder = await mkdtemp(join(tmpdir(), "plico-samples-"));
  const directory = await writeScripts(folder);
  const relay = await listenForWaiting(registry);
  const env = { PLICO_TEST_ARGUMENTS: args, PLICO_TEST_PORT: String((relay.address() as AddressInfo).port) };
  const source = await scriptSource({ name: "remote", directory, env, startTimeout: 60_000, ...options });
  const remote = new OperationRegistry();
  mountSource(remote, source);
  return {
    attempt: (id, input, { deadline, ...call } = {}) =>
      remote.attempt(id.replace("corpus.", "remote."), input, {
        ...call,
        ...(deadline !== undefined && { deadline: deadline + START_MS }),
      }),
    async close() {
      await source.close();
      relay.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** One file an operation. What they share is one bundle, which a process loads in a third of the time. */
async function writeScripts(folder: string): Promise<string> {
  const directory = join(folder, "scripts");
  const samples = fileURLToPath(new URL("fixtures/scripts-hostile/samples.ts", import.meta.url));
  await build({
    entryPoints: [samples],
    outfile: join(folder, "samples.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    minifyWhitespace: true,
    minifySyntax: true,
  });
  await mkdir(directory);
  const ids = ["corpus.wait", ...sampleCalls.map(({ operation }) => operation.id)];
  await Promise.all(ids.map((id) => writeFile(join(directory, fileOf(id)), scriptOf(id), { mode: 0o755 })));
  return directory;
}

function fileOf(id: string): string {
  return `${id.replace("corpus.", "")}.mjs`;
}

/** Only those that have a schema are to be asked for it: each question is a process of its own. */
function scriptOf(id: string): string {
  const how = id.startsWith("corpus.outcome_") ? "" : "// By runHelper, which answers --schema too.\n";
  return `#!${process.execPath}\n${how}import { runSample } from "../samples.mjs";\nawait runSample("${id}");\n`;
}

/** The handler that waits is here: the script tells when it would begin to wait, and when it was told to stop. */
async function listenForWaiting(registry: OperationRegistry): Promise<Server> {
  const relay = createServer(async (socket) => {
    const controller = new AbortController();
    void registry.attempt("corpus.wait", {}, { signal: controller.signal });
    if ((await text(socket)) === "aborted") controller.abort();
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  return relay;
}

const SKIP = {
  "brings progress while the call runs": "a script says one thing, at its end",
  "answers many calls at once, each with its own": "the crowd is another test; 200 processes of Node take long",
  "throws what nobody expects": "what a script throws it tells, because its text is its user's own",
};

const WAYS: Readonly<Record<string, Way & Required<ServerTestOptions>>> = {
  "with all that is said": {
    args: "--envelope response-envelope",
    options: { outputAs: "response-envelope" },
    skip: SKIP,
    ownHints: ["telemetry"],
  },
  "in the format of helpers": {
    args: "",
    options: { outputAs: "helper-output", describe: false },
    skip: {
      ...SKIP,
      "answers with nothing": "what a helper prints is an object",
      "answers with the names of other formats' fields": "a helper is told to choose other names",
    },
    ownHints: HINT_NAMES.filter((hint) => hint !== "skippedSources"),
  },
};

describe.each(Object.entries(WAYS))("operations that run as scripts, %s", (how, way) => {
  const cases = testServer(how, (registry) => asScripts(registry, way), way);
  const isAnswer = ({ label }: AsyncTestCase): boolean => sampleCalls.some((call) => label.endsWith(`: ${call.label}`));

  describe("answer as if they were called directly", () => {
    for (const { label, run } of cases.filter(isAnswer)) test.concurrent(label, PATIENCE, run);
  });

  describe("behave alike", () => {
    for (const { label, run } of cases.filter((one) => !isAnswer(one))) test(label, PATIENCE, run);
  });
});
