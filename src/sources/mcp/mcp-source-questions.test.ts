import { describe, expect, test } from "vitest";
import { failureOf } from "../../registry/fixtures/operations.js";
import { open, seenBy, tidyUp } from "./fixtures/stdio.js";
import type { InputHook, InputRequest } from "./options.js";

tidyUp();

const FORM = {
  mode: "form",
  message: "What is your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string", default: "nobody" } } },
};
const NAME = { method: "elicitation/create", params: FORM };
const ACCEPTED = { action: "accept", content: { name: "Ada" } };

function hookInto(seen: InputRequest[]): InputHook {
  return (request) => {
    seen.push(request);
    return ACCEPTED;
  };
}

describe("a tool of the modern era that asks", () => {
  test("is answered by the hook, in as many rounds as it likes, each with a new id", async () => {
    const seen: InputRequest[] = [];
    const stage = await open({ era: "modern" }, { onInputRequest: hookInto(seen) });
    const answer = await stage.call("ask", { rounds: 3, inputRequests: { name: NAME } });
    expect(answer).toMatchObject({ inputResponses: { name: ACCEPTED }, requestState: "2" });
    expect(seen).toEqual([1, 2, 3].map(() => ({ key: "name", ...NAME })));
    const calls = (await seenBy(stage, "tools/call")).slice(0, 4) as { id: number; params: Record<string, unknown> }[];
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
    expect(calls.map(({ params }) => params["requestState"])).toEqual([undefined, "0", "1", "2"]);
    expect(calls.every(({ params }) => JSON.stringify(params["arguments"]).includes("rounds"))).toBe(true);
  });

  test("gets no state that it has not given, and nothing goes over into other calls", async () => {
    const stage = await open({ era: "modern" }, { onInputRequest: () => ACCEPTED });
    await stage.call("ask", { inputRequests: { name: NAME }, isWithoutState: true });
    await stage.call("echo");
    const calls = (await seenBy(stage, "tools/call")) as { params: Record<string, unknown> }[];
    expect(calls.map(({ params }) => "requestState" in params)).toEqual([false, false, false, false]);
    expect(calls.map(({ params }) => "inputResponses" in params)).toEqual([false, true, false, false]);
  });

  test("fails the call where nobody answers, with what it asked for", async () => {
    const { call } = await open({ era: "modern" });
    const error = await failureOf(call("ask", { inputRequests: { name: NAME } }));
    expect(error).toMatchObject({ category: "execution", code: "INPUT_REQUIRED", recoverable: true });
    expect(error.details).toEqual({ inputRequests: { name: NAME }, requestState: "0" });
  });

  test("is answered by the caller with the next call", async () => {
    const { call } = await open({ era: "modern" });
    const { details } = await failureOf(call("ask", { inputRequests: { name: NAME } }));
    const { requestState } = details as { requestState: string };
    const metadata = { inputResponses: { name: ACCEPTED }, requestState };
    const answer = await call("ask", { inputRequests: { name: NAME } }, { metadata });
    expect(answer).toMatchObject({ inputResponses: { name: ACCEPTED }, requestState: "0" });
  });

  test.each([
    { inputResponses: null },
    { inputResponses: "x", requestState: 5 },
    { inputResponses: undefined },
    { requestState: null },
    { mine: 1 },
  ])("is called although the caller's metadata is %j, which is no answer", async (metadata) => {
    const stage = await open({ era: "modern" }, { timeout: 5_000 });
    expect(await stage.call("echo", {}, { metadata })).toEqual({ input: {} });
    const [{ params } = { params: {} }] = await seenBy(stage, "tools/call");
    expect(params).not.toHaveProperty("inputResponses");
    expect(params).not.toHaveProperty("requestState");
  });

  test("is not called again for a caller that gave up while the hook was thinking", async () => {
    const controller = new AbortController();
    let think: (answer: unknown) => void = () => {};
    const stage = await open(
      { era: "modern" },
      {
        onInputRequest: (_, { signal }) => {
          expect(signal?.aborted).toBe(false);
          queueMicrotask(() => controller.abort());
          return new Promise((resolve) => {
            think = resolve;
          });
        },
      },
    );
    const error = await failureOf(stage.call("ask", { inputRequests: { name: NAME } }, { signal: controller.signal }));
    expect(error.code).toBe("ABORTED");
    think(ACCEPTED);
    await stage.call("echo");
    const calls = (await seenBy(stage, "tools/call")) as { params: { name: string } }[];
    expect(calls.filter(({ params }) => params.name === "ask")).toHaveLength(1);
  });

  test("fails the call with what the hook throws", async () => {
    const stage = await open(
      { era: "modern" },
      {
        onInputRequest: () => {
          throw new Error("nobody is here");
        },
      },
    );
    const error = await failureOf(stage.call("ask", { inputRequests: { name: NAME } }));
    expect(error.code).toBe("EXECUTION_ERROR");
    expect(await stage.call("echo")).toEqual({ input: {} });
  });
});

describe("a server of the legacy era that asks", () => {
  const elicit = { method: NAME.method, params: { message: FORM.message, requestedSchema: FORM.requestedSchema } };

  test("is answered by the hook", async () => {
    const seen: InputRequest[] = [];
    const stage = await open({ era: "legacy" }, { onInputRequest: hookInto(seen) });
    expect(await stage.call("elicit", elicit)).toMatchObject({ result: ACCEPTED });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "elicitation/create", params: { message: FORM.message } });
    const [{ params } = { params: {} }] = await seenBy(stage, "initialize");
    expect(params).toMatchObject({ capabilities: { elicitation: {} } });
  });

  test("gets the defaults of its form where the answer leaves them out", async () => {
    const { call } = await open({ era: "legacy" }, { onInputRequest: () => ({ action: "accept", content: {} }) });
    expect(await call("elicit", elicit)).toMatchObject({ result: { action: "accept", content: { name: "nobody" } } });
  });

  test("is told that nobody answers, and that before it asks", async () => {
    const stage = await open({ era: "legacy" });
    expect(await stage.call("elicit", elicit)).toMatchObject({ error: { code: -32601 } });
    const [{ params } = { params: {} }] = await seenBy(stage, "initialize");
    expect(params).toMatchObject({ capabilities: {} });
    expect(JSON.stringify(params)).not.toContain("elicitation");
  });

  test("is told where the hook throws, without what it said", async () => {
    const stage = await open(
      { era: "legacy" },
      {
        onInputRequest: () => {
          throw new Error("nobody is here");
        },
      },
    );
    const { error } = await stage.call("elicit", elicit);
    expect(error).toMatchObject({ code: expect.any(Number) });
  });

  test("may ask for other things where the source can answer them", async () => {
    const roots = { roots: [{ uri: "file:///tmp", name: "tmp" }] };
    const stage = await open({ era: "legacy" }, { onInputRequest: () => roots, inputMethods: ["roots/list"] });
    expect(await stage.call("elicit", { method: "roots/list" })).toMatchObject({ result: roots });
    expect(await stage.call("elicit", elicit)).toMatchObject({ error: { code: -32601 } });
  });
});
