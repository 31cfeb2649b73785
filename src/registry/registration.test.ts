import { describe, expect, test } from "vitest";
import { operation, specOf, thrownBy } from "./fixtures/operations.js";
import type { HttpRoute, OperationSpec } from "./operation.js";
import { checkSpec } from "./registration.js";
import { OperationRegistry } from "./registry.js";

function issuesOf(over: object): unknown {
  const thrown = thrownBy(() => checkSpec(specOf(over as Partial<OperationSpec>)));
  return (thrown as { issues?: { path: string }[] } | undefined)?.issues?.map(({ path }) => path);
}

describe("a route", () => {
  test.each<HttpRoute>([
    { method: "GET", path: "/" },
    { method: "POST", path: "/users" },
    { method: "PUT", path: "/users/{userId}" },
    { method: "PATCH", path: "/a-b_c.d~e/{x}.{y-z}/@me:run" },
    { method: "DELETE", path: "/caf%C3%A9" },
  ])("%j is taken", (http) => {
    expect(issuesOf({ http })).toBeUndefined();
  });

  test.each<[unknown, readonly string[]]>([
    ["GET /users", ["/http"]],
    [null, ["/http"]],
    [[], ["/http"]],
    [{}, ["/http/method", "/http/path"]],
    [{ method: "get", path: "/" }, ["/http/method"]],
    [{ method: "HEAD", path: "/" }, ["/http/method"]],
    [{ method: "TRACE", path: "/" }, ["/http/method"]],
    [{ method: "GET", path: "users" }, ["/http/path"]],
    [{ method: "GET", path: "" }, ["/http/path"]],
    [{ method: "GET", path: "/a b" }, ["/http/path"]],
    [{ method: "GET", path: "/a?b" }, ["/http/path"]],
    [{ method: "GET", path: "/a#b" }, ["/http/path"]],
    [{ method: "GET", path: "/{" }, ["/http/path"]],
    [{ method: "GET", path: "/{}" }, ["/http/path"]],
    [{ method: "GET", path: "/{a b}" }, ["/http/path"]],
    [{ method: "GET", path: "/é" }, ["/http/path"]],
    [{ method: "GET", path: "/a\n" }, ["/http/path"]],
    [{ method: "GET", path: 5 }, ["/http/path"]],
  ])("%j is refused", (http, paths) => {
    expect(issuesOf({ http })).toEqual(paths);
  });
});

describe("a schema that is made when it is needed", () => {
  function lazy(input: () => object, output: () => object = () => ({})): ReturnType<typeof operation> {
    const spec = Object.defineProperties(specOf(), {
      inputSchema: { get: input, enumerable: true },
      outputSchema: { get: output, enumerable: true },
    });
    return { id: "test.run", spec, handler: (value) => value };
  }

  test("is not asked for before, and then once", async () => {
    let asked = 0;
    const registry = new OperationRegistry().register(
      lazy(() => {
        asked += 1;
        return { type: "number" };
      }),
    );
    expect(registry.list()).toHaveLength(1);
    expect(asked).toBe(0);
    expect(await registry.attempt("test.run", 5)).toMatchObject({ ok: true, data: 5 });
    expect(await registry.attempt("test.run", "5")).toMatchObject({ ok: false, error: { category: "validation" } });
    expect(asked).toBe(1);
  });

  test("that cannot be made fails the call, and no other", async () => {
    const broken = lazy(() => {
      throw new Error("hunter2");
    });
    const registry = new OperationRegistry().register(broken).register(operation(() => 1, { name: "other" }));
    const outcome = await registry.attempt("test.run", 5);
    expect(outcome.ok).toBe(false);
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
    expect(await registry.attempt("test.other")).toMatchObject({ ok: true });
  });

  test("is still checked where it is there", () => {
    expect(issuesOf({ inputSchema: 5 })).toEqual(["/inputSchema"]);
    expect(issuesOf({ outputSchema: null })).toEqual(["/outputSchema"]);
  });
});
