import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../../registry/fixtures/operations.js";
import type { Connection } from "./connection.js";
import { RequestEncoder } from "./encode.js";
import { listTools, type ToolList } from "./tool-list.js";

interface Asked {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** A server whose answers a test gives, by the cursor that is asked for. */
function server(answer: (cursor: unknown, count: number) => unknown, hasTools = true): [Connection, Asked[]] {
  const asked: Asked[] = [];
  const connection: Pick<Connection, "hasTools" | "encoder" | "request"> = {
    hasTools,
    encoder: new RequestEncoder("legacy", {}),
    request: async ({ encode }) => {
      const { method, params } = JSON.parse(encode(1)) as Asked;
      asked.push({ method, params });
      return answer(params["cursor"], asked.length);
    },
  };
  return [connection as Connection, asked];
}

function listed(answer: (cursor: unknown, count: number) => unknown): Promise<ToolList> {
  return listTools(server(answer)[0], 1_000);
}

function tool(name: unknown): object {
  return { name, inputSchema: { type: "object" } };
}

function namesOf({ tools }: ToolList): string[] {
  return tools.map(({ name }) => name);
}

describe("listTools", () => {
  test("asks nothing of a server that has no tools", async () => {
    const [connection, asked] = server(() => ({ tools: [tool("a")] }), false);
    expect(await listTools(connection, 1_000)).toEqual({ tools: [], warnings: [], freshUntil: undefined });
    expect(asked).toEqual([]);
  });

  test("gives the tools as the server describes them, with whatever it says beside", async () => {
    const odd = { name: "a", inputSchema: "none", execution: { taskSupport: "x" }, icons: [1], _meta: { b: 0 } };
    const { tools, warnings } = await listed(() => ({ tools: [odd] }));
    expect(tools).toEqual([odd]);
    expect(warnings).toEqual([]);
  });

  test("follows the pages to the end", async () => {
    const [connection, asked] = server((cursor) => ({
      tools: [tool(`tool${cursor ?? 0}`)],
      nextCursor: cursor === undefined ? "1" : cursor === "1" ? "2" : undefined,
    }));
    expect(namesOf(await listTools(connection, 1_000))).toEqual(["tool0", "tool1", "tool2"]);
    expect(asked.map(({ params }) => params)).toEqual([{}, { cursor: "1" }, { cursor: "2" }]);
    expect(asked.every(({ method }) => method === "tools/list")).toBe(true);
  });

  test.each([null, "", 0, 7, {}, true])("takes the cursor %j for the end", async (nextCursor) => {
    const [connection, asked] = server(() => ({ tools: [tool("a")], nextCursor }));
    expect(namesOf(await listTools(connection, 1_000))).toEqual(["a"]);
    expect(asked).toHaveLength(1);
  });

  test.each<[what: string, next: (cursor: unknown, count: number) => string]>([
    ["gives the same cursor again", () => "same"],
    ["goes round in a circle", (_, count) => `page ${count % 3}`],
  ])("uses what came from a server that %s, and says so", async (_, next) => {
    const [connection, asked] = server((cursor, count) => ({
      tools: [tool(`t${count}`)],
      nextCursor: next(cursor, count),
    }));
    const list = await listTools(connection, 1_000);
    expect(list.tools.length).toBeGreaterThan(0);
    expect(list.warnings.map(({ code }) => code)).toContain("TOOLS_CUT");
    expect(asked.length).toBeLessThan(10);
  });

  test("ends although the server's pages never do", async () => {
    const [connection, asked] = server((_, count) => ({ tools: [], nextCursor: `page ${count}` }));
    const { warnings } = await listTools(connection, 1_000);
    expect(warnings.map(({ code }) => code)).toEqual(["TOOLS_CUT"]);
    expect(asked.length).toBeLessThanOrEqual(1_001);
  });

  test("keeps the good tools beside bad ones, and tells how many there were", async () => {
    const bad = [null, undefined, "x", 7, [], {}, tool(""), tool(null), tool(7), tool({})];
    const list = await listed(() => ({ tools: [tool("a"), ...bad, tool("b")] }));
    expect(namesOf(list)).toEqual(["a", "b"]);
    expect(list.warnings).toMatchObject([{ code: "TOOL_UNUSABLE", count: bad.length }]);
  });

  test("uses the first of two tools of the same name, also from different pages", async () => {
    const list = await listed((cursor) => ({
      tools: [{ ...tool("a"), title: `from ${cursor ?? "first"}` }, tool(`b${cursor ?? ""}`)],
      ...(cursor === undefined && { nextCursor: "2" }),
    }));
    expect(list.tools.map(({ name, title }) => [name, title])).toEqual([
      ["a", "from first"],
      ["b", undefined],
      ["b2", undefined],
    ]);
    expect(list.warnings.map(({ code }) => code)).toEqual(["TOOL_UNUSABLE"]);
  });

  test.each([undefined, null, "x", [], {}, { tools: null }, { tools: {} }, { tools: "a" }])(
    "fails where the answer is %j",
    async (answer) => {
      expect(await failureOf(listed(() => answer))).toMatchObject({ code: "INVALID_ANSWER" });
    },
  );

  test("takes five thousand tools", async () => {
    const tools = Array.from({ length: 5_000 }, (_, at) => tool(`tool${at}`));
    expect((await listed(() => ({ tools }))).tools).toHaveLength(5_000);
  });

  test("passes on what the server says instead", async () => {
    const [connection] = server(() => Promise.reject(new Error("down")));
    await expect(listTools(connection, 1_000)).rejects.toThrow("down");
  });
});

describe("how long a list is fresh", () => {
  const NOW = 1_770_000_000_000;

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test.each<[ttlMs: unknown, freshUntil: number | undefined]>([
    [1_500, NOW + 1_500],
    [0.5, NOW + 0.5],
    [0, undefined],
    [-5, undefined],
    [undefined, undefined],
    [null, undefined],
    ["1500", undefined],
    [{}, undefined],
  ])("follows from ttlMs %j", async (ttlMs, freshUntil) => {
    expect((await listed(() => ({ tools: [], ttlMs }))).freshUntil).toBe(freshUntil);
  });

  test("is the shortest time of all pages", async () => {
    const ttls = [5_000, 1_000, 3_000];
    const list = await listed((_, count) => ({
      tools: [],
      ttlMs: ttls[count - 1],
      ...(count < 3 && { nextCursor: `${count}` }),
    }));
    expect(list.freshUntil).toBe(NOW + 1_000);
  });

  test("is unknown where one page does not want to be kept", async () => {
    const list = await listed((_, count) => ({
      tools: [],
      ttlMs: count === 1 ? 5_000 : 0,
      ...(count === 1 && { nextCursor: "2" }),
    }));
    expect(list.freshUntil).toBeUndefined();
  });
});
