import { describe, expect, test } from "vitest";
import { callErrorData } from "../../envelope/call-error.js";
import { questionsFor } from "./input-required.js";
import { RequestStates } from "./request-state.js";

const states = new RequestStates(undefined);

function askedWith(details: unknown, capabilities: unknown) {
  const error = callErrorData({ category: "execution", code: "INPUT_REQUIRED", message: "?", details });
  return questionsFor({ error, capabilities, states, owner: "ada", operation: "test.run" });
}

function question(method: string, params: object = {}) {
  return { inputRequests: { q: { method, params } } };
}

describe("the questions of an operation", () => {
  test.each([
    [question("elicitation/create"), { elicitation: {} }],
    [question("elicitation/create"), { elicitation: { form: {} } }],
    [question("elicitation/create", { mode: "url" }), { elicitation: { url: {} } }],
    [question("sampling/createMessage"), { sampling: {} }],
    [question("sampling/createMessage", { tools: [] }), { sampling: { tools: {} } }],
    [question("roots/list"), { roots: {} }],
  ])("%j goes to a client with %j", async (details, capabilities) => {
    const result = { resultType: "input_required", ...details };
    expect(await askedWith(details, capabilities)).toEqual({ result, missing: undefined });
  });

  test.each([
    [question("elicitation/create"), {}, { elicitation: { form: {} } }],
    [question("elicitation/create"), { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [question("elicitation/create", { mode: "url" }), { elicitation: {} }, { elicitation: { url: {} } }],
    [question("sampling/createMessage", { toolChoice: {} }), { sampling: {} }, { sampling: { tools: {} } }],
    [question("roots/list"), undefined, { roots: {} }],
  ])("%j needs more than %j", async (details, capabilities, missing) => {
    expect(await askedWith(details, capabilities)).toMatchObject({ missing });
  });

  test.each([[question("made/up")], [{ inputRequests: { q: null } }], [{ inputRequests: [] }], [{}], ["text"]])(
    "%j is an error like any other",
    async (details) => {
      expect(await askedWith(details, { elicitation: {}, sampling: {}, roots: {} })).toBeUndefined();
    },
  );

  test("may be none but to come again", async () => {
    const asked = await askedWith({ requestState: "kept" }, {});
    expect(asked?.result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    expect(asked?.result.requestState).not.toContain("kept");
  });
});

describe("what an operation wants back", () => {
  const context = undefined as never;
  const ada = { owner: "ada", operation: "test.run" };

  test("comes back as it was, with the operation that wants it", async () => {
    const sealed = await states.seal("kept", ada);
    expect(await states.open(sealed, "ada", context)).toEqual({ state: "kept", operation: "test.run" });
  });

  test("does not come back changed, or from someone else", async () => {
    const sealed = await states.seal("kept", ada);
    await expect(states.open(sealed.replace(/.$/, "!"), "ada", context)).rejects.toThrow();
    await expect(states.open(sealed, "eve", context)).rejects.toThrow();
    await expect(states.open(sealed, undefined, context)).rejects.toThrow();
    await expect(new RequestStates(undefined).open(sealed, "ada", context)).rejects.toThrow();
  });

  test("comes back to another server with the same key", async () => {
    const key = "k".repeat(32);
    const sealed = await new RequestStates(key).seal("kept", { owner: undefined, operation: "test.run" });
    expect(await new RequestStates(key).open(sealed, undefined, context)).toMatchObject({ state: "kept" });
    expect(() => new RequestStates("short")).toThrow();
  });
});
