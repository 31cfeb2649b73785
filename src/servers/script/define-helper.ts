import { compact } from "../../json/value.js";
import type {
  AnyHandler,
  ErrorDeclarations,
  InputPolicy,
  Operation,
  OperationAnnotations,
  OperationSpec,
  OperationType,
  OutputPolicy,
  Returned,
} from "../../registry/operation.js";
import { checkSpec } from "../../registry/registration.js";
import type { Infer } from "../../schema/infer.js";
import type { AnySchema } from "../../schema/standard-schema.js";
import { checkDefinition } from "./definition-demands.js";
import type { Helper } from "./helper.js";
import { runAsHandler } from "./run-as-handler.js";
import { withDefaults } from "./with-defaults.js";

/** What `defineHelper` is given. */
export interface HelperDefinition<
  Name extends string = string,
  Namespace extends string = string,
  Type extends OperationType = OperationType,
  Input extends AnySchema = AnySchema,
  Output extends AnySchema = AnySchema,
  Errors extends ErrorDeclarations = ErrorDeclarations,
  Result = unknown,
> {
  readonly name: Name;
  /** The helper's own semantic version, which is the `schema_version` of its answers. */
  readonly version: string;
  readonly run: (helper: Helper<Infer<Input>>) => Result;
  /** @default "helper" */
  readonly namespace?: Namespace;
  /** @default "" */
  readonly description?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** @default "query" */
  readonly type?: Type;
  /** @default { type: "object" } */
  readonly inputSchema?: Input;
  /** @default true */
  readonly outputSchema?: Output;
  readonly errorSchemas?: Errors;
  readonly annotations?: OperationAnnotations;
  /** @default "check" */
  readonly input?: InputPolicy;
  /** @default "normalise" */
  readonly output?: OutputPolicy;
}

/** An operation like any other, which `runHelper` runs as a script. */
export interface HelperOperation<
  Id extends string = string,
  Input = AnySchema,
  Output = AnySchema,
  Errors = ErrorDeclarations,
  Type extends OperationType = OperationType,
> extends Operation<Id, Input, Output, Errors, Type> {
  readonly run: (helper: Helper<Infer<Input>>) => unknown;
}

type AnyObject = { readonly type: "object" };

type NoErrors = Readonly<Record<never, never>>;

type Answer<Data> = Data | Promise<Data>;

type Answers<Data> = AsyncIterable<Data> | Iterable<Data> | Promise<AsyncIterable<Data>>;

/** A helper: a function that gathers data, with what is known of its input and its answer. */
export function defineHelper<
  const Name extends string,
  const Result extends Answer<Returned<Infer<Output>>>,
  const Namespace extends string = "helper",
  const Type extends "query" | "mutation" = "query",
  const Input extends AnySchema = AnyObject,
  const Output extends AnySchema = true,
  const Errors extends ErrorDeclarations = NoErrors,
>(
  definition: HelperDefinition<Name, Namespace, Type, Input, Output, Errors, Result>,
): HelperOperation<`${Namespace}.${Name}`, Input, Output, Errors, Type>;
export function defineHelper<
  const Name extends string,
  const Result extends Answers<Returned<Infer<Output>>>,
  const Namespace extends string = "helper",
  const Input extends AnySchema = AnyObject,
  const Output extends AnySchema = true,
  const Errors extends ErrorDeclarations = NoErrors,
>(
  definition: HelperDefinition<Name, Namespace, "subscription", Input, Output, Errors, Result> & {
    readonly type: "subscription";
  },
): HelperOperation<`${Namespace}.${Name}`, Input, Output, Errors, "subscription">;
export function defineHelper(definition: HelperDefinition): HelperOperation {
  checkDefinition(definition);
  const { run, ...said } = definition;
  const spec: OperationSpec = { ...DEFAULTS, ...compact(said) };
  checkSpec(spec);
  const handle = runAsHandler(spec, (helper) => run(helper));
  const handler: AnyHandler = (input, context) => handle(withDefaults(spec, input), context);
  return { id: `${spec.namespace}.${spec.name}`, spec, handler, run };
}

const DEFAULTS = {
  namespace: "helper",
  type: "query",
  description: "",
  inputSchema: { type: "object" },
  outputSchema: true,
} as const;
