import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { defineOperation } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { serveHttp } from "../src/servers/http/index.js";
import { openapiSource } from "../src/sources/openapi/index.js";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Counter {
  readonly registry: OperationRegistry;
  /** Settles when the handler's generator has ended. */
  readonly ended: Promise<void>;
}

function counter(): Counter {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const registry = new OperationRegistry();
  registry.register(
    defineOperation({
      namespace: "clock",
      name: "count",
      version: "1.0.0",
      type: "subscription",
      description: "Counts.",
      inputSchema: { type: "object", properties: { to: { type: "integer", minimum: 1 } }, required: ["to"] },
      outputSchema: { type: "integer" },
      async *handler({ to }) {
        try {
          for (let value = 1; value <= to; value++) yield value;
          if (to === 13) throw new Error("thirteen");
        } finally {
          end();
        }
      },
    }),
  );
  return { registry, ended };
}

/** Passes bytes on, until it is told to cut what is open. */
async function wire(target: string): Promise<{ readonly url: string; cut(): void }> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const other = connect(Number(port), hostname);
    for (const one of [socket, other]) one.on("error", () => {}).on("close", () => open.delete(one));
    open.add(socket).add(other);
    socket.pipe(other).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

async function imported(url: string): Promise<OperationRegistry> {
  const source = await openapiSource({ name: "far", url: `${url}/openapi.json` });
  const registry = new OperationRegistry();
  mountSource(registry, source);
  closing.push(() => source.close());
  return registry;
}

async function served(registry: OperationRegistry, resumeMs = 10_000): Promise<string> {
  const server = await serveHttp({ registry, streams: { resumeMs } });
  closing.push(() => server.close());
  return server.url;
}

test("a subscription that is served and imported gives the same values", async () => {
  const { registry } = counter();
  const far = await imported(await served(registry));
  const values: unknown[] = [];
  for await (const { data } of far.subscribe("far.clock_count", { to: 100 })) values.push(data);
  expect(values).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
});

test("a lost connection costs no value and gives none twice", async () => {
  const { registry } = counter();
  const line = await wire(await served(registry));
  const far = await imported(line.url);
  const values: unknown[] = [];
  for await (const { data } of far.subscribe("far.clock_count", { to: 2_000 })) {
    values.push(data);
    if (values.length % 500 === 0) line.cut();
  }
  expect(values).toEqual(Array.from({ length: 2_000 }, (_, at) => at + 1));
});

test("what fails in the middle fails in the same way from afar", async () => {
  const { registry } = counter();
  const far = await imported(await served(registry));
  const values: unknown[] = [];
  const reading = async (): Promise<void> => {
    for await (const { data } of far.subscribe("far.clock_count", { to: 13 })) values.push(data);
  };
  await expect(reading()).rejects.toMatchObject({ category: "execution", code: "EXECUTION_ERROR" });
  expect(values).toHaveLength(13);
});

test("an input that is refused is refused at once", async () => {
  const { registry } = counter();
  const far = await imported(await served(registry));
  await expect(far.subscribe("far.clock_count", { to: 0 }).next()).rejects.toMatchObject({ category: "validation" });
});

test("a consumer that leaves ends the handler", async () => {
  const { registry, ended } = counter();
  const far = await imported(await served(registry, 0));
  for await (const { data } of far.subscribe("far.clock_count", { to: 1_000_000 })) if (data === 3) break;
  await ended;
});

test("a client that has everything is told not to come back", async () => {
  const { registry } = counter();
  const url = `${await served(registry)}/operations/clock.count?to=3`;
  const accept = "text/event-stream";
  const text = await (await fetch(url, { headers: { accept } })).text();
  const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id = ""]) => id);
  const last = ids.at(-1) ?? "";
  expect((await fetch(url, { headers: { accept, "last-event-id": last } })).status).toBe(204);
  const rest = await fetch(url, { headers: { accept, "last-event-id": last.replace(/\d+$/, "1") } });
  expect((await rest.text()).match(/^event: \w+$/gm)).toEqual(["event: value", "event: value", "event: end"]);
});
