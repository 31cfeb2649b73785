import type { CallErrorData } from "../envelope/call-error.js";
import type { Failure, Success } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { Infer } from "../schema/infer.js";
import type { EnvCallOptions, OperationEnv } from "./env.js";
import type { ErrorDeclaration, Operation, OperationType } from "./operation.js";
import type { RegistryCode } from "./registry-code.js";

/** Any typed operation. */
// biome-ignore lint/suspicious/noExplicitAny: the types of one operation must fit whatever they are
export type AnyOperation = Operation<string, any, any, any, OperationType>;

/**
 * The operations of a registry by id. `OperationMap` itself is a registry of which nothing is known to the compiler. All
 * types below are about one operation, which is looked up once a call, so that hundreds of them stay cheap.
 */
export type OperationMap = Readonly<Record<string, AnyOperation>>;

export type MapOf<Operations extends readonly AnyOperation[]> = {
  readonly [One in Operations[number] as One["id"]]: One;
};

/** What is known with some more operations. */
export type With<Operations, More> = string extends keyof Operations ? More : Operations & More;

type InputOf<One> = One extends { readonly "~schemas"?: infer Schemas }
  ? Infer<SchemaIn<Schemas, "input">, "input">
  : unknown;

export type OutputOf<One> = One extends { readonly "~schemas"?: infer Schemas }
  ? Infer<SchemaIn<Schemas, "output">>
  : unknown;

export type ErrorsOf<One> = One extends { readonly "~schemas"?: infer Schemas } ? SchemaIn<Schemas, "errors"> : unknown;

type SchemaIn<Schemas, Name> = NonNullable<Schemas>[Name & keyof NonNullable<Schemas>];

/** Whether the operation answers many times. */
export type IsSubscription<One> = One extends { readonly spec: { readonly type: "subscription" } } ? true : false;

/** A failure whose code, where it is a declared one, tells the type of its details. */
export type OutcomeOf<Output, Errors> =
  | Success<Output>
  | (Omit<Failure, "error"> & { readonly error: ErrorOf<Errors> });

type ErrorOf<Errors> = keyof Errors extends never ? CallErrorData : UndeclaredError | DeclaredErrorOf<Errors>;

/**
 * An error that the operation does not declare. A code from further away may be another one, so that a `switch` needs its
 * default; if `string` stood here, a declared code would not tell its details.
 */
type UndeclaredError = Omit<CallErrorData, "code"> & { readonly code: RegistryCode };

type DeclaredErrorOf<Errors> = {
  [Code in keyof Errors & string]: CallErrorData & { readonly code: Code; readonly details: DetailsOf<Errors[Code]> };
}[keyof Errors & string];

type DetailsOf<Declaration> = Declaration extends ErrorDeclaration & { readonly details: infer Schema }
  ? Infer<Schema>
  : unknown;

/** The arguments of a call. An input that may be left out may be left out of the call. */
export type Arguments<One, Options> = InputArguments<InputOf<One>, Options>;

type InputArguments<Input, Options> =
  Record<never, never> extends Input
    ? [input?: Input, options?: Options]
    : undefined extends Input
      ? [input?: Input, options?: Options]
      : [input: Input, options?: Options];

export type NamespaceOf<Operations> = keyof Operations extends infer Id
  ? Id extends `${infer Namespace}.${string}`
    ? Namespace
    : never
  : never;

/** The functions of `buildEnv`. */
export type EnvOf<Operations> = string extends keyof Operations ? OperationEnv : KnownEnv<Operations>;

type KnownEnv<Operations> = {
  readonly [Namespace in NamespaceOf<Operations>]: {
    readonly [Id in keyof Operations as CallableNameIn<Operations[Id], Id, Namespace>]: EnvFunction<Operations[Id]>;
  };
};

type EnvFunction<One> = (...call: Arguments<One, EnvCallOptions>) => Promise<ResponseEnvelope<OutputOf<One>>>;

/** The name of an operation within its namespace; of another namespace none. */
export type NameIn<Id, Namespace extends string> = Id extends `${Namespace}.${infer Name}` ? Name : never;

type CallableNameIn<One, Id, Namespace extends string> =
  IsSubscription<One> extends true ? never : NameIn<Id, Namespace>;
