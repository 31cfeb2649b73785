import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { hostileValues } from "../testing/hostile-values.js";
import {
  CALL_ERROR_FIELDS,
  CallError,
  type CallErrorInit,
  callErrorData,
  callErrorFrom,
  isCallError,
  isCallErrorField,
  isIssue,
} from "./call-error.js";
import { CATEGORIES, CATEGORY_FACTS } from "./category.js";

const OPTIONAL = ["details", "data", "issues", "suggestedAction", "nextTool", "retryAfterMs"] as const;

const WHOLE: Required<CallErrorInit> = {
  category: "conflict",
  code: "VERSION_CONFLICT",
  message: "Someone else was faster",
  recoverable: true,
  details: { expected: 3 },
  data: { rows: [1] },
  issues: [{ path: "/rows/0", message: "is taken", rule: "unique" }],
  suggestedAction: "Read again",
  nextTool: "rows.get",
  retryAfterMs: 1500,
  cause: new Error("a secret"),
};

describe("CallError", () => {
  test("is an Error with a name, a stack and its message", () => {
    const error = new CallError({ category: "timeout", message: "slow" });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.message, typeof error.stack]).toEqual(["CallError", "slow", "string"]);
  });

  test("holds every field that it is given", () => {
    expect(new CallError(WHOLE)).toMatchObject(WHOLE);
  });

  test("is made of another one with its message", () => {
    expect(new CallError(new CallError(WHOLE)).toJSON()).toEqual(new CallError(WHOLE).toJSON());
  });

  test("takes code and recoverable from its category where it does not say them", () => {
    for (const category of CATEGORIES) {
      const { code, recoverable } = CATEGORY_FACTS[category];
      expect(new CallError({ category, message: "" })).toMatchObject({ category, code, recoverable });
    }
    expect(new CallError({ category: "quantum", message: "" })).toMatchObject({
      category: "quantum",
      code: "EXECUTION_ERROR",
      recoverable: false,
    });
  });

  test("prefers what it says itself, falsy or not", () => {
    expect(new CallError({ category: "timeout", message: "", code: "", recoverable: false })).toMatchObject({
      code: "",
      recoverable: false,
    });
    const falsy = { details: null, data: 0, issues: [], suggestedAction: "", nextTool: "", retryAfterMs: 0 };
    expect(new CallError({ category: "timeout", message: "", ...falsy }).toJSON()).toMatchObject(falsy);
  });

  test("does not have the optional fields that it is not given", () => {
    const error = new CallError({ category: "timeout", message: "slow" });
    expect([...OPTIONAL, "cause"].filter((name) => name in error)).toEqual([]);
  });

  test("spreads into fields without undefined ones", () => {
    const { name, ...fields } = { ...new CallError({ category: "timeout", message: "slow", nextTool: "t" }) };
    expect(Object.keys(fields).sort()).toEqual(["category", "code", "nextTool", "recoverable"]);
  });

  test("does not have a cause that is undefined, and keeps any other", () => {
    expect("cause" in new CallError({ category: "internal", message: "", cause: undefined })).toBe(false);
    for (const cause of [null, 0, "", false]) {
      expect(new CallError({ category: "internal", message: "", cause })).toHaveProperty("cause", cause);
    }
  });
});

describe("a CallError as JSON", () => {
  test("has every field but the name, the stack and the cause", () => {
    const { cause, ...rest } = WHOLE;
    expect(new CallError(WHOLE).toJSON()).toStrictEqual(rest);
    expect(JSON.stringify(new CallError(WHOLE))).not.toContain("secret");
  });

  test("has no more than the four that are always there where nothing else is said", () => {
    expect(new CallError({ category: "timeout", message: "slow" }).toJSON()).toStrictEqual({
      category: "timeout",
      code: "TIMEOUT",
      message: "slow",
      recoverable: true,
    });
  });

  test("makes the same error again", () => {
    const { cause, ...rest } = WHOLE;
    expect(new CallError(JSON.parse(JSON.stringify(new CallError(WHOLE)))).toJSON()).toStrictEqual(rest);
  });

  test("has its fields in the order of the table of fields", () => {
    expect(Object.keys(new CallError(WHOLE).toJSON())).toEqual(CALL_ERROR_FIELDS);
  });
});

describe("callErrorData", () => {
  test("does not change what it is given, and leaves undefined fields out", () => {
    const init = Object.freeze({ category: "network", message: "gone", details: undefined });
    expect(callErrorData(init as Omit<CallErrorInit, "cause">)).toStrictEqual({
      category: "network",
      code: "UNAVAILABLE",
      message: "gone",
      recoverable: true,
    });
  });

  test("leaves out the cause and what else is no field of an error", () => {
    const stray = { category: "network", message: "gone", cause: new Error("a secret"), stack: "at line 1" };
    expect(Object.keys(callErrorData(stray))).toEqual(["category", "code", "message", "recoverable"]);
  });
});

