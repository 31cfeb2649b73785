import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isCallError } from "../src/envelope/call-error.js";
import { categoryFromStatus } from "../src/envelope/category.js";
import { isResponseEnvelope, type ResponseEnvelope } from "../src/envelope/response-envelope.js";
import { isRecord, type JsonRecord } from "../src/json/value.js";
import type { AnyOperation } from "../src/registry/operation-map.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { type Credential, openapiSource } from "../src/sources/openapi/index.js";
import { describeWith } from "./describe-with.js";
import { inputsFor } from "./full-value.js";
import { watchResources } from "./left-behind.js";
import { installNpmFolder } from "./npm-folder.js";
import { corpus } from "./openapi-documents.js";
import { type PrismServers, startPrism } from "./real-http-apis.js";

/** With the least number of calls that is made of each. */
const DOCUMENTS = [
  ["alertmanager-0.25.swagger.yaml", 12],
  ["apisguru-asana.yaml", 50],
  ["apisguru-httpbin.yaml", 30],
  ["apisguru-nasa-apod.yaml", 2],
  ["apisguru-twitter-v2.yaml", 40],
  ["oai-tictactoe-3.1.yaml", 3],
  ["oai-uspto-3.0.yaml", 4],
  ["powerdns-authoritative.yaml", 30],
  ["swagger-petstore3.yaml", 30],
] as const;

/** Of a larger document, as many operations that stand evenly in it. */
const MOST_OPERATIONS = 30;

const title = "a server that is made of a document, and holds requests against it,";

if (existsSync(corpus)) {
  describeWith(title, installNpmFolder("openapi-mocks"), (installed) => {
    const assertNothingLeft = watchResources();
    let prism: PrismServers;
    beforeAll(async () => {
      prism = await startPrism(
        installed,
        DOCUMENTS.map(([name]) => ({ document: join(corpus, name) })),
      );
    }, 90_000);
    afterAll(async () => {
      await prism.close();
      await assertNothingLeft();
    });

    test.each(DOCUMENTS.map(([name, calls], at) => ({ name, calls, at })))(
      "finds nothing wrong with what it is asked: $name",
      { timeout: 60_000 },
      async ({ name, calls, at }) => {
        const verdicts = await callAll(join(corpus, name), prism.urls[at] ?? "");
        expect(verdicts.filter(({ faults }) => faults.length > 0)).toEqual([]);
        expect(verdicts.length).toBeGreaterThanOrEqual(calls);
      },
    );

    test("does find what is wrong", async () => {
      const { headers } = await fetch(`${prism.urls.at(-1)}/pet/abc`, { headers: { api_key: "secret" } });
      expect(violationsIn({ "sl-violations": headers.get("sl-violations") }).sent).toHaveLength(1);
    });
  });
} else {
  test.skip(`${title} answers (there is no folder ${corpus}; PLICO_CORPUS may name another)`, () => {});
}

interface Verdict {
  readonly id: string;
  readonly input: unknown;
  readonly faults: readonly string[];
}

async function callAll(file: string, baseUrl: string): Promise<Verdict[]> {
  const source = await openapiSource({ name: "api", file, baseUrl, credentials: credentialsFor(file) });
  const registry = new OperationRegistry();
  mountSource(registry, source);
  try {
    const verdicts: Verdict[] = [];
    const operations = evenly(source.operations.filter(({ spec }) => spec.type !== "subscription")).values();
    const lane = async (): Promise<void> => {
      for (const operation of operations) verdicts.push(...(await callWith(registry, operation)));
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    return verdicts;
  } finally {
    await source.close();
  }
}

/** Something for each scheme that can be used: Prism looks whether there is anything. */
function credentialsFor(file: string): Record<string, Credential> {
  const root = load(readFileSync(file, "utf8")) as { components?: JsonRecord; securityDefinitions?: JsonRecord };
  const schemes = Object.entries(root.components?.["securitySchemes"] ?? root.securityDefinitions ?? {});
  const user = { username: "ada", password: "secret" };
  const credentials = schemes.map(([name, scheme]): [string, Credential | undefined] => {
    const { type, scheme: kind = type } = scheme as { type: string; scheme?: string };
    if (kind.toLowerCase() === "basic") return [name, user];
    return [name, kind === "OAuth" ? undefined : "secret"];
  });
  return Object.fromEntries(credentials.filter(([, credential]) => credential !== undefined)) as Record<
    string,
    Credential
  >;
}

function evenly<Item>(items: readonly Item[]): Item[] {
  const step = Math.max(1, items.length / MOST_OPERATIONS);
  return Array.from(
    { length: Math.min(items.length, MOST_OPERATIONS) },
    (_, at) => items[Math.floor(at * step)] as Item,
  );
}

async function callWith(registry: OperationRegistry, { id, spec }: AnyOperation): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const input of inputsFor(spec.inputSchema))
    verdicts.push({ id, input, faults: await registry.execute(id, input).then(faultsOfAnswer, faultsOfError) });
  return verdicts;
}

function faultsOfAnswer(envelope: ResponseEnvelope): string[] {
  const { meta } = envelope;
  if (!isResponseEnvelope(envelope) || meta.source !== "http") return ["this is no envelope of an answer by HTTP"];
  const { sent, answered } = violationsIn(meta.headers);
  // An example in the document may not be what its schema says.
  const mismatches = answered.length > 0 ? [] : (meta.warnings ?? []).filter(({ code }) => code === "OUTPUT_MISMATCH");
  return [...sent, ...mismatches.map(({ message }) => message)];
}

/** A failure is one that the document has an answer for, and no other. */
function faultsOfError(thrown: unknown): string[] {
  if (!isCallError(thrown) || !isRecord(thrown.details)) return [String(thrown)];
  const { statusCode, headers } = thrown.details;
  const status = Number(statusCode);
  const category = status < 400 ? "execution" : categoryFromStatus(status);
  const isMade = isRecord(headers) && headers["content-type"] === "application/problem+json";
  return [
    ...violationsIn(headers).sent,
    ...(thrown.category === category ? [] : [`${status} is ${thrown.category}`]),
    ...(isMade ? [thrown.message] : []),
  ];
}

/** What Prism says is wrong, with the request and with its own answer. */
function violationsIn(headers: unknown): { sent: string[]; answered: string[] } {
  const said = isRecord(headers) ? headers["sl-violations"] : undefined;
  const [, cut] = /^Too many violations! (.*)$/.exec(String(said ?? "")) ?? [];
  if (cut !== undefined) return { sent: cut.includes('["request"') ? [cut] : [], answered: [cut] };
  const all = JSON.parse(String(said ?? "[]")) as { location: string[]; message: string }[];
  const of = (side: string): string[] =>
    all.filter(({ location }) => location[0] === side).map(({ message }) => message);
  return { sent: of("request"), answered: of("response") };
}
