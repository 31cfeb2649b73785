import type { Warning } from "../envelope/warning.js";
import { type CompiledSchema, compile } from "../schema/compile.js";
import { compileInput, type InputSchema } from "../schema/input.js";
import type { AccessControl } from "./access.js";
import type { AnyHandler, OperationSpec, OutputPolicy } from "./operation.js";
import { operationIdOf } from "./operation-id.js";

/** A registered operation. Its schemas are compiled when they are first used. */
export class Entry {
  readonly id: string;
  readonly spec: OperationSpec;
  readonly access: AccessControl | undefined;
  readonly policy: OutputPolicy;
  handler: AnyHandler | undefined;
  #input: InputSchema | undefined;
  #output: CompiledSchema | undefined;

  constructor(spec: OperationSpec, handler: AnyHandler | undefined, policy: OutputPolicy) {
    this.id = operationIdOf(spec);
    this.spec = spec;
    this.handler = handler;
    this.access = spec.accessControl;
    this.policy = spec.output ?? policy;
  }

  get input(): InputSchema {
    this.#input ??= compileInput(this.spec.input === "off" ? true : this.spec.inputSchema);
    return this.#input;
  }

  get output(): CompiledSchema {
    this.#output ??= compile(this.spec.outputSchema);
    return this.#output;
  }

  /** What is wrong with its schemas, which work all the same. */
  get warnings(): readonly Warning[] {
    return [...this.input.compiled.warnings, ...this.output.warnings];
  }
}
