import type { Warning } from "../../envelope/warning.js";
import { orElse } from "../../json/attempt.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { payloadSchema } from "../payload-schema.js";
import type { OperationDescription, SecurityRequirement } from "./description.js";
import type { ApiDocument } from "./document/api-document.js";
import { isStreamType } from "./document/body-kind.js";
import { describeOperation } from "./document/describe-operation.js";
import type { IndexedOperation } from "./document/index-operations.js";
import { isJsonType } from "./media-type.js";
import type { RequestPlan } from "./plan.js";
import { OWN_TYPE, ownInput, ownOutput } from "./plico-document.js";
import { layOutInput } from "./schemas/lay-out-input.js";
import { type AnswerPlan, planAnswers, successes } from "./schemas/plan-answers.js";

/** All that must be known to call an operation. It is found out when the operation is first used. */
export interface OperationPlan {
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** Whether the output schema describes what is taken out of a document, and not the document. */
  readonly isOfPayload: boolean;
  readonly request: RequestPlan;
  /** The field of the request's input that the operation's input is, where the two are not the same. */
  readonly wholeInput?: string;
  readonly schemaFor: AnswerPlan["schemaFor"];
  readonly accept: string;
  /** For a caller that wants to hear of progress, where the server can tell of it. */
  readonly progressAccept?: string;
  readonly expectsJson: boolean;
  readonly servers: readonly string[];
  readonly security: readonly SecurityRequirement[];
  /** Fields of the input that are called something else in the request. */
  readonly renamed: Readonly<Record<string, { readonly in: string; readonly name: string }>>;
  readonly warnings: readonly Warning[];
}

export interface PlanOptions {
  readonly variables: Readonly<Record<string, string>>;
  readonly bodyTypes: readonly string[];
  readonly unfold: boolean;
  /** The values one by one, also where the operation can answer at once. */
  readonly isStream: boolean;
}

export function planOperation(document: ApiDocument, indexed: IndexedOperation, options: PlanOptions): OperationPlan {
  const { variables, bodyTypes, unfold, isStream } = options;
  const description = describeOperation(document, indexed, { variables, bodyTypes });
  const isOurs = indexed.plico !== undefined && unfold;
  const input = isOurs
    ? ownInput(document, indexed, description)
    : layOutInput(document, indexed, description, {
        fixed: isStream && indexed.streams === "also" ? STREAMED : {},
      });
  const answers = planAnswers(document, description, { isStream });
  const declared = answers.outputSchema;
  const payload = (): JsonSchema => payloadSchema(declared, {}) as JsonSchema;
  const output = isOurs ? ownOutput(document, description) : unfold ? orElse(payload, true) : declared;
  const types = acceptedTypes(description, isStream);
  return {
    inputSchema: input.schema,
    outputSchema: output,
    isOfPayload: output !== declared,
    request: input.plan,
    ...("wholeInput" in input && { wholeInput: input.wholeInput }),
    schemaFor: answers.schemaFor,
    accept: isOurs ? ownAccept(isStream) : types.join(", "),
    ...(isOurs && { progressAccept: ownAccept(true) }),
    // Of a stream the type says nothing: its events are texts unless their schema says otherwise.
    expectsJson: isStream ? declared !== true : types.some(isJsonType),
    servers: description.servers,
    security: description.security,
    renamed: "renamed" in input ? input.renamed : {},
    warnings: [...description.warnings, ...input.warnings, ...answers.warnings],
  };
}

/** How the bodies of such APIs ask for a stream, as OpenAI's do. */
const STREAMED = { stream: true };

function ownAccept(isStream: boolean): string {
  return isStream ? `text/event-stream, ${OWN_TYPE}` : OWN_TYPE;
}

/** What the operation can answer in, with what is wanted first; anything else is better than nothing. */
function acceptedTypes({ responses }: OperationDescription, isStream: boolean): readonly string[] {
  const declared = successes(responses)
    .flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
    .filter((type) => isStreamType(type) === isStream && type !== "*/*");
  const json = declared.filter(isJsonType);
  const types = json.length > 0 ? json : declared;
  return [...new Set(types.length === 0 ? ["application/json"] : types), "*/*;q=0.5"];
}
