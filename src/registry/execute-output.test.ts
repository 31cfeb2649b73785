import { describe, expect, test } from "vitest";
import type { Pagination } from "../envelope/hints.js";
import {
  httpEnvelope,
  localEnvelope,
  mcpEnvelope,
  type ResponseEnvelope,
  unwrap,
} from "../envelope/response-envelope.js";
import { failureOf, operation, registryOf } from "./fixtures/operations.js";
import { OperationRegistry } from "./registry.js";

const USER = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" }, role: { type: "string", default: "guest" } },
  required: ["id", "name"],
};
const USERS = { type: "array", items: USER };

/** What was warned of, without the words. */
function told({ meta }: ResponseEnvelope): unknown[] {
  return (meta.warnings ?? []).map(({ code, path, count }) => [code, path, ...(count === undefined ? [] : [count])]);
}

describe("the output policy", () => {
  const broken = { id: "12", extra: 1 };

  test("normalise, the default, strips, fills, converts without loss and reports each with its path", async () => {
    const envelope = await registryOf(() => ({ id: "12", name: "Ada", extra: 1 }), { outputSchema: USER }).execute(
      "test.run",
    );
    expect(envelope.data).toEqual({ id: 12, name: "Ada", role: "guest" });
    expect(told(envelope).sort()).toEqual([
      ["OUTPUT_CONVERTED", "/id"],
      ["OUTPUT_FILLED", "/role"],
      ["OUTPUT_STRIPPED", "/extra"],
    ]);
  });

  test("normalise leaves what it cannot mend and says so", async () => {
    const envelope = await registryOf(() => ({ ...broken, id: "abc" }), { outputSchema: USER }).execute("test.run");
    expect(envelope.data).toEqual({ id: "abc", role: "guest" });
    expect(told(envelope)).toContainEqual(["OUTPUT_MISMATCH", "/id"]);
    expect(told(envelope)).toContainEqual(["OUTPUT_MISMATCH", "/name"]);
  });

  test("normalise folds equal changes into one with a count", async () => {
    const rows = [1, 2, 3].map((id) => ({ id, name: "Ada", role: "admin", extra: id }));
    const envelope = await registryOf(() => rows, { outputSchema: USERS }).execute("test.run");
    expect(told(envelope)).toEqual([["OUTPUT_STRIPPED", "/0/extra", 3]]);
    expect(rows[0]).toHaveProperty("extra");
  });

  test("cast also replaces what does not match by empty values, and reports each", async () => {
    const envelope = await registryOf(() => ({ id: "abc" }), { outputSchema: USER, output: "cast" }).execute(
      "test.run",
    );
    expect(envelope.data).toEqual({ id: 0, name: "", role: "guest" });
    expect(told(envelope).map((one) => (one as string[])[1])).toEqual(expect.arrayContaining(["/id", "/name"]));
  });

  test("check changes nothing and tells every mismatch", async () => {
    const envelope = await registryOf(() => broken, { outputSchema: USER, output: "check" }).execute("test.run");
    expect(envelope.data).toBe(broken);
    expect(told(envelope).sort()).toEqual([
      ["OUTPUT_MISMATCH", "/id"],
      ["OUTPUT_MISMATCH", "/name"],
    ]);
  });

  test("check says nothing of data that matches, whatever else it has", async () => {
    const data = { id: 1, name: "Ada", extra: 1 };
    const envelope = await registryOf(() => data, { outputSchema: USER, output: "check" }).execute("test.run");
    expect(envelope).toMatchObject({ data });
    expect(told(envelope)).toEqual([]);
  });

  test.each([
    ["at once", () => broken],
    ["later", async () => broken],
    ["in an envelope of its own", () => localEnvelope(broken, "test.run")],
  ])("strict fails the call with the data kept, when it comes %s", async (_, handler) => {
    const error = await failureOf(registryOf(handler, { outputSchema: USER, output: "strict" }).execute("test.run"));
    expect(error).toMatchObject({ category: "execution", code: "OUTPUT_MISMATCH", data: broken });
    expect(error.issues?.map(({ path }) => path).sort()).toEqual(["/id", "/name"]);
  });

  test("strict lets pass what matches", async () => {
    const data = { id: 1, name: "Ada" };
    const registry = registryOf(() => data, { outputSchema: USER, output: "strict" });
    expect(unwrap(await registry.execute("test.run"))).toBe(data);
  });

  test("off does not look", async () => {
    const envelope = await registryOf(() => broken, { outputSchema: USER, output: "off" }).execute("test.run");
    expect(envelope.data).toBe(broken);
    expect(told(envelope)).toEqual([]);
  });

  test("of the operation counts more than that of the registry", async () => {
    const strict = { output: "strict" } as const;
    const registry = new OperationRegistry(strict).registerAll([
      operation(() => broken, { outputSchema: USER }),
      operation(() => broken, { name: "lax", outputSchema: USER, output: "off" }),
    ]);
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "OUTPUT_MISMATCH" });
    expect(unwrap(await registry.execute("test.lax"))).toBe(broken);
  });

  test("does not apply where outputSchema accepts anything", async () => {
    for (const outputSchema of [true, {}]) {
      for (const output of ["normalise", "cast", "check", "strict", "off"] as const) {
        const envelope = await registryOf(() => broken, { outputSchema, output }).execute("test.run");
        expect(envelope.data).toBe(broken);
        expect(envelope.meta.warnings).toBeUndefined();
      }
    }
  });

  test("undefined for a schema that wants something is told, and stays undefined", async () => {
    const envelope = await registryOf(() => undefined, { outputSchema: USER }).execute("test.run");
    expect(envelope.data).toBeUndefined();
    expect(told(envelope)).toEqual([["OUTPUT_MISMATCH", ""]]);
  });
});

