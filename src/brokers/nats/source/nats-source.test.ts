import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { testSource } from "../../../testing/test-source.js";
import { type Cast, type FleetStage, fleetStage, MORTAL, operation, until } from "../fixtures/fleet-stage.js";
import { serviceMetadata } from "../sighting.js";
import { natsSource } from "./nats-source.js";

describeWith("natsSource", programOnThisMachine("nats-server"), (program) => {
  let stage: FleetStage;
  let home: Cast;
  beforeAll(async () => {
    stage = await fleetStage(program);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  const open = async () => {
    home = stage.cast();
    await home.worker([operation("echo", (input) => input)]);
    return natsSource({ connection: await home.connect(), prefix: home.prefix });
  };
  for (const { label, run } of testSource("natsSource", open, { operation: "test.echo", input: { n: 0 } }))
    test(label, run);

  test("refuses requests and answers beyond the size that either side allows", async () => {
    const cast = stage.cast();
    await cast.worker([operation("long", (input) => "x".repeat(Number(input) || 0))], { maxEventBytes: 2_000_000 });
    const { registry } = await cast.caller({ maxEventBytes: 1_000_000 });
    const refused = { code: "PAYLOAD_TOO_LARGE", suggestedAction: expect.stringContaining("maxEventBytes") };
    expect(await registry.attempt("test.long", 1_500_000)).toMatchObject({ ok: false, error: refused });
    expect(await registry.attempt("test.long", 2_500_000)).toMatchObject({ ok: false, error: refused });
    expect(await registry.attempt("test.long", "x".repeat(1_000_001))).toMatchObject({ ok: false, error: refused });
    expect(await registry.attempt("test.long", 500_000)).toMatchObject({ ok: true });
  });

  test("is ready where nobody is there yet, and finds who comes", async () => {
    const cast = stage.cast();
    const { source, registry } = await cast.caller();
    expect(source.health()).toMatchObject({ status: "ready", workers: 0, operations: 0 });
    await cast.worker([operation("late", () => "here")]);
    await until(() => registry.getSpec("test.late") !== undefined);
    expect((await registry.execute("test.late")).data).toBe("here");
    expect(source.workers()).toMatchObject([{ service: "plico", version: "0.0.0" }]);
  });

  test("reads one catalog of many workers, however often they come and go", async () => {
    const cast = stage.cast();
    const spy = await cast.connect();
    let fetched = 0;
    const callback = (): void => {
      fetched += 1;
    };
    spy.subscribe(`${cast.prefix}.catalog.*`, { callback });
    const operations = [operation("same", () => 1)];
    const workers = await Promise.all(Array.from({ length: 10 }, () => cast.worker(operations)));
    const { source } = await cast.caller();
    expect(source.health().workers).toBe(10);
    await Promise.all(workers.slice(0, 5).map(({ worker }) => worker.close()));
    await Promise.all(Array.from({ length: 5 }, () => cast.worker(operations)));
    await source.refresh();
    expect(source.health()).toMatchObject({ workers: 10, operations: 1 });
    await spy.flush();
    expect(fetched).toBe(1);
  });

  test("lists what a worker offered for a while after it has gone, and says that nobody offers it", async () => {
    const cast = stage.cast();
    const { worker } = await cast.worker([operation("gone", () => 1)]);
    const { source, registry } = await cast.caller();
    await worker.close();
    await until(() => source.workers().length === 0);
    await source.refresh();
    const error = { code: "UNAVAILABLE", recoverable: true, details: { mayHaveRun: false } };
    expect(await registry.attempt("test.gone")).toMatchObject({ error });
    const warnings = [{ code: "OPERATION_UNOFFERED", count: 1 }];
    expect(source.health()).toMatchObject({ status: "ready", workers: 0, operations: 1, warnings });
    await cast.worker([operation("gone", () => 2, { version: "0.9.0" })]);
    await source.refresh();
    expect((await registry.execute("test.gone")).data).toBe(2);
    expect(source.health()).toMatchObject({ workers: 1, operations: 1, warnings: [] });
  });

  test("lists what a worker offered until a look finds nobody, where it is to keep nothing", async () => {
    const cast = stage.cast();
    const { worker } = await cast.worker([operation("gone", () => 1)]);
    const { source, registry } = await cast.caller({ keepMs: 0 });
    await worker.close();
    await until(() => source.workers().length === 0);
    expect(await registry.attempt("test.gone")).toMatchObject({ error: { code: "UNAVAILABLE" } });
    await source.refresh();
    expect(await registry.attempt("test.gone")).toMatchObject({ error: { code: "OPERATION_NOT_FOUND" } });
  });

  test("does not take a worker for gone that is too busy to answer", async () => {
    const cast = stage.cast();
    const { freeze, crash } = await cast.worker([operation("busy", () => 1)], { client: MORTAL });
    const { source } = await cast.caller({ discoverMs: 100, keepMs: 0 });
    freeze();
    await source.refresh();
    expect(source.health()).toMatchObject({ workers: 1, operations: 1 });
    crash();
    while (source.health().workers > 0) await source.refresh();
    await source.refresh();
    expect(source.operations).toEqual([]);
  });

  test("keeps an operation the same object where its worker comes back with the same", async () => {
    const cast = stage.cast();
    const operations = [operation("same", () => 1)];
    const first = await cast.worker(operations);
    const { source } = await cast.caller();
    const [before] = source.operations;
    await first.worker.close();
    await cast.worker([...operations, operation("more", () => 2)]);
    await source.refresh();
    expect(source.operations.map(({ id }) => id).sort()).toEqual(["test.more", "test.same"]);
    expect(source.operations).toContain(before);
  });

  test("calls the major version that it is asked to, side by side with others", async () => {
    const cast = stage.cast();
    const one = operation("shape", () => "one", { version: "1.4.0" });
    const two = operation("shape", () => "two", { version: "2.0.0" });
    await Promise.all([cast.worker([one]), cast.worker([two])]);
    const [old, newest, third] = await Promise.all([
      cast.caller({ majors: { "test.*": 1 } }),
      cast.caller(),
      cast.caller({ majors: { "test.shape": 3 } }),
    ]);
    const ask = async (caller: typeof old) =>
      Promise.all(Array.from({ length: 10 }, async () => (await caller.registry.execute("test.shape")).data));
    expect(await ask(old)).toEqual(Array(10).fill("one"));
    expect(await ask(newest)).toEqual(Array(10).fill("two"));
    expect(third.source.operations).toEqual([]);
    expect(third.source.health().warnings).toMatchObject([{ code: "OPERATION_SKIPPED" }]);
  });

  test("imports the specs as they are, but leaves the checks to the worker", async () => {
    const cast = stage.cast();
    const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const given = { inputSchema, title: "Strict", tags: ["t"], _meta: { mine: 1 }, annotations: { readOnly: true } };
    await cast.worker([operation("strict", () => 1, given)]);
    const { registry } = await cast.caller();
    const spec = registry.getSpec("test.strict");
    expect(spec).toMatchObject({ ...given, input: "off", output: "off" });
    const refused = await registry.attempt("test.strict", { n: "x" });
    expect(refused).toMatchObject({ error: { code: "VALIDATION_ERROR", issues: [{ path: "/n" }] } });
  });

  test("takes a catalog of 500 operations that is larger than a message may be", async () => {
    const cast = stage.cast();
    const inputSchema = { type: "object", description: "x".repeat(5_000) };
    const all = Array.from({ length: 500 }, (_, at) => operation(`op${at}`, () => at, { inputSchema }));
    await cast.worker(all);
    const { registry, source } = await cast.caller();
    expect(source.health()).toMatchObject({ operations: 500, warnings: [] });
    expect((await registry.execute("test.op499", {})).data).toBe(499);
  });

  test("goes on beside workers that tell nonsense", async () => {
    const cast = stage.cast();
    await cast.worker([operation("good", () => 1)]);
    const hostile = await cast.connect();
    const metadata = serviceMetadata(cast.prefix, "nonsense", 1);
    const liar = { type: "io.nats.micro.v1.ping_response", name: "liar", version: "1.0.0", metadata };
    const answers = [
      ...[
        "",
        "{",
        "null",
        '{"metadata":7}',
        JSON.stringify({ ...liar, id: "a.b" }),
        JSON.stringify({ ...liar, id: 7 }),
      ],
      JSON.stringify({ ...liar, id: "mute" }),
      JSON.stringify({ ...liar, id: "mad", metadata: serviceMetadata(cast.prefix, "mad", 1) }),
    ];
    hostile.subscribe("$SRV.PING", {
      callback: (_, message) => {
        for (const answer of answers) message.respond(answer);
      },
    });
    hostile.subscribe(`${cast.prefix}.catalog.mad`, {
      callback: (_, message) => {
        const { requestId, replyTo } = message.json<{ requestId: string; replyTo: string }>();
        const output = {
          data: { operations: [7, { name: "x" }] },
          meta: { source: "local", operationId: "$catalog", timestamp: 0 },
        };
        hostile.publish(`${cast.prefix}.${replyTo}`, JSON.stringify({ type: "call.responded", requestId, output }));
      },
    });
    for (const answer of answers) hostile.publish(`${cast.prefix}.news`, answer);
    await hostile.flush();
    const { source, registry } = await cast.caller();
    expect((await registry.execute("test.good")).data).toBe(1);
    expect(source.health()).toMatchObject({ status: "ready", operations: 1 });
    const told = source.health().warnings.map(({ message }) => message);
    expect(told).toHaveLength(3);
  });

  test("tells how the connection is", async () => {
    const cast = stage.cast();
    await cast.worker([operation("one", () => 1)]);
    const { source, connection, registry } = await cast.caller();
    const heard: string[] = [];
    source.onHealth(() => heard.push(source.health().status));
    const pending = registry.attempt("test.one");
    await pending;
    await connection.close();
    await until(() => heard.includes("down"));
    expect(source.health()).toMatchObject({ status: "down", error: { code: "UNAVAILABLE" } });
    expect(await registry.attempt("test.one")).toMatchObject({ error: { category: "unavailable" } });
  });

  test.each([
    ["no connection", { connection: undefined }],
    ["a caller with a point", { caller: "a.b" }],
    ["no heartbeat", { heartbeat: 0 }],
    ["to keep operations for less than no time", { keepMs: -1 }],
    ["a major that is no number", { majors: { "a.*": "2" } }],
    ["a signer that cannot sign", { signer: {} }],
    ["an option that does not exist", { worker: 1 }],
  ])("refuses %s", async (_, given) => {
    const connection = await stage.cast().connect();
    const options = { connection, ...given } as unknown as Parameters<typeof natsSource>[0];
    await expect(natsSource(options)).rejects.toMatchObject({ category: "validation" });
  });

  test("is given up by its signal", async () => {
    const connection = await stage.cast().connect();
    const signal = AbortSignal.abort("enough");
    await expect(natsSource({ connection, signal })).rejects.toBe("enough");
  });
});
