// The process of all clients of bench/gateway.mjs: each makes one call after the other, and judges every answer.
import { Agent, request } from "node:http";
import { read } from "plico";

/** No call may take longer, whatever happens to the sources. */
const BOUND_MS = 15_000;

/** A program is started for each call of a script, which takes longer than all else. */
const SOURCES = [...Array(20).fill("desk"), ...Array(12).fill("far"), ...Array(7).fill("api"), "shell"];

/** What a call may fail with while its source is killed, slowed or read anew. */
const ALLOWED = {
  desk: [],
  far: ["unavailable", "network", "timeout", "rate_limit"],
  api: ["unavailable", "network", "timeout", "rate_limit"],
  // Exit codes other than 0 are failures of the operation itself.
  shell: ["unavailable", "network", "timeout", "rate_limit", "execution"],
};

const agent = new Agent({ keepAlive: true });
const tally = { right: {}, failed: {}, givenUp: 0, lists: 0, wrong: 0, lost: 0, hung: 0, first: [] };
const latencies = {};
let isOver = false;
let nextToken = 0;

class Violation extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** One exchange; fails where the answer is not whole, or does not come. */
function exchange({ url, path, method = "POST", headers = {}, body, giveUpAfter }) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length =
      text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const sent = request(new URL(path, url), { method, agent, headers: { ...length, ...headers } });
    let isGivenUp = false;
    const giveUp =
      giveUpAfter === undefined
        ? undefined
        : setTimeout(() => {
            isGivenUp = true;
            sent.destroy();
            resolve(undefined);
          }, giveUpAfter);
    const bound = setTimeout(() => {
      reject(new Violation("hung", `no answer within ${BOUND_MS} ms`));
      sent.destroy();
    }, BOUND_MS);
    const end = () => {
      clearTimeout(bound);
      clearTimeout(giveUp);
    };
    sent.once("error", (error) => {
      end();
      if (!isGivenUp) reject(new Violation("lost", `${error.message} (${error.code})`));
    });
    sent.once("response", (response) => {
      let got = "";
      response.setEncoding("utf8").on("data", (part) => {
        got += part;
      });
      response.once("error", () => {});
      response.once("close", () => {
        end();
        if (isGivenUp) return;
        if (!response.complete) reject(new Violation("lost", "the connection ended in the middle of an answer"));
        else resolve({ status: response.statusCode, headers: response.headers, text: got });
      });
    });
    sent.end(text);
  });
}

function note(what, start) {
  latencies[what] ??= [];
  latencies[what].push(performance.now() - start);
}

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Violation("wrong", `no JSON: ${text.slice(0, 200)}`);
  }
};

/** Answers of MCP come as JSON or as an event. */
function messageIn({ status, headers, text }) {
  if (status !== 200) throw new Violation("wrong", `status ${status}: ${text.slice(0, 200)}`);
  if (!String(headers["content-type"]).startsWith("text/event-stream")) return parsed(text);
  const events = text.split("\n\n").flatMap((event) => event.match(/(?<=^data: ).+/m)?.[0] ?? []);
  return parsed(events.at(-1) ?? "");
}

/** Each client calls a source and gives `{ data }` or `{ error }`, or nothing where it gave up. */
const CLIENTS = {
  async http(url) {
    return async (source, input, giveUpAfter) => {
      const answer = await exchange({ url, path: `/operations/${source}.echo`, body: input, giveUpAfter });
      if (answer === undefined) return undefined;
      const body = parsed(answer.text);
      if (body.success === true && body.error === null && answer.status === 200) return { data: body.data };
      return { error: errorOf(read(body), answer.text), status: answer.status };
    };
  },
  async legacy(url) {
    const protocolVersion = "2025-06-18";
    const headers = { accept: "application/json, text/event-stream" };
    const post = (body, giveUpAfter) => exchange({ url, path: "/mcp", headers, body, giveUpAfter });
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "load", version: "1" } };
    const greeting = await post({ jsonrpc: "2.0", id: "hello", method: "initialize", params });
    if (greeting.headers["mcp-session-id"] !== undefined)
      headers["mcp-session-id"] = greeting.headers["mcp-session-id"];
    headers["mcp-protocol-version"] = protocolVersion;
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return tools(post, {});
  },
  async modern(url) {
    const version = "2026-07-28";
    const key = (name) => `io.modelcontextprotocol/${name}`;
    const _meta = {
      [key("protocolVersion")]: version,
      [key("clientInfo")]: { name: "load", version: "1" },
      [key("clientCapabilities")]: {},
    };
    const accept = "application/json, text/event-stream";
    const post = (body, giveUpAfter) => {
      const names = { "mcp-method": body.method, ...(body.params.name && { "mcp-name": body.params.name }) };
      return exchange({
        url,
        path: "/mcp",
        headers: { accept, "mcp-protocol-version": version, ...names },
        body,
        giveUpAfter,
      });
    };
    return tools(post, { _meta });
  },
};