describe("a schema with a broken part", () => {
  const outputSchema = { type: "object", properties: { id: { type: "integer" }, at: { $ref: "#/nowhere" } } };

  test("never loses a result, and is told with SCHEMA_UNSUPPORTED and its path", async () => {
    for (const output of ["normalise", "check", "strict"] as const) {
      const envelope = await registryOf(() => ({ id: 1, at: [1] }), { outputSchema, output }).execute("test.run");
      expect(envelope.data).toEqual({ id: 1, at: [1] });
      expect(told(envelope)).toEqual([["SCHEMA_UNSUPPORTED", "/properties/at/$ref"]]);
    }
  });

  test("still checks its other parts", async () => {
    const envelope = await registryOf(() => ({ id: "x" }), { outputSchema }).execute("test.run");
    expect(told(envelope)).toContainEqual(["OUTPUT_MISMATCH", "/id"]);
  });
});

describe("a handler's own envelope", () => {
  test("stays the same object when its data is normalised, and keeps the warnings of its source first", async () => {
    const envelope = httpEnvelope(
      { id: 1, name: "Ada", role: "a", extra: 1 },
      { statusCode: 200, headers: {}, contentType: "", warnings: [{ code: "OLD", message: "Old." }] },
    );
    const answer = await registryOf(() => envelope, { outputSchema: USER }).execute("test.run");
    expect(answer).toBe(envelope);
    expect(answer.data).toEqual({ id: 1, name: "Ada", role: "a" });
    expect(told(answer)).toEqual([
      ["OLD", undefined],
      ["OUTPUT_STRIPPED", "/extra"],
    ]);
  });

  test("is not written to when it is frozen", async () => {
    const envelope = Object.freeze(localEnvelope(Object.freeze({ id: "1", name: "Ada" }), "test.run"));
    const answer = await registryOf(() => envelope, { outputSchema: USER }).execute("test.run");
    expect(answer.data).toEqual({ id: 1, name: "Ada", role: "guest" });
    expect(answer.meta).toMatchObject({ source: "local", timestamp: envelope.meta.timestamp });
    expect(envelope.data).toEqual({ id: "1", name: "Ada" });
    expect(envelope.meta.warnings).toBeUndefined();
  });

  test("whose fields cannot be written is passed on all the same", async () => {
    const { data, meta } = localEnvelope({ id: "1", name: "Ada" }, "test.run");
    const envelope = {
      get data() {
        return data;
      },
      meta,
    };
    const answer = await registryOf(() => envelope, { outputSchema: USER }).execute("test.run");
    expect(answer.data).toMatchObject({ id: 1, name: "Ada" });
  });

  test("that is returned twice does not collect the warnings of its schema", async () => {
    const kept = localEnvelope({ id: 1, name: 5 }, "test.run");
    const registry = registryOf(() => kept, { outputSchema: USER });
    await registry.execute("test.run");
    const first = told(kept);
    await registry.execute("test.run");
    expect(told(await registry.execute("test.run"))).toEqual(first);
  });

  test("that is returned twice does not collect what each call says of itself", async () => {
    const kept = localEnvelope(1, "test.run");
    const registry = registryOf((_, context) => {
      context.warn("Careful.");
      return kept;
    });
    await registry.execute("test.run");
    expect((await registry.execute("test.run")).meta.warnings).toHaveLength(1);
  });

  test("with an MCP error is never normalised: what a tool says of its failure follows no schema", async () => {
    for (const output of ["normalise", "cast", "check", "strict"] as const) {
      const envelope = mcpEnvelope({ oops: 1 }, { isError: true, content: [], structuredContent: { oops: 1 } });
      const answer = await registryOf(() => envelope, { outputSchema: USER, output }).execute("test.run");
      expect(answer).toEqual(mcpEnvelope({ oops: 1 }, { isError: true, content: [], structuredContent: { oops: 1 } }));
    }
  });

  test("with plain content blocks is never normalised", async () => {
    const content = [{ type: "text" as const, text: "hello" }];
    for (const output of ["normalise", "cast", "strict"] as const) {
      const answer = await registryOf(() => mcpEnvelope(content, { isError: false, content }), {
        outputSchema: USER,
        output,
      }).execute("test.run");
      expect(answer.data).toBe(content);
      expect(answer.meta.warnings).toBeUndefined();
    }
  });

  test("with a copy of its content blocks as data is never normalised: the spec's own adapter maps them twice", async () => {
    const blocks = () => [{ type: "text" as const, text: "hello" }];
    for (const output of ["normalise", "cast", "strict"] as const) {
      const handler = () => mcpEnvelope(blocks(), { isError: false, content: blocks() });
      const answer = await registryOf(handler, { outputSchema: USER, output }).execute("test.run");
      expect(answer.data).toEqual(blocks());
      expect(answer.meta.warnings).toBeUndefined();
    }
  });

  test("with structured content is normalised, and its meta keeps what the server sent", async () => {
    const structuredContent = { id: 1, name: "Ada", role: "x", _trace: 1 };
    const envelope = mcpEnvelope(structuredContent, { isError: false, content: [], structuredContent });
    const answer = await registryOf(() => envelope, { outputSchema: USER }).execute("test.run");
    expect(answer.data).toEqual({ id: 1, name: "Ada", role: "x" });
    expect(answer.meta).toMatchObject({ structuredContent: { _trace: 1 } });
    expect(told(answer)).toEqual([["OUTPUT_STRIPPED", "/_trace"]]);
  });
});

