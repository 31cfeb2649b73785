import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import { invalidAnswer } from "./errors.js";
import type { InputContext, InputHook, InputRequest } from "./options.js";

/** How often a server may ask in one call. */
const MAX_ROUNDS = 10;

export interface InputRounds {
  readonly hook: InputHook | undefined;
  readonly context: InputContext;
  /** Calls the tool again, with what was answered. */
  readonly call: (answers: JsonRecord) => Promise<unknown>;
}

/** Answers what a tool asks for until it has all it wants. Without a hook, what it asks for is an error that names it. */
export async function answerQuestions(question: JsonRecord, { hook, context, call }: InputRounds): Promise<unknown> {
  let result: unknown = question;
  for (let round = 1; isQuestion(result); round++) {
    const { requests, requestState } = questionsOf(result);
    if (hook === undefined) throw inputRequired(requests, requestState);
    if (round > MAX_ROUNDS) throw invalidAnswer(`has asked for more input ${MAX_ROUNDS} times in one call`);
    const { signal, operationId } = context;
    const about = { signal, ...(operationId !== undefined && { operationId }) };
    const answers = await Promise.all(
      requests.map(async (request): Promise<[string, unknown]> => {
        const answer = await hook(request, about);
        return [request.key, withDefaults(request, answer)];
      }),
    );
    result = await call({
      ...(requests.length > 0 && { inputResponses: Object.fromEntries(answers) }),
      ...(requestState !== undefined && { requestState }),
    });
  }
  return result;
}

/** In the old era the SDK fills in the defaults of a form; a hook need not know which era it answers. */
function withDefaults({ params }: InputRequest, answer: unknown): unknown {
  const schema = isRecord(params) && isRecord(params["requestedSchema"]) ? params["requestedSchema"] : {};
  if (!isRecord(answer) || !isRecord(answer["content"]) || !isRecord(schema["properties"])) return answer;
  const defaults = Object.entries(schema["properties"]).flatMap(([name, property]) =>
    isRecord(property) && property["default"] !== undefined ? [[name, property["default"]]] : [],
  );
  return { ...answer, content: { ...Object.fromEntries(defaults), ...answer["content"] } };
}

export function isQuestion(result: unknown): result is JsonRecord {
  return isRecord(result) && result["resultType"] === "input_required";
}

interface Questions {
  readonly requests: readonly InputRequest[];
  readonly requestState: string | undefined;
}

function questionsOf({ inputRequests, requestState }: JsonRecord): Questions {
  const entries = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
  const requests = entries.map(([key, request]): InputRequest => {
    if (!isRecord(request) || !isString(request["method"]))
      throw invalidAnswer(`asks for input by ${told(request)} in place of a request`, inputRequests);
    return { key, method: request["method"], params: request["params"] };
  });
  if (requests.length === 0 && !isString(requestState)) throw invalidAnswer("asks for input without saying which");
  return { requests, requestState: isString(requestState) ? requestState : undefined };
}

function inputRequired(requests: readonly InputRequest[], requestState: string | undefined): CallError {
  const asked = requests.map(({ key, method, params }) => {
    const message = isRecord(params) && isString(params["message"]) ? `: ${params["message"]}` : "";
    return `${key} (${method})${message}`;
  });
  return new CallError({
    category: "execution",
    code: "INPUT_REQUIRED",
    recoverable: true,
    message: `The tool asks for more: ${asked.join("; ") || "to be called again"}`,
    suggestedAction: "Call again with metadata { inputResponses, requestState }, or give the source an onInputRequest.",
    details: {
      inputRequests: Object.fromEntries(requests.map(({ key, method, params }) => [key, { method, params }])),
      ...(requestState !== undefined && { requestState }),
    },
  });
}
