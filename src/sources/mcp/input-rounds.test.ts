import { describe, expect, test } from "vitest";
import type { JsonRecord } from "../../json/value.js";
import { failureOf } from "../../registry/fixtures/operations.js";
import { answerQuestions, isQuestion } from "./input-rounds.js";
import type { InputHook, InputRequest } from "./options.js";

const { signal } = new AbortController();

function question(inputRequests?: unknown, requestState?: unknown): JsonRecord {
  return {
    resultType: "input_required",
    ...(inputRequests !== undefined && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
  };
}

const NAME = { method: "elicitation/create", params: { message: "What is your name?" } };

/** A tool that asks these questions one after the other, and keeps what it was answered. */
function tool(
  questions: readonly JsonRecord[],
  hook: InputHook | undefined,
): { result: Promise<unknown>; got: JsonRecord[] } {
  const got: JsonRecord[] = [];
  const [first = {}, ...rest] = questions;
  const call = async (answers: JsonRecord): Promise<unknown> => {
    got.push(answers);
    return rest[got.length - 1] ?? { content: [] };
  };
  return { result: answerQuestions(first, { hook, context: { signal }, call }), got };
}

const accept: InputHook = ({ key }) => ({ action: "accept", content: { key } });

describe("isQuestion", () => {
  test("tells a question by its type alone", () => {
    expect(isQuestion({ resultType: "input_required" })).toBe(true);
    for (const result of [{ resultType: "complete" }, {}, { inputRequests: { a: NAME } }, null, undefined, "x", []])
      expect(isQuestion(result)).toBe(false);
  });
});

describe("a tool that asks", () => {
  test("is called again with the answers by their keys, and its state as it was", async () => {
    const { result, got } = tool([question({ a: NAME, b: NAME }, 'st"ate')], accept);
    expect(await result).toEqual({ content: [] });
    expect(got).toEqual([
      {
        inputResponses: {
          a: { action: "accept", content: { key: "a" } },
          b: { action: "accept", content: { key: "b" } },
        },
        requestState: 'st"ate',
      },
    ]);
  });

  test("may ask several times, and no state is carried on that it has dropped", async () => {
    const { result, got } = tool([question({ a: NAME }, "one"), question({ b: NAME }), question({}, "three")], accept);
    await result;
    expect(got.map(({ requestState }) => requestState)).toEqual(["one", undefined, "three"]);
    expect(got.map((answers) => Object.keys(answers))).toEqual([
      ["inputResponses", "requestState"],
      ["inputResponses"],
      ["requestState"],
    ]);
  });

  test.each(["", "x"])("may only want to be called again with its state %j", async (state) => {
    const { result, got } = tool([question(undefined, state)], accept);
    await result;
    expect(got).toEqual([{ requestState: state }]);
  });

  test("asks the hook all questions of a round at once, with the signal of the call", async () => {
    const seen: [InputRequest, AbortSignal | undefined][] = [];
    const hook: InputHook = async (request, context) => {
      seen.push([request, context.signal]);
      await Promise.resolve();
      if (seen.length < 2) throw new Error("not at once");
      return null;
    };
    const { result, got } = tool([question({ a: NAME, b: { method: "roots/list" } })], hook);
    await result;
    expect(seen).toEqual([
      [{ key: "a", ...NAME }, signal],
      [{ key: "b", method: "roots/list", params: undefined }, signal],
    ]);
    expect(got).toEqual([{ inputResponses: { a: null, b: null } }]);
  });

  test("keeps keys that are names of JavaScript's own", async () => {
    const requests = JSON.parse(`{"__proto__":${JSON.stringify(NAME)},"constructor":${JSON.stringify(NAME)}}`);
    const { result, got } = tool([question(requests)], accept);
    await result;
    expect(Object.keys(got[0]?.["inputResponses"] as object)).toEqual(["__proto__", "constructor"]);
  });

  test("without end is refused", async () => {
    const { result, got } = tool(
      Array.from({ length: 1_000 }, () => question({ a: NAME })),
      accept,
    );
    expect(await failureOf(result)).toMatchObject({ code: "INVALID_ANSWER" });
    expect(got.length).toBeLessThan(20);
  });

  test("fails with what the hook throws, and is not called again", async () => {
    const wrong = new Error("nobody is here");
    const { result, got } = tool([question({ a: NAME })], () => {
      throw wrong;
    });
    await expect(result).rejects.toBe(wrong);
    expect(got).toEqual([]);
  });

  test.each<[what: string, asked: JsonRecord]>([
    ["nothing at all", question()],
    ["nothing, in an object", question({})],
    ["by a list", question([NAME])],
    ["by a text", question("name")],
    ["by a request without a method", question({ a: { params: {} } })],
    ["by a request that is null", question({ a: null })],
    ["with a method that is a number", question({ a: { method: 7 } })],
    ["with a state that is no text", question(undefined, 7)],
  ])("for %s has answered nonsense, hook or not", async (_, asked) => {
    for (const hook of [accept, undefined])
      expect(await failureOf(tool([asked], hook).result)).toMatchObject({ code: "INVALID_ANSWER" });
  });
});

describe("a tool that asks where nobody answers", () => {
  test("fails the call with all that it asks for", async () => {
    const { result, got } = tool([question({ a: NAME, b: { method: "roots/list" } }, "state")], undefined);
    const error = await failureOf(result);
    expect(error).toMatchObject({ category: "execution", code: "INPUT_REQUIRED", recoverable: true });
    expect(error.details).toEqual({ inputRequests: { a: NAME, b: { method: "roots/list" } }, requestState: "state" });
    expect(error.message).toContain("What is your name?");
    expect(JSON.parse(JSON.stringify(error.details))).toEqual(error.details);
    expect(got).toEqual([]);
  });

  test("names no state where there is none", async () => {
    const error = await failureOf(tool([question({ a: NAME })], undefined).result);
    expect(error.details).toEqual({ inputRequests: { a: NAME } });
  });

  test("says so although it only wants to be called again", async () => {
    const error = await failureOf(tool([question(undefined, "s")], undefined).result);
    expect(error).toMatchObject({ code: "INPUT_REQUIRED", details: { inputRequests: {}, requestState: "s" } });
  });
});
