import type { CallErrorData } from "../envelope/call-error.js";
import type { Failure, Success } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { Infer } from "../schema/infer.js";
import type { EnvCallOptions } from "./env.js";
import type { ErrorDeclaration, ErrorDeclarations, Operation, OperationType } from "./operation.js";

/** Any typed operation. */
// biome-ignore lint/suspicious/noExplicitAny: the types of one operation must fit whatever they are
export type AnyOperation = Operation<string, any, any, any, OperationType>;

/** The operations that a registry is known to have, by id. A map keeps hundreds of them cheap for the compiler. */
export type OperationMap = Readonly<Record<string, AnyOperation>>;

/** A registry of which nothing is known to the compiler. */
export type UnknownOperations = Readonly<Record<never, never>>;

export type MapOf<Operations extends readonly AnyOperation[]> = {
  readonly [One in Operations[number] as One["id"]]: One;
};

/** The ids that may be asked for: the known ones, or any where none is known. */
export type IdOf<Operations> = keyof Operations extends never ? string : keyof Operations & string;

export type InputOf<Operations, Id> = Id extends keyof Operations ? TypesOf<Operations[Id]>["input"] : unknown;

export type OutputOf<Operations, Id> = Id extends keyof Operations ? TypesOf<Operations[Id]>["output"] : unknown;

export type ErrorsOf<Operations, Id> = Id extends keyof Operations
  ? TypesOf<Operations[Id]>["errors"]
  : Readonly<Record<never, never>>;

type TypesOf<One> =
  One extends Operation<string, infer Input, infer Output, infer Errors, OperationType>
    ? { readonly input: Input; readonly output: Output; readonly errors: Errors }
    : never;

/** A failure whose code, where it is a declared one, tells the type of its details. */
export type OutcomeOf<Output, Errors> =
  | Success<Output>
  | (Omit<Failure, "error"> & { readonly error: ErrorOf<Errors> });

export type ErrorOf<Errors> = CallErrorData | DeclaredErrorOf<Errors>;

type DeclaredErrorOf<Errors> = {
  [Code in keyof Errors & string]: CallErrorData & { readonly code: Code; readonly details: DetailsOf<Errors[Code]> };
}[keyof Errors & string];

type DetailsOf<Declaration> = Declaration extends ErrorDeclaration & { readonly details: infer Schema }
  ? Infer<Schema>
  : unknown;

/** An input that may be left out may be left out of the call. */
export type InputArguments<Input, Options> = unknown extends Input
  ? [input?: Input, options?: Options]
  : undefined extends Input
    ? [input?: Input, options?: Options]
    : Record<never, never> extends Input
      ? [input?: Input, options?: Options]
      : [input: Input, options?: Options];

type NamespaceOf<Operations> = keyof Operations extends infer Id
  ? Id extends `${infer Namespace}.${string}`
    ? Namespace
    : never
  : never;

/** The functions of `buildEnv`. */
export type EnvOf<Operations> = {
  readonly [Namespace in NamespaceOf<Operations>]: {
    readonly [Id in keyof Operations as NameIn<Id, Namespace, CallableIn<Operations, Id>>]: (
      ...call: InputArguments<InputOf<Operations, Id>, EnvCallOptions>
    ) => Promise<ResponseEnvelope<OutputOf<Operations, Id>>>;
  };
};

export type NameIn<Id, Namespace extends string, Wanted = true> = Wanted extends true
  ? Id extends `${Namespace}.${infer Name}`
    ? Name
    : never
  : never;

type CallableIn<Operations, Id extends keyof Operations> =
  Operations[Id] extends Operation<
    string,
    // biome-ignore lint/suspicious/noExplicitAny: any subscription is left out
    any,
    // biome-ignore lint/suspicious/noExplicitAny: any subscription is left out
    any,
    ErrorDeclarations,
    "subscription"
  >
    ? false
    : true;

export type { NamespaceOf };