describe("hints", () => {
  const pagination: Pagination = { cursor: "c2", hasMore: true };

  test("that a handler gives through its context are in meta", async () => {
    const { meta } = await registryOf((_, context) => {
      context.warn("Slow today.");
      context.warn({ code: "STALE", message: "From the cache.", path: "/rows" });
      context.page(pagination);
      context.link({ uri: "file:///a", name: "a" });
      context.link({ uri: "file:///b", name: "b" });
      context.summary("Two rows.");
      return [1];
    }).execute("test.run");
    expect(meta).toMatchObject({
      warnings: [{ code: "SOURCE_WARNING" }, { code: "STALE", path: "/rows" }],
      pagination,
      links: [
        { type: "resource_link", uri: "file:///a" },
        { type: "resource_link", uri: "file:///b" },
      ],
      summary: "Two rows.",
    });
  });

  test("may be given by functions that were taken out of the context", async () => {
    const { meta } = await registryOf((_, { warn, page, link, summary }) => {
      warn("Slow today.");
      page(pagination);
      link({ uri: "file:///a", name: "a" });
      summary("Two rows.");
    }).execute("test.run");
    expect(meta).toMatchObject({ pagination, summary: "Two rows." });
  });

  test("of an envelope's own meta win over those of the context", async () => {
    const { meta } = await registryOf((_, context) => {
      context.summary("mine");
      context.page(pagination);
      return {
        data: 1,
        meta: { source: "local", operationId: "other.op", timestamp: 5, summary: "its own", requestId: "its" },
      };
    }).execute("test.run", 1, { requestId: "r1" });
    expect(meta).toEqual({
      source: "local",
      operationId: "other.op",
      timestamp: 5,
      summary: "its own",
      requestId: "its",
      pagination,
    });
  });

  test("come before the warnings of the schema", async () => {
    const envelope = await registryOf(
      (_, context) => {
        context.warn({ code: "MINE", message: "First." });
        return { id: 1, name: "Ada", role: "x", extra: 1 };
      },
      { outputSchema: USER },
    ).execute("test.run");
    expect(told(envelope)).toEqual([
      ["MINE", undefined],
      ["OUTPUT_STRIPPED", "/extra"],
    ]);
  });

  test("tell the request id where the call has one", async () => {
    const registry = registryOf((ask, { requestId }) => (ask ? requestId : 1));
    expect((await registry.execute("test.run", true, { requestId: "r1" })).meta.requestId).toBe("r1");
    const { data, meta } = await registryOf((_, context) => context.requestId).execute("test.run");
    expect(data).toMatch(/^req_[0-9a-f]{12}$/);
    expect(meta.requestId).toBe(data);
    expect((await registryOf(() => 1).execute("test.run")).meta).not.toHaveProperty("requestId");
  });

  test("of progress go to the caller as they come", async () => {
    const reports: unknown[] = [];
    await registryOf((_, context) => {
      context.progress(0);
      context.progress(1, 2, "Half");
    }).execute("test.run", 1, { onProgress: (report) => reports.push(report) });
    expect(reports).toEqual([{ progress: 0 }, { progress: 1, total: 2, message: "Half" }]);
  });

  test("of a call that failed while its data was looked at do not reach the next one", async () => {
    const bad = {
      extra: 1,
      id: 1,
      get name() {
        throw new Error("no");
      },
    };
    const registry = registryOf((input) => (input === "bad" ? bad : { id: 1, name: "Ada", role: "x" }), {
      outputSchema: USER,
    });
    await registry.execute("test.run", "bad").catch(() => {});
    expect(told(await registry.execute("test.run", "good"))).toEqual([]);
  });
});

test("the context tells who calls, when it must be done and what it was asked", async () => {
  const options = {
    requestId: "r1",
    parentRequestId: "r0",
    deadline: Date.now() + 60_000,
    identity: { id: "ada", scopes: [] },
    metadata: { trace: "t" },
  };
  const registry = registryOf((_, context) => ({
    requestId: context.requestId,
    parentRequestId: context.parentRequestId,
    deadline: context.deadline,
    identity: context.identity,
    metadata: context.metadata,
    operationId: context.operationId,
    version: context.spec.version,
    input: context.input,
  }));
  expect(unwrap(await registry.execute("test.run", 7, options))).toEqual({
    ...options,
    operationId: "test.run",
    version: "1.0.0",
    input: 7,
  });
});
