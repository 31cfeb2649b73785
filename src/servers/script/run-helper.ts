import { basename } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { isImporting } from "../../helper/importing.js";
import { type Demands, TEXT, unmetValue } from "../../json/demands.js";
import { told } from "../../json/told.js";
import { compact, isRecord, isString } from "../../json/value.js";
import type { ErrorDeclarations, OperationType } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { portableName } from "../../registry/portable-name.js";
import type { Infer } from "../../schema/infer.js";
import type { AnySchema } from "../../schema/standard-schema.js";
import { defineHelper, type HelperDefinition } from "./define-helper.js";
import type { Helper } from "./helper.js";
import type { HelperIo } from "./helper-io.js";
import { HelperRun } from "./helper-run.js";
import { isMain, isModule, type MainModule } from "./is-main.js";
import { takeProcess, watchProcess } from "./own-process.js";

export interface RunHelperOptions {
  /**
   * `import.meta`, or `module` with `require`: then the helper runs only where its file is the one that Node was started
   * with, and the same file can be imported for its operation.
   */
  readonly main?: MainModule;
  /** @default what the environment tells */
  readonly agent?: string;
  /** @default this process */
  readonly io?: HelperIo;
}

/** What may be said of a function that runs without `defineHelper`: its name is then that of its file. */
export type HelperWords<Input extends AnySchema = AnySchema> = Partial<
  Omit<HelperDefinition<string, string, OperationType, Input, AnySchema, ErrorDeclarations>, "run">
>;

/**
 * Runs a helper as a script: takes its input from the command line, prints its answer, and ends the process with the
 * right exit code once all of it is written.
 */
export function runHelper(helper: AnyOperation, options?: RunHelperOptions): Promise<void>;
export function runHelper<const Input extends AnySchema = { readonly type: "object" }>(
  run: (helper: Helper<Infer<Input>>) => unknown,
  definition?: HelperWords<Input> & RunHelperOptions,
): Promise<void>;
export function runHelper(
  what: AnyOperation | ((helper: Helper<never>) => unknown),
  given: HelperWords & RunHelperOptions = {},
): Promise<void> {
  const { main, agent, io, ...words }: HelperWords & RunHelperOptions = isRecord(given) ? given : {};
  if (isImporting() || (main !== undefined && isModule(main) && !isMain(main))) return Promise.resolve();
  const run = new HelperRun(io ?? takeProcess(), agent);
  if (io === undefined) watchProcess(run);
  return run.start(() => {
    checkOptions(given);
    return operationOf(what, words);
  });
}

function operationOf(what: unknown, words: HelperWords): AnyOperation {
  if (typeof what === "function") {
    const definition = { name: ownName(), version: "1.0.0", ...compact(words), run: what };
    return defineHelper(definition as HelperDefinition as Parameters<typeof defineHelper>[0]);
  }
  if (!isRecord(what) || !isRecord(what["spec"]))
    throw refused(`it takes a function, or what defineHelper or defineOperation gives, not ${told(what)}`);
  const [unknown] = Object.keys(words);
  if (unknown !== undefined) throw refused(`there is no option \`${unknown}\`; there are main, agent, io`);
  return what as unknown as AnyOperation;
}

function ownName(): string {
  return portableName(basename(process.argv[1] ?? "helper").replace(/\.[^.]+$/, ""));
}

const DEMANDS: Demands = {
  main: { what: "import.meta or module", isMet: isModule },
  agent: { ...TEXT, isMet: (value) => isString(value) && value !== "" },
  io: { what: "the streams of a process", isMet: isRecord },
};

function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw refused(`the options are ${told(options)}`);
  const problem = unmetValue(options, DEMANDS);
  if (problem !== undefined) throw refused(problem);
}

function refused(problem: string): CallError {
  return new CallError({ category: "validation", message: `runHelper cannot run this: ${problem}.` });
}
