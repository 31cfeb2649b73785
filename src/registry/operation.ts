import type { Category } from "../envelope/category.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { Infer } from "../schema/infer.js";
import type { AnySchema } from "../schema/standard-schema.js";
import type { AccessControl } from "./access.js";
import type { HandlerContext } from "./context.js";

export type OperationType = "query" | "mutation" | "subscription";

/** What an operation is and does, without the code that does it. */
export interface OperationSpec {
  readonly namespace: string;
  readonly name: string;
  /** Semantic version of the operation. */
  readonly version: string;
  readonly type: OperationType;
  readonly title?: string;
  readonly description: string;
  readonly tags?: readonly string[];
  /** A getter is asked when the schema is first needed, and must then give one. */
  readonly inputSchema: AnySchema;
  /** Of the business data, never of the envelope. A getter is asked when it is first needed. */
  readonly outputSchema: AnySchema;
  /** The errors that the operation is known to fail with, by code. */
  readonly errorSchemas?: ErrorDeclarations;
  readonly accessControl?: AccessControl;
  readonly annotations?: OperationAnnotations;
  /**
   * Whether an input that does not match its schema is refused; `off` leaves that to the handler.
   * @default "check"
   */
  readonly input?: InputPolicy;
  /**
   * What is done with data that does not match its schema.
   * @default "normalise"
   */
  readonly output?: OutputPolicy;
  /** Where an HTTP server offers the operation beside `POST /operations/{id}`. */
  readonly http?: HttpRoute;
  /**
   * What becomes of a call that is under way when a worker on another machine dies: `once` fails it; `durable` keeps it
   * until another worker has answered it. Within one process it makes no difference.
   * @default "once"
   */
  readonly delivery?: "once" | "durable";
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * `normalise` strips, fills defaults and converts without loss; `cast` also replaces what does not match by empty
 * values; `check` only tells; `strict` fails the call, with the data kept in the error; `off` does not look.
 */
export type OutputPolicy = "normalise" | "cast" | "check" | "strict" | "off";

export type InputPolicy = "check" | "off";

/** Fields of the input stand in the path, as in `/users/{userId}`, in the query, or in the body where the method has one. */
export interface HttpRoute {
  readonly method: HttpMethod;
  readonly path: string;
}

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export type HttpMethod = (typeof HTTP_METHODS)[number];

export interface OperationAnnotations {
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

export type ErrorDeclarations = Readonly<Record<string, ErrorDeclaration>>;

export interface ErrorDeclaration {
  readonly description?: string;
  /** @default what the code says, else "execution" */
  readonly category?: Category;
  /** @default what the category says */
  readonly recoverable?: boolean;
  /** Of the error's `details`. */
  readonly details?: AnySchema;
}

/**
 * The code of an operation. It takes checked input and returns plain data, or an envelope of its own; of a subscription
 * an async iterable of either.
 */
// biome-ignore lint/suspicious/noExplicitAny: a handler of any input is one of them
export type AnyHandler = (input: any, context: HandlerContext) => unknown;

/**
 * An operation with its code; made by `defineOperation`. The type parameters are its schemas and not what they describe,
 * because the compiler goes through all operations of a registry at each call, and must find no work to do there.
 */
export interface Operation<
  Id extends string = string,
  Input = AnySchema,
  Output = AnySchema,
  Errors = ErrorDeclarations,
  Type extends OperationType = OperationType,
> {
  readonly id: Id;
  readonly spec: OperationSpec & { readonly type: Type };
  readonly handler: AnyHandler;
  /** For types only; there is no such field. */
  readonly "~schemas"?: { readonly input: Input; readonly output: Output; readonly errors: Errors };
}

/** What `defineOperation` is given. */
export interface OperationDefinition<
  Namespace extends string,
  Name extends string,
  Type extends OperationType,
  Input extends AnySchema,
  Output extends AnySchema,
  Errors extends ErrorDeclarations,
  Result,
> extends OperationSpec {
  readonly namespace: Namespace;
  readonly name: Name;
  readonly type: Type;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  readonly errorSchemas?: Errors;
  readonly handler: (input: Infer<Input>, context: HandlerContext) => Result;
}

/** A handler may return data or an envelope; at once or later. */
export type HandlerResult<Data> = Data | ResponseEnvelope<Data> | Promise<Data | ResponseEnvelope<Data>>;

/** The values of a subscription, each data or an envelope. */
export type SubscriptionResult<Data> =
  | AsyncIterable<Data | ResponseEnvelope<Data>>
  | Iterable<Data | ResponseEnvelope<Data> | Promise<Data>>
  | Promise<AsyncIterable<Data | ResponseEnvelope<Data>>>;

/** What may be returned where data is wanted: lists may be read-only, as the compiler takes literals for. */
export type Returned<Data> = Data extends readonly unknown[]
  ? { readonly [At in keyof Data]: Returned<Data[At]> }
  : Data extends Readonly<Record<string, unknown>>
    ? { readonly [Key in keyof Data]: Returned<Data[Key]> }
    : Data;

type NoErrors = Readonly<Record<never, never>>;

/** A typed operation from its spec and its handler. It is checked when it is registered. */
export function defineOperation<
  const Namespace extends string,
  const Name extends string,
  const Type extends "query" | "mutation",
  const Input extends AnySchema,
  const Output extends AnySchema,
  const Result extends HandlerResult<Returned<Infer<Output>>>,
  const Errors extends ErrorDeclarations = NoErrors,
>(
  definition: OperationDefinition<Namespace, Name, Type, Input, Output, Errors, Result>,
): Operation<`${Namespace}.${Name}`, Input, Output, Errors, Type>;
export function defineOperation<
  const Namespace extends string,
  const Name extends string,
  const Input extends AnySchema,
  const Output extends AnySchema,
  const Result extends SubscriptionResult<Returned<Infer<Output>>>,
  const Errors extends ErrorDeclarations = NoErrors,
>(
  definition: OperationDefinition<Namespace, Name, "subscription", Input, Output, Errors, Result>,
): Operation<`${Namespace}.${Name}`, Input, Output, Errors, "subscription">;
export function defineOperation({ handler, ...spec }: OperationSpec & { readonly handler: AnyHandler }): Operation {
  return { id: `${spec.namespace}.${spec.name}`, spec, handler };
}
