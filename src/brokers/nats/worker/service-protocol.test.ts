import { type ServiceClient, Svcm } from "@nats-io/services";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { type FleetStage, fleetStage, operation, until } from "../fixtures/fleet-stage.js";
import { infoText, type ServiceEndpoint } from "./service-protocol.js";

describeWith("the service protocol of NATS", programOnThisMachine("nats-server"), (program) => {
  let stage: FleetStage;
  beforeAll(async () => {
    stage = await fleetStage(program, { config: "max_payload: 65536" });
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  /** It has a copy of NATS's core of its own, with the same connection in other words. */
  function clientOn(connection: NatsConnection): ServiceClient {
    const service = new Svcm(connection as unknown as ConstructorParameters<typeof Svcm>[0]);
    return service.client({ strategy: "stall", maxWait: 2000, stall: 100 });
  }

  async function asked<T>(answers: Promise<AsyncIterable<T>>): Promise<T[]> {
    const all: T[] = [];
    for await (const one of await answers) all.push(one);
    return all;
  }

  test("is spoken so that a client of NATS's own reads it", async () => {
    const cast = stage.cast();
    const add = operation("add/up", () => 1, { inputSchema: { type: "object" }, version: "2.1.0" });
    const about = { name: "sums", id: "w1", version: "1.2.3", description: "Sums." };
    await cast.worker([add, operation("fails", () => Promise.reject(new Error("no")))], about);
    const { registry, connection } = await cast.caller();
    await registry.execute("test.add/up", {});
    await registry.attempt("test.fails");
    const client = clientOn(connection);
    const identity = { name: "sums", id: "w1", version: "1.2.3" };
    const [ping, info, stats] = await Promise.all([
      asked(client.ping("sums")),
      asked(client.info("sums", "w1")),
      asked(client.stats()),
    ]);
    const metadata = { plico_prefix: cast.prefix, plico_catalog: expect.any(String), plico_operations: "2" };
    expect(ping).toEqual([{ type: "io.nats.micro.v1.ping_response", ...identity, metadata }]);
    const subject = `${cast.prefix}.call.test.add/up.v2.*`;
    expect(info).toEqual([
      {
        ...{ type: "io.nats.micro.v1.info_response", ...identity, description: "Sums.", metadata },
        endpoints: [
          {
            ...{ name: "test_add_up", subject, queue_group: "workers" },
            metadata: {
              ...{ operation: "test.add/up", version: "2.1.0", type: "query", digest: expect.any(String) },
              ...{ description: "Tests add/up.", input_schema: '{"type":"object"}', output_schema: "{}" },
            },
          },
          expect.objectContaining({ name: "test_fails" }),
        ],
      },
    ]);
    expect(stats).toMatchObject([
      { type: "io.nats.micro.v1.stats_response", ...identity, started: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    const [first, second] = stats[0]?.endpoints ?? [];
    expect(first).toMatchObject({ name: "test_add_up", subject, num_requests: 1, num_errors: 0, last_error: "" });
    expect(first?.processing_time).toBeGreaterThan(1000);
    expect(first?.average_processing_time).toBe(first?.processing_time);
    expect(second).toMatchObject({ num_requests: 1, num_errors: 1, last_error: expect.stringContaining("EXECUTION") });
  });

  test("answers nobody at the subjects of the server, of other workers or of results", async () => {
    const cast = stage.cast();
    await cast.worker([operation("one", () => 1)], { name: "deputy" });
    const spy = await cast.connect();
    const heard: string[] = [];
    const wanted = ["_INBOX.eve.1", `${cast.prefix}.reply.eve.1`];
    const callback = (_: Error | null, { subject }: { readonly subject: string }): void => void heard.push(subject);
    const refused = ["$JS.API.STREAM.PURGE.PLICO_CALLS", `${cast.prefix}.control.all`, `${cast.prefix}.result.ada.1`];
    for (const subject of [...refused, ...wanted]) spy.subscribe(subject, { callback });
    for (const reply of [...refused, ...wanted]) spy.publish("$SRV.PING.deputy", "", { reply });
    await until(() => heard.includes(wanted[1] ?? ""));
    expect(heard).toEqual(wanted);
  });

  test("stays well under what the server takes, however many operations there are", async () => {
    const cast = stage.cast();
    const long = { type: "object", description: "x".repeat(200) };
    const operations = Array.from({ length: 300 }, (_, at) => operation(`op${at}`, () => at, { inputSchema: long }));
    const { connection } = await cast.worker(operations, { name: "big" });
    const client = clientOn(connection);
    const [[info], [stats]] = await Promise.all([asked(client.info("big")), asked(client.stats("big"))]);
    expect(JSON.stringify(info).length).toBeLessThan(33_000);
    expect(info?.endpoints).toHaveLength(300);
    expect(Number(info?.metadata?.["plico_metadata_left_out"])).toBeGreaterThan(0);
    expect(JSON.stringify(stats).length).toBeLessThan(33_000);
    expect(stats?.endpoints?.length).toBe(300 - Number(stats?.metadata?.["plico_endpoints_left_out"]));
  });
});

describe("the info of a service", () => {
  const about = { name: "n", id: "i", version: "1.0.0", description: "", metadata: {} };
  const endpoint = (at: number): ServiceEndpoint => ({
    ...{ name: `e${at}`, subject: `s.${at}`, queueGroup: "workers", metadata: { operation: "o".repeat(100) } },
    schemas: () => ({ input_schema: "s".repeat(1000) }),
    stats: () => ({ requests: 0, errors: 0, processingMs: 0 }),
  });
  const endpoints = Array.from({ length: 100 }, (_, at) => endpoint(at));

  test.each([
    [200_000, {}],
    [64_000, { plico_schemas_left_out: expect.any(String) }],
    [12_000, { plico_metadata_left_out: expect.any(String), plico_schemas_left_out: expect.any(String) }],
    [6_000, { plico_endpoints_left_out: expect.any(String), plico_metadata_left_out: expect.any(String) }],
  ])("in %d bytes says what it leaves out", (budget, leftOut) => {
    const text = infoText(about, endpoints, budget);
    expect(text.length).toBeLessThanOrEqual(budget);
    expect(JSON.parse(text).metadata).toEqual(leftOut);
  });
});
