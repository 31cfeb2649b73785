import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { OperationRegistry } from "../../../registry/registry.js";
import { type FleetStage, fleetStage, gate, operation, until } from "../fixtures/fleet-stage.js";
import { serveOnNats } from "./serve-on-nats.js";

describeWith("serveOnNats", programOnThisMachine("nats-server"), (program) => {
  let stage: FleetStage;
  beforeAll(async () => {
    stage = await fleetStage(program);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  test("answers calls as the registry would, with its envelope", async () => {
    const cast = stage.cast();
    const double = operation("double", ({ n }: { n: number }, { warn }) => {
      warn("doubled");
      return { n: n * 2 };
    });
    await cast.worker([double]);
    const { registry } = await cast.caller();
    const { data, meta } = await registry.execute("test.double", { n: 21 }, { requestId: "r-1" });
    expect(data).toEqual({ n: 42 });
    expect(meta).toMatchObject({ source: "local", operationId: "test.double", requestId: "r-1" });
    expect(meta.warnings).toMatchObject([{ code: "SOURCE_WARNING", message: "doubled" }]);
  });

  test("spreads calls over the workers, each call to one", async () => {
    const cast = stage.cast();
    const seen: string[] = [];
    const take = (worker: string) =>
      operation("take", (_, { requestId }) => {
        seen.push(requestId);
        return worker;
      });
    await Promise.all(["a", "b", "c"].map((id) => cast.worker([take(id)], { id })));
    const callers = await Promise.all([cast.caller(), cast.caller()]);
    const calls = Array.from({ length: 300 }, (_, at) => (callers[at % 2] ?? callers[0]).registry.execute("test.take"));
    const answers = await Promise.all(calls);
    const shares = ["a", "b", "c"].map((id) => answers.filter(({ data }) => data === id).length);
    expect(Math.min(...shares)).toBeGreaterThan(40);
    expect(new Set(seen).size).toBe(300);
    expect(seen).toHaveLength(300);
  });

  test("follows its registry", async () => {
    const cast = stage.cast();
    const { registry: served, worker } = await cast.worker([operation("one", () => 1)]);
    const { registry, source } = await cast.caller();
    served.register(operation("two", () => 2));
    await until(() => registry.getSpec("test.two") !== undefined);
    expect((await registry.execute("test.two")).data).toBe(2);
    served.unregister("test.one");
    await until(() => registry.getSpec("test.one") === undefined);
    expect(worker.operations()).toEqual(["test.two"]);
    expect(source.operations.map(({ id }) => id)).toEqual(["test.two"]);
  });

  test("offers what is included and not excluded", async () => {
    const cast = stage.cast();
    const operations = ["a", "b", "secret"].map((name) => operation(name, () => name));
    const { worker } = await cast.worker(operations, { include: ["test.*"], exclude: [/secret/] });
    expect(worker.operations()).toEqual(["test.a", "test.b"]);
    const { registry } = await cast.caller({ include: ["test.b"] });
    expect(registry.list().map(({ name }) => name)).toEqual(["b"]);
  });

  test("refuses a request for another operation than its subject names", async () => {
    const cast = stage.cast();
    const run: string[] = [];
    const operations = ["open", "shut"].map((name) => operation(name, () => run.push(name)));
    const { connection } = await cast.worker(operations);
    const answer = new Promise<string>((resolve) => {
      connection.subscribe(`${cast.prefix}.reply.x.y`, { callback: (_, message) => resolve(message.string()) });
    });
    const request = { type: "call.requested", requestId: "r", operationId: "test.shut", replyTo: "reply.x.y" };
    connection.publish(`${cast.prefix}.call.test.open.v1.x`, JSON.stringify({ ...request, sentAt: Date.now() }));
    expect([JSON.parse(await answer)].flat()[0]).toMatchObject({ type: "call.error", category: "authorization" });
    expect(run).toEqual([]);
  });

  test("drains: what runs is answered, what comes then goes to others", async () => {
    const cast = stage.cast();
    const { opened, open } = gate();
    const slow = (worker: string) => operation("slow", () => opened.then(() => worker), { type: "mutation" });
    const first = await cast.worker([slow("first")]);
    const { registry, source } = await cast.caller();
    const running = Array.from({ length: 10 }, () => registry.execute("test.slow"));
    await until(() => first.worker.getRunningCount() === 10);
    await cast.worker([slow("second")]);
    await until(() => source.workers().length === 2);
    const closing = first.worker.close();
    const later = Array.from({ length: 50 }, () => registry.execute("test.slow"));
    open();
    const answers = await Promise.all([...running, ...later]);
    await closing;
    expect(answers.slice(0, 10).map(({ data }) => data)).toEqual(Array(10).fill("first"));
    expect(first.connection.isClosed()).toBe(false);
    expect((await registry.execute("test.slow")).data).toBe("second");
  });

  test("tells what it offers also where it takes no more calls", async () => {
    const cast = stage.cast();
    const { opened, open } = gate();
    const { worker } = await cast.worker([operation("slow", () => opened)], { maxRunning: 1 });
    const first = await cast.caller();
    const running = first.registry.attempt("test.slow");
    await until(() => worker.getRunningCount() === 1);
    const { source, registry } = await cast.caller({ retries: 0 });
    expect(source.operations.map(({ id }) => id)).toEqual(["test.slow"]);
    expect(await registry.attempt("test.slow")).toMatchObject({ error: { code: "UNAVAILABLE" } });
    open();
    await running;
  });

  test("ends what runs too long when it is closed", async () => {
    const cast = stage.cast();
    const aborted = gate();
    const stuck = operation(
      "stuck",
      (_, { signal }) => new Promise(() => signal.addEventListener("abort", aborted.open)),
      { type: "mutation" },
    );
    const { worker } = await cast.worker([stuck]);
    const { registry } = await cast.caller();
    const call = registry.attempt("test.stuck");
    await until(() => worker.getRunningCount() === 1);
    await worker.close({ timeoutMs: 10 });
    await aborted.opened;
    expect(await call).toMatchObject({ ok: false, error: { code: "UNAVAILABLE", details: { mayHaveRun: true } } });
  });

  test("counts calls, failures and time", async () => {
    const cast = stage.cast();
    const { worker } = await cast.worker([
      operation("flip", ({ fail }: { fail: boolean }) => {
        if (fail) throw new Error("flop");
        return 1;
      }),
    ]);
    const { registry } = await cast.caller();
    await registry.execute("test.flip", { fail: false });
    await registry.attempt("test.flip", { fail: true });
    expect(worker.stats()).toMatchObject({ "test.flip": { requests: 2, errors: 1 } });
    expect(worker.stats()["test.flip"]?.processingMs).toBeGreaterThan(0);
  });

  test("does not offer again what was imported from the same subjects", async () => {
    const cast = stage.cast();
    await cast.worker([operation("one", () => 1)]);
    const { registry, connection } = await cast.caller();
    const complaints: unknown[] = [];
    const onError = (thrown: unknown): void => void complaints.push(thrown);
    const again = await serveOnNats(registry, { connection, prefix: cast.prefix, onError });
    expect(again.operations()).toEqual([]);
    expect(complaints).toMatchObject([{ code: "CONFLICT" }]);
    const elsewhere = await serveOnNats(registry, { connection, prefix: `${cast.prefix}.more` });
    expect(elsewhere.operations()).toEqual(["test.one"]);
    await Promise.all([again.close(), elsewhere.close()]);
  });

  test.each([
    ["no connection", { connection: undefined }],
    ["a name with a point", { name: "a.b" }],
    ["an id with a space", { id: "a b" }],
    ["a prefix with a star", { prefix: "a.*" }],
    ["a version that is none", { version: "1" }],
    ["patterns that are none", { include: "math" }],
    ["an option that does not exist", { workers: 3 }],
  ])("refuses %s", async (_, given) => {
    const connection = await stage.cast().connect();
    const options = { connection, ...given } as unknown as Parameters<typeof serveOnNats>[1];
    await expect(serveOnNats(new OperationRegistry(), options)).rejects.toMatchObject({ category: "validation" });
  });
});