describe("isCallError", () => {
  test("tells an error by its shape, not by its class", () => {
    const { cause, ...fields } = WHOLE;
    expect(isCallError(new CallError(WHOLE))).toBe(true);
    expect(isCallError({ name: "CallError", ...fields })).toBe(true);
    expect(isCallError(Object.assign(new Error("m"), { ...fields, name: "CallError" }))).toBe(true);
    expect(
      isCallError(
        runInNewContext(`Object.assign(new Error("m"), ${JSON.stringify({ ...fields, name: "CallError" })})`),
      ),
    ).toBe(true);
  });

  test("does not take an object of another shape although it has the prototype", () => {
    expect(isCallError(Object.create(CallError.prototype))).toBe(false);
  });

  test.each([
    ["an Error", new Error("m")],
    ["plain data without the name", callErrorData({ category: "timeout", message: "m" })],
    ["another name", { name: "Error", category: "timeout", code: "T", message: "m" }],
    ["a missing category", { name: "CallError", code: "T", message: "m" }],
    ["a code that is no text", { name: "CallError", category: "timeout", code: 5, message: "m" }],
    ["a missing message", { name: "CallError", category: "timeout", code: "T" }],
    ["null", null],
    ["undefined", undefined],
    ["a text", "CallError"],
  ])("does not take %s", (_, value) => {
    expect(isCallError(value)).toBe(false);
  });
});

describe("callErrorFrom", () => {
  test("gives a CallError as it is, whichever copy of Plico made it", () => {
    const error = new CallError(WHOLE);
    expect(callErrorFrom(error)).toBe(error);
    const foreign = Object.assign(new Error("m"), { ...error.toJSON(), name: "CallError" });
    expect(callErrorFrom(foreign).toJSON?.() ?? callErrorData(callErrorFrom(foreign))).toStrictEqual(error.toJSON());
  });

  test("says whether trying again can help, also where a foreign error does not", () => {
    const foreign = { name: "CallError", category: "timeout", code: "TIMEOUT", message: "slow" };
    expect(callErrorFrom(foreign).recoverable).toBe(true);
  });

  test("takes an AbortError for aborted and a TimeoutError for a timeout", () => {
    expect(callErrorFrom(new DOMException("x", "AbortError"))).toMatchObject({ category: "aborted", code: "ABORTED" });
    expect(callErrorFrom(new DOMException("x", "TimeoutError"))).toMatchObject({
      category: "timeout",
      code: "TIMEOUT",
    });
    expect(callErrorFrom(AbortSignal.abort().reason).category).toBe("aborted");
    expect(callErrorFrom({ name: "AbortError" }).category).toBe("aborted");
  });

  test("takes a timeout of AbortSignal for a timeout", async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(callErrorFrom(signal.reason).category).toBe("timeout");
  });

  test("does not leak the text of what it does not know, and keeps it as the cause", () => {
    const thrown = new Error("password hunter2");
    const error = callErrorFrom(thrown);
    expect(error).toMatchObject({ category: "internal", code: "UNKNOWN_ERROR", recoverable: false });
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hunter2");
    expect(error.cause).toBe(thrown);
  });

  test("does not leak the text of an abort either", () => {
    for (const name of ["AbortError", "TimeoutError"]) {
      const error = callErrorFrom(new DOMException("hunter2", name));
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hunter2");
    }
  });

  test.each(["hunter2", 5, 0, "", null, undefined, false, 10n, Symbol("hunter2"), ["hunter2"], { message: "hunter2" }])(
    "makes an error of %s, which is none",
    (thrown) => {
      const error = callErrorFrom(thrown);
      expect(isCallError(error)).toBe(true);
      expect(error.category).toBe("internal");
      expect(error.cause).toBe(thrown);
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("hunter2");
    },
  );

  test.each(hostileValues().map((value, at) => [at, value] as const))(
    "makes an error of hostile value %i",
    (_, thrown) => {
      expect(callErrorFrom(thrown).category).toBe("internal");
    },
  );
});

test("callErrorFrom makes an error of one that throws when its fields are read", () => {
  const shape = { name: "CallError", category: "timeout", code: "TIMEOUT", message: "slow" };
  for (const field of ["recoverable", "details"]) {
    const get = () => {
      throw new Error("do not touch");
    };
    const thrown = Object.defineProperty({ ...shape }, field, { get });
    expect(isCallError(callErrorFrom(thrown)), field).toBe(true);
  }
});

describe("isCallErrorField", () => {
  test("takes for each field of an error a value of its type", () => {
    for (const name of CALL_ERROR_FIELDS) expect(isCallErrorField(name, WHOLE[name]), name).toBe(true);
  });

  test.each([
    ["category", 5],
    ["code", null],
    ["message", undefined],
    ["recoverable", "true"],
    ["issues", {}],
    ["issues", [{ path: "/a" }]],
    ["suggestedAction", ["a"]],
    ["nextTool", 0],
    ["retryAfterMs", "1"],
  ])("does not take for %s the value %j", (name, value) => {
    expect(isCallErrorField(name, value)).toBe(false);
  });

  test.each(["cause", "name", "stack", "toString", "__proto__", "constructor", ""])(
    "does not know the field %j",
    (name) => {
      expect(isCallErrorField(name, "x")).toBe(false);
    },
  );

  test("lets details and data be anything", () => {
    for (const value of [null, 0, "", false, [], {}]) {
      expect(isCallErrorField("details", value) && isCallErrorField("data", value)).toBe(true);
    }
  });
});

describe("isIssue", () => {
  test("wants a path and a message, and a rule of text if any", () => {
    expect(
      [
        { path: "", message: "" },
        { path: "/a", message: "m", rule: "r" },
        { path: "", message: "", more: 1 },
      ].every(isIssue),
    ).toBe(true);
    expect(
      [{ path: "/a" }, { message: "m" }, { path: 0, message: "m" }, { path: "", message: "", rule: 1 }, null, []].some(
        isIssue,
      ),
    ).toBe(false);
  });
});
