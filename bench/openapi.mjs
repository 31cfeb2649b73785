// Import of large OpenAPI documents as a multiple of the plain parse, and what the first call of an operation costs. Every
// sample is a process of its own; the time to load modules does not count.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./ratio.mjs";

const SAMPLES = Number(process.env.SAMPLES ?? 7);
const here = fileURLToPath(import.meta.url);
const [work, file, baseUrl] = process.argv.slice(2);

/** The packages of `test/npm/NAME`, where the tests have them too. */
function installed(name) {
  const wanted = fileURLToPath(new URL(`../test/npm/${name}/`, import.meta.url));
  const hash = createHash("sha256")
    .update(readFileSync(join(wanted, "package-lock.json")))
    .digest("hex")
    .slice(0, 12);
  const folder = fileURLToPath(new URL(`../.tools/${name}-${hash}`, import.meta.url));
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    for (const one of ["package.json", "package-lock.json"]) copyFileSync(join(wanted, one), join(folder, one));
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  }
  return join(folder, "node_modules");
}

const openSource = async (options) => {
  const { openapiSource } = await import("plico/sources/openapi");
  return () => openapiSource({ name: "api", file, ...options });
};

/** What is measured, after what it needs was loaded; each gives the number of operations it found. */
const IMPORTS = {
  "JSON.parse": async () => () => JSON.parse(readFileSync(file, "utf8")),
  "js-yaml": async () => {
    const { load } = await import("js-yaml");
    return () => load(readFileSync(file, "utf8"));
  },
  plico: () => openSource({}),
};

async function importOnce() {
  const run = await IMPORTS[work]();
  const start = performance.now();
  const result = await run();
  const ms = performance.now() - start;
  const operations = result.operations?.length ?? Object.values(result.paths).flatMap(methodsOf).length;
  await result.close?.();
  return { ms, operations, megabytes: process.resourceUsage().maxRSS / 1024 };
}

const methodsOf = (item) => ["get", "put", "post", "delete", "options", "head", "patch"].filter((name) => item[name]);

/** Ordinary ones, small and large. The first is called before, so that there is a connection and all modules are loaded. */
const REPOSITORY = { owner: "o", repo: "r" };
const CALLS = [
  ["meta_get", {}],
  ["issues_list-for-repo", { ...REPOSITORY, state: "open" }],
  ["users_get-by-username", { username: "u" }],
  ["repos_list-releases", REPOSITORY],
  ["search_code", { q: "x" }],
  ["git_get-commit", { ...REPOSITORY, commit_sha: "c" }],
  ["gists_list", {}],
  ["repos_list-commits", REPOSITORY],
];

async function callOnce() {
  const { mountSource, OperationRegistry } = await import("plico");
  const source = await (await openSource({ baseUrl }))();
  const registry = new OperationRegistry();
  mountSource(registry, source);
  const timed = async ([name, input]) => {
    const start = performance.now();
    const { meta } = await registry.execute(`api.${name}`, input);
    const ms = performance.now() - start;
    if (meta.warnings?.some(({ code }) => code === "OUTPUT_MISMATCH")) throw new Error(`${name}: a wrong example`);
    return ms;
  };
  const [warmUp, ...calls] = CALLS;
  const cold = await timed(warmUp);
  for (let times = 0; times < 20; times++) await timed(warmUp);
  const more = [];
  for (const call of calls) {
    const first = await timed(call);
    const later = [];
    for (let times = 0; times < 20; times++) later.push(await timed(call));
    more.push(first - median(later));
  }
  await source.close();
  return { cold, median: median(more), most: Math.max(...more) };
}

/** Answers with what the document has as an example. */
async function serveExamples(document) {
  const answers = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    const { operationId = "", responses } = item.get ?? {};
    const input = CALLS.find(([name]) => name === operationId.replace("/", "_"))?.[1];
    if (input === undefined) continue;
    answers.set(
      path.replaceAll(/\{(\w+)\}/g, (_, name) => input[name]),
      exampleIn(document, responses[200]),
    );
  }
  const server = createServer(({ url }, response) => {
    const body = answers.get(url.split("?")[0]);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}

function exampleIn(document, { content }) {
  const [example] = Object.values(content["application/json"].examples);
  const name = example.$ref?.split("/").at(-1);
  return Buffer.from(JSON.stringify((name === undefined ? example : document.components.examples[name]).value));
}

/** Not `execFileSync`: this process answers the other's requests. */
function sample(...words) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [here, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`${words[0]} has failed`))));
  });
}

async function compareImports(title, works, document, goal) {
  const samples = Object.fromEntries(works.map((name) => [name, []]));
  for (let round = 0; round < SAMPLES; round++)
    for (const name of works) samples[name].push(await sample(name, document));
  const rows = works.map((name) => ({
    name,
    ms: median(samples[name].map(({ ms }) => ms)),
    // Compared round by round.
    ratio: median(samples[name].map(({ ms }, at) => ms / samples[works[0]][at].ms)),
    megabytes: median(samples[name].map(({ megabytes }) => megabytes)),
    operations: samples[name][0].operations,
  }));
  console.log(`\n${title}`);
  for (const { name, ms, ratio, megabytes, operations } of rows) {
    const judged = name === "plico" ? `goal ${goal}  ${ratio <= goal ? "ok" : "MISSED"}` : "";
    const numbers = [
      `${ms.toFixed(0).padStart(6)} ms`,
      ratio.toFixed(2),
      `${megabytes.toFixed(0)} MB`,
      `${operations} operations`,
    ];
    console.log(`  ${name.padEnd(12)} ${numbers.join("  ")}  ${judged}`);
  }
  return { title, rows };
}

async function firstCalls(document) {
  const server = await serveExamples(JSON.parse(readFileSync(document, "utf8")));
  const samples = [];
  for (let round = 0; round < SAMPLES; round++) samples.push(await sample("calls", document, server.url));
  server.close();
  const of = (name) => median(samples.map((one) => one[name]));
  const more = of("median");
  console.log("\nGitHub, the first call of an operation");
  console.log(
    `  more than a later one  ${more.toFixed(1)} ms  goal 5  ${more < 5 ? "ok" : "MISSED"}   (the worst of ${CALLS.length - 1}: ${of("most").toFixed(1)} ms)`,
  );
  console.log(`  the first of all       ${of("cold").toFixed(1)} ms, with the connection`);
  return { more, most: of("most"), cold: of("cold") };
}

if (work === "calls") console.log(JSON.stringify(await callOnce()));
else if (work !== undefined) console.log(JSON.stringify(await importOnce()));
else {
  const github = join(installed("openapi-github"), "@octokit/openapi/generated/api.github.com.json");
  const stripe = join(process.env.PLICO_CORPUS ?? "", "openapi/apisguru-stripe-2022-11-15.yaml");
  const yaml = existsSync(stripe)
    ? stripe
    : join(installed("openapi-documents"), "@figma/rest-api-spec/openapi/openapi.yaml");
  const json = await compareImports("GitHub, 13 MB of JSON", ["JSON.parse", "plico"], github, 1.5);
  const text = await compareImports(`${yaml.split("/").at(-1)}, YAML`, ["js-yaml", "plico"], yaml, 1.2);
  const first = await firstCalls(github);
  console.log(`JSON ${JSON.stringify({ bench: "openapi", node: process.version, imports: [json, text], first })}`);
}
