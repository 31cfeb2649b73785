import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { CallError, callErrorData, isCallError } from "../envelope/call-error.js";
import { hostileValues } from "../testing/hostile-values.js";
import { failureOf, registryOf } from "./fixtures/operations.js";
import { mapError } from "./map-error.js";
import type { ErrorDeclarations } from "./operation.js";

const DECLARED = {
  CARD_DECLINED: { category: "conflict", recoverable: true, description: "The bank said no." },
  USER_NOT_FOUND: {},
  ODD: {},
  "odd code": { recoverable: true },
} satisfies ErrorDeclarations;

function mapped(thrown: unknown): CallError {
  return mapError(thrown, "shop.pay", DECLARED);
}

describe("a declared code", () => {
  test.each([
    ["is the message", new Error("CARD_DECLINED")],
    ["begins the message before a colon", new Error("CARD_DECLINED: no money")],
    ["begins the message before a colon without a space", new Error("CARD_DECLINED:no money")],
    ["is the error's code", Object.assign(new Error("no money"), { code: "CARD_DECLINED" })],
    ["is the code of an object that is no Error", { code: "CARD_DECLINED", message: "no money" }],
    ["is a text that was thrown", "CARD_DECLINED"],
    ["begins a text that was thrown", "CARD_DECLINED: no money"],
    ["is the message of an Error of another realm", runInNewContext('new Error("CARD_DECLINED")')],
    ["begins the message of an Error of another realm", runInNewContext('new Error("CARD_DECLINED: no")')],
    ["is the message of a subclass", new RangeError("CARD_DECLINED")],
  ])("that %s is the code, with category and recoverable of its declaration", (_, thrown) => {
    expect(mapped(thrown)).toMatchObject({ code: "CARD_DECLINED", category: "conflict", recoverable: true });
    expect(mapped(thrown).cause).toBe(thrown);
  });

  test.each([
    "CARD_DECLINED_TWICE",
    "NOT_CARD_DECLINED",
    "CARD_DECLINED_TWICE: no",
    "it was CARD_DECLINED",
    "CARD_DECLINED today: no",
    "card_declined",
    " CARD_DECLINED",
    "no: CARD_DECLINED",
    "",
    ":",
    ": CARD_DECLINED",
    "toString",
    "__proto__: x",
  ])("is matched whole and never as a substring: not in %j", (message) => {
    expect(mapped(new Error(message))).toMatchObject({ code: "EXECUTION_ERROR", category: "execution" });
  });

  test("without a category has the one that its name tells, else execution", () => {
    expect(mapped(new Error("USER_NOT_FOUND"))).toMatchObject({ category: "not_found", recoverable: false });
    expect(mapped(new Error("ODD"))).toMatchObject({ category: "execution", recoverable: false });
  });

  test("may have spaces", () => {
    expect(mapped(new Error("odd code: x"))).toMatchObject({ code: "odd code", recoverable: true });
  });

  test("counts in error.code before the message", () => {
    expect(mapped(Object.assign(new Error("ODD: x"), { code: "USER_NOT_FOUND" }))).toMatchObject({
      code: "USER_NOT_FOUND",
    });
  });

  test("that error.code does not have is looked for in the message", () => {
    expect(mapped(Object.assign(new Error("ODD: x"), { code: "EPIPE" }))).toMatchObject({ code: "ODD" });
    expect(mapped(Object.assign(new Error("ODD: x"), { code: 5 }))).toMatchObject({ code: "ODD" });
  });

  test("keeps the details that came with it, falsy or not", () => {
    for (const details of [{ limit: 5 }, 0, null, ""]) {
      expect(mapped(Object.assign(new Error("ODD"), { details }))).toHaveProperty("details", details);
    }
    expect(mapped(new Error("ODD"))).not.toHaveProperty("details");
  });

  test("gives the caller words: those after the colon, else the description", () => {
    const words = [
      new Error("CARD_DECLINED: no money"),
      Object.assign(new Error("no money"), { code: "CARD_DECLINED" }),
      { code: "CARD_DECLINED", message: "no money" },
    ];
    for (const thrown of words) expect(mapped(thrown).message).toBe("no money");
    expect(mapped(new Error("CARD_DECLINED")).message).toBe(DECLARED.CARD_DECLINED.description);
    expect(mapped(new Error("CARD_DECLINED:")).message).not.toBe("");
  });

  test("is none where nothing is declared", () => {
    expect(mapError(new Error("CARD_DECLINED"), "a.b")).toMatchObject({ code: "EXECUTION_ERROR" });
  });

  test("named as a field of Object is a code like any other", () => {
    const declared = { constructor: { category: "conflict" } } as unknown as ErrorDeclarations;
    expect(mapError(new Error("constructor"), "a.b", declared)).toMatchObject({ category: "conflict" });
    expect(mapError(new Error("toString"), "a.b", declared)).toMatchObject({ code: "EXECUTION_ERROR" });
  });
});