function tools(post, always) {
  return async (source, input, giveUpAfter) => {
    const id = input?.token ?? `list-${++nextToken}`;
    const [method, params] =
      input === undefined ? ["tools/list", {}] : ["tools/call", { name: `${source}_echo`, arguments: input }];
    const answer = await post({ jsonrpc: "2.0", id, method, params: { ...params, ...always } }, giveUpAfter);
    if (answer === undefined) return undefined;
    const message = messageIn(answer);
    if (message.id !== id) throw new Violation("wrong", `the answer of ${message.id} for ${id}`);
    if (message.result === undefined) throw new Violation("wrong", `a JSON-RPC error: ${answer.text.slice(0, 300)}`);
    if (input === undefined) return { names: message.result.tools.map(({ name }) => name) };
    if (message.result.isError !== true) return { data: message.result.structuredContent };
    return { error: errorOf(read(message.result), answer.text) };
  };
}

function errorOf(reading, text) {
  const outcome = reading.kind === "outcome" ? reading.outcome : undefined;
  if (outcome === undefined || outcome.ok) throw new Violation("wrong", `a malformed failure: ${text.slice(0, 300)}`);
  return outcome.error;
}

/** Mostly small, at times large enough to come in pieces. */
function textOf(token, n, source) {
  const length = source === "shell" ? 40 : n % 50 === 0 ? 15_000 : n % 7 === 0 ? 2_000 : 60;
  return `${token} `.repeat(Math.ceil(length / token.length));
}

function judge(source, { token, n, text }, { data, error }) {
  if (error !== undefined) {
    if (!ALLOWED[source].includes(error.category) || typeof error.message !== "string" || error.message === "")
      throw new Violation("wrong", `${source} fails with ${JSON.stringify(error).slice(0, 300)}`);
    const key = `${source}: ${error.category}`;
    tally.failed[key] = (tally.failed[key] ?? 0) + 1;
    return false;
  }
  const got = source === "shell" ? data?.got : data;
  const isRight =
    data?.from === source &&
    got.token === token &&
    got.text === text &&
    (source === "shell" ? got.n === n : got.twice === 2 * n);
  if (!isRight) throw new Violation("wrong", `${token} to ${source} got ${JSON.stringify(data).slice(0, 300)}`);
  tally.right[source] = (tally.right[source] ?? 0) + 1;
  return true;
}

async function attempt(what, run) {
  try {
    return await run();
  } catch (thrown) {
    const kind = thrown instanceof Violation ? thrown.kind : "wrong";
    tally[kind]++;
    if (tally.first.length < 20)
      tally.first.push(`${kind}: ${what}: ${thrown instanceof Violation ? thrown.message : thrown.stack}`);
    return undefined;
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function live(kind, url) {
  const call = await CLIENTS[kind](url);
  while (!isOver) {
    const n = ++nextToken;
    const source = SOURCES[n % SOURCES.length];
    const token = `${kind}-${n}-${Math.random().toString(36).slice(2, 8)}`;
    const input = { token, n, text: textOf(token, n, source) };
    const isFine = await attempt(`${kind} ${source}`, () => callOnce(call, source, input));
    // Who is refused does not try again at once.
    if (isFine !== true) await pause(10 + (n % 20));
  }
}

/** One of a hundred leaves before there is an answer. */
async function callOnce(call, source, input) {
  const start = performance.now();
  const answer = await call(source, input, input.n % 101 === 0 ? input.n % 7 : undefined);
  if (answer === undefined) {
    tally.givenUp++;
    return true;
  }
  const isFine = judge(source, input, answer);
  if (isFine) note(source, start);
  return isFine;
}

/** Sources that are gone, slow or killed delay no list. */
async function lookAround(url) {
  const list = await CLIENTS.modern(url);
  const asks = {
    "/healthz": async () =>
      parsed((await exchange({ url, path: "/healthz", method: "GET" })).text).status !== undefined,
    "/operations": async () =>
      (await exchange({ url, path: "/operations", method: "GET" })).text.includes('"desk.echo"'),
    "tools/list": async () => (await list(undefined, undefined)).names.includes("desk_echo"),
  };
  while (!isOver) {
    for (const [what, ask] of Object.entries(asks)) {
      await attempt(what, async () => {
        const start = performance.now();
        if (!(await ask())) throw new Violation("wrong", "it does not name the module");
        note(what, start);
        tally.lists++;
      });
    }
    await pause(100);
  }
}

function summary(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { count: sorted.length, median: at(0.5), p99: at(0.99), most: at(1) };
}

async function run({ url, clients }) {
  // Half of the clients speak HTTP; of the others every second one is of the older era.
  const kindOf = (at) => (at % 2 === 0 ? "http" : at % 4 === 1 ? "legacy" : "modern");
  const lives = Array.from({ length: clients }, (_, at) => attempt("client", () => live(kindOf(at), url)));
  lives.push(attempt("lists", () => lookAround(url)));
  await Promise.all(lives);
  agent.destroy();
  const times = Object.fromEntries(Object.entries(latencies).map(([name, values]) => [name, summary(values)]));
  process.send({ tally, times });
  process.disconnect();
}

process.on("message", (order) => {
  if (order === "end") isOver = true;
  else void run(order);
});
