import { type AnyOperation, CallError, type HandlerContext, type JsonRecord } from "../../src/index.js";
import { isRecord, isString } from "../../src/json/value.js";
import { tool } from "./tools.js";

type Questions = Readonly<Record<string, { readonly method: string; readonly params?: JsonRecord }>>;

/** Ends this round: the call comes again with the answers. */
function ask(inputRequests: Questions, requestState?: string): never {
  throw new CallError({
    category: "execution",
    code: "INPUT_REQUIRED",
    message: "The tool has questions.",
    details: { inputRequests, ...(requestState !== undefined && { requestState }) },
  });
}

function answer({ metadata }: HandlerContext, key: string): unknown {
  const answers = metadata?.["inputResponses"];
  return isRecord(answers) ? answers[key] : undefined;
}

/** What the user filled in, if they did. */
function form(context: HandlerContext, key: string): JsonRecord | undefined {
  const given = answer(context, key);
  return isRecord(given) && given["action"] === "accept" && isRecord(given["content"]) ? given["content"] : undefined;
}

function elicit(message: string, properties: JsonRecord, required: readonly string[] = Object.keys(properties)) {
  return {
    method: "elicitation/create",
    params: { message, requestedSchema: { type: "object", properties, required } },
  };
}

function sample(text: string) {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100 } };
}

const listRoots = { method: "roots/list", params: {} };
const askName = elicit("What is your name?", { name: { type: "string" } });
const askConfirmation = elicit("Please confirm", { ok: { type: "boolean" } });

const choices = ["option1", "option2", "option3"];
const titledChoices = [
  { const: "value1", title: "First" },
  { const: "value2", title: "Second" },
];

/** One question, and an answer that tells the answer. */
function asks(name: string, description: string, question: (input: JsonRecord) => Questions[string]): AnyOperation {
  return tool(name, {
    description,
    handler: (input, context) => {
      const given = answer(context, "question");
      if (given === undefined) ask({ question: question(input) });
      return `The answer is ${JSON.stringify(given)}`;
    },
  });
}

/** The tools of the 2025 era, whose questions the server sends as requests of its own. */
const early = [
  asks("test_sampling", "Asks the client's model", ({ prompt }) => sample(String(prompt))),
  asks("test_elicitation", "Asks the user", ({ message }) => elicit(String(message), { response: { type: "string" } })),
  asks("test_elicitation_sep1034_defaults", "Asks the user, with defaults", () =>
    elicit(
      "Please review",
      {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
      [],
    ),
  ),
  asks("test_elicitation_sep1330_enums", "Asks the user to choose", () =>
    elicit(
      "Please choose",
      {
        untitledSingle: { type: "string", enum: choices },
        titledSingle: { type: "string", oneOf: titledChoices },
        legacyEnum: { type: "string", enum: choices, enumNames: ["One", "Two", "Three"] },
        untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: choices } },
        titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titledChoices } },
      },
      [],
    ),
  ),
];

/** What each of the client's capabilities lets a server ask. */
const askable: Readonly<Record<string, Questions>> = {
  elicitation: { user_name: askName },
  sampling: { greeting: sample("Generate a greeting") },
  roots: { client_roots: listRoots },
};

/** The tools of the 2026 era, whose questions are results. */
const late = [
  tool("test_input_required_result_elicitation", {
    description: "Asks for a name",
    handler: (_input, context) => {
      const name = form(context, "user_name")?.["name"];
      return isString(name) ? `Hello, ${name}!` : ask({ user_name: askName });
    },
  }),
  tool("test_input_required_result_sampling", {
    description: "Asks the client's model",
    handler: (_input, context) => {
      const given = answer(context, "capital_question");
      return given ?? ask({ capital_question: sample("What is the capital of France?") });
    },
  }),
  tool("test_missing_capability", {
    description: "Asks a client's model that is not there",
    handler: (_input, context) => answer(context, "llm_answer") ?? ask({ llm_answer: sample("Say pong") }),
  }),
  tool("test_input_required_result_list_roots", {
    description: "Asks for the client's roots",
    handler: (_input, context) => answer(context, "client_roots") ?? ask({ client_roots: listRoots }),
  }),
  tool("test_input_required_result_request_state", {
    description: "Gives the client something to keep",
    handler: (_input, context) =>
      form(context, "confirm") && context.metadata?.["requestState"] === "kept"
        ? "state-ok"
        : ask({ confirm: askConfirmation }, "kept"),
  }),
  tool("test_input_required_result_tampered_state", {
    description: "Gives the client something that it must not change",
    handler: (_input, context) => (form(context, "confirm") ? "unharmed" : ask({ confirm: askConfirmation }, "sealed")),
  }),
  tool("test_input_required_result_multiple_inputs", {
    description: "Asks three things at once",
    handler: (_input, context) => {
      const questions = { ...askable["elicitation"], ...askable["sampling"], ...askable["roots"] };
      const missing = Object.keys(questions).some((key) => answer(context, key) === undefined);
      return missing ? ask(questions, "three questions") : "all answered";
    },
  }),
  tool("test_input_required_result_multi_round", {
    description: "Asks a second time",
    handler: (_input, context) => {
      const state = context.metadata?.["requestState"];
      if (state === "second round") return `You like ${form(context, "step2")?.["color"]}`;
      if (state === "first round") ask({ step2: elicit("Step 2", { color: { type: "string" } }) }, "second round");
      return ask({ step1: elicit("Step 1", { name: { type: "string" } }) }, "first round");
    },
  }),
  tool("test_input_required_result_capabilities", {
    description: "Asks only what the client can answer",
    handler: (_input, { metadata }) => {
      const capabilities = metadata?.["clientCapabilities"];
      const known = isRecord(capabilities) ? Object.keys(capabilities) : [];
      return ask(Object.assign({}, ...known.map((name) => askable[name])));
    },
  }),
];

/** Those that ask the client before they answer. */
export const askingTools: readonly AnyOperation[] = [...early, ...late];