describe("a CallError", () => {
  test("is the same object", () => {
    const error = new CallError({ category: "rate_limit", code: "ODD", message: "Slow.", retryAfterMs: 5 });
    expect(mapped(error)).toBe(error);
  });

  test("of another copy of Plico is the same object, class or plain", () => {
    class CallErrorOfAnother extends Error {
      override readonly name = "CallError";
      readonly category = "conflict";
      readonly code = "TAKEN";
      readonly recoverable = true;
    }
    const plain = { name: "CallError", category: "conflict", code: "TAKEN", message: "Taken.", recoverable: true };
    for (const error of [new CallErrorOfAnother("Taken."), plain]) expect(mapped(error)).toBe(error);
  });

  test("of another copy with fewer fields gets what its category says", () => {
    const older = { name: "CallError", category: "timeout", code: "SLOW", message: "Slow." };
    expect(mapped(older)).toMatchObject({ ...older, recoverable: true });
  });

  test("keeps its own category, whatever the declaration says", () => {
    const error = new CallError({ category: "network", code: "CARD_DECLINED", message: "" });
    expect(mapped(error)).toMatchObject({ category: "network" });
  });

  test("that lacks a word is an unknown object", () => {
    expect(mapped({ name: "CallError", code: "X", message: "secret" })).toMatchObject({ code: "UNKNOWN_ERROR" });
  });
});

describe("the end of a call", () => {
  test.each([
    ["AbortError", "ABORTED", "aborted"],
    ["TimeoutError", "TIMEOUT", "timeout"],
  ])("%s is %s, as DOMException, as Error and as object", (name, code, category) => {
    const thrown = [new DOMException("secret", name), Object.assign(new Error("secret"), { name }), { name }];
    for (const one of thrown) {
      expect(mapped(one)).toMatchObject({ code, category });
      expect(mapped(one).cause).toBe(one);
      expect(JSON.stringify(mapped(one))).not.toContain("secret");
    }
  });

  test("of a fetch that was aborted is ABORTED", async () => {
    const thrown = await fetch("data:,x", { signal: AbortSignal.abort() }).catch((error: unknown) => error);
    expect(mapped(thrown)).toMatchObject({ code: "ABORTED" });
  });
});

describe("an unknown exception", () => {
  test("keeps its text in cause only", () => {
    const thrown = Object.assign(new Error("secret at db:5432"), { code: "secret", details: "secret" });
    const error = mapped(thrown);
    expect(error).toMatchObject({ code: "EXECUTION_ERROR", category: "execution", recoverable: false });
    expect(error.cause).toBe(thrown);
    for (const told of [JSON.stringify(error), JSON.stringify(callErrorData(error)), error.message, String(error)]) {
      expect(told).not.toContain("secret");
    }
  });

  test("of another realm is an exception like any other", () => {
    const thrown = runInNewContext('new TypeError("secret")');
    expect(mapped(thrown)).toMatchObject({ code: "EXECUTION_ERROR", category: "execution" });
    expect(JSON.stringify(mapped(thrown))).not.toContain("secret");
  });

  test.each([undefined, null, 0, "secret", false, { message: "secret" }, ["secret"], Symbol("secret"), 5n])(
    "that is no Error is UNKNOWN_ERROR, and its text stays in cause: %#",
    (thrown) => {
      const error = mapped(thrown);
      expect(error).toMatchObject({ code: "UNKNOWN_ERROR", category: "internal" });
      expect(JSON.stringify(error)).not.toContain("secret");
      if (thrown !== undefined) expect(error.cause).toBe(thrown);
    },
  );
});

describe("a hostile throwable", () => {
  const fail = (): never => {
    throw new Error("secret");
  };
  const everything = { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail };
  const names = ["name", "code", "message", "category", "details", "recoverable", "then", "cause"];
  const throwing = (target: object) =>
    Object.defineProperties(target, Object.fromEntries(names.map((name) => [name, { get: fail }])));
  const cases: readonly (readonly [string, unknown])[] = [
    ["a proxy that throws at everything", new Proxy({}, everything)],
    ["a proxy of an Error that throws at everything", new Proxy(new Error("x"), everything)],
    ["a proxy of a function", new Proxy(() => 1, everything)],
    ["an Error whose getters throw", throwing(new Error("x"))],
    ["an object whose getters throw", throwing({})],
    ["an object without a prototype", Object.create(null)],
    ["an Error whose message is no text", Object.assign(new Error("x"), { message: 5 })],
    ["an Error whose message is a symbol", Object.assign(new Error("x"), { message: Symbol("x") })],
    ["a CallError whose fields throw when looked at again", flickering()],
    ...hostileValues().map((value, at) => [`hostile value ${at}`, value] as const),
  ];

  /** Looks like a CallError once, and then throws. */
  function flickering(): object {
    let looks = 0;
    const fields: Record<string, unknown> = { name: "CallError", category: "conflict", code: "X", message: "m" };
    return new Proxy({}, { get: (_, name) => (looks++ < 4 ? fields[String(name)] : fail()) });
  }

  test.each(cases)("is mapped all the same: %s", (_, thrown) => {
    const error = mapped(thrown);
    expect(isCallError(error)).toBe(true);
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test.each(cases)("rejects and never throws at the caller: %s", async (_, thrown) => {
    const registry = registryOf(() => {
      throw thrown;
    });
    expect(isCallError(await failureOf(registry.execute("test.run")))).toBe(true);
    const later = registryOf(() => Promise.reject(thrown));
    expect(await later.attempt("test.run")).toMatchObject({ ok: false });
  });
});

test("execute maps what its handler throws, with the errors that the operation declares", async () => {
  const registry = registryOf(() => Promise.reject(new Error("CARD_DECLINED: no money")), { errorSchemas: DECLARED });
  expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "CARD_DECLINED", category: "conflict" });
  expect(await registry.attempt("test.run")).toMatchObject({ ok: false, error: { code: "CARD_DECLINED" } });
});
