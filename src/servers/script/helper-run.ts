import { detectAgent } from "../../dialects/agent.js";
import type { Dialect } from "../../dialects/dialect.js";
import { helperOutput } from "../../dialects/helper-output.js";
import type { CallError } from "../../envelope/call-error.js";
import { type Outcome, outcomeFromEnvelope } from "../../envelope/outcome.js";
import { describeHelper } from "../../helper/description.js";
import { messageOf } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import { isRecord } from "../../json/value.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { OperationRegistry } from "../../registry/registry.js";
import { inputTextsOf } from "../input-texts.js";
import { readArguments } from "./arguments.js";
import { documentOf, type Manner, soundOutcome } from "./document.js";
import { givenInput } from "./given-input.js";
import { helpOf } from "./help-text.js";
import { helperFailure } from "./helper-failure.js";
import type { HelperIo } from "./helper-io.js";
import { checkArguments, dialectOf } from "./helper-options.js";
import type { LastWords } from "./own-process.js";
import { runAsHandler } from "./run-as-handler.js";
import { GRACE_MS, leave, type Written, within, writeAnswer } from "./stream-out.js";
import { withDefaults } from "./with-defaults.js";

/** One run of a helper as a script, from its arguments to its exit. */
export class HelperRun implements LastWords {
  readonly #io: HelperIo;
  readonly #controller = new AbortController();
  #manner: Manner;
  #running: Promise<unknown> = Promise.resolve();
  #over: Promise<void> | undefined;

  constructor(io: HelperIo, agent: string | undefined) {
    this.#io = io;
    this.#manner = {
      dialect: helperOutput as Dialect,
      schemaVersion: "1.0.0",
      agent: agent ?? detectAgent(io.env),
      tool: "helper",
      isLine: false,
    };
  }

  /** Answers in any case, also where there turns out to be no helper. */
  async start(make: () => AnyOperation): Promise<void> {
    try {
      await this.#answer(make());
    } catch (thrown) {
      await this.#finish(failed(thrown, this.#manner.tool));
    }
  }

  fail(thrown: unknown): void {
    if (this.#over === undefined) void this.#finish(failed(thrown, this.#manner.tool));
    else this.#tell(`failed after its answer: ${messageOf(thrown)}`);
  }

  abort(reason: CallError): void {
    this.#controller.abort(reason);
    void this.#finish({ ok: false, error: reason, meta: {} });
  }

  missing(error: CallError): string | undefined {
    if (this.#over !== undefined) return undefined;
    this.#over = Promise.resolve();
    return documentOf({ ok: false, error, meta: {} }, this.#manner).text;
  }

  async #answer(operation: AnyOperation): Promise<void> {
    const registry = this.#registryOf(operation);
    const { spec } = operation;
    const id = `${spec.namespace}.${spec.name}`;
    this.#manner = { ...this.#manner, schemaVersion: spec.version, tool: id, isLine: spec.type === "subscription" };
    const texts = inputTextsOf(spec);
    const given = readArguments(this.#io.argv, texts);
    const { options } = given;
    this.#manner = {
      ...this.#manner,
      dialect: dialectOf(options.get("envelope")) ?? this.#manner.dialect,
      agent: options.get("agent") ?? this.#manner.agent,
    };
    if (options.has("help")) return this.#print(helpOf(spec, texts.fields));
    checkArguments(given, spec);
    if (options.has("schema")) return this.#print(`${printJson(describeHelper(spec), 2)}\n`);
    // Before it is checked: what has a default need not be given, also where the schema requires it.
    const input = withDefaults(spec, await givenInput(given, texts, this.#io));
    if (spec.type === "subscription") return this.#stream(registry, id, input);
    await this.#finish(await registry.attempt(id, input, this.#callOptions()));
  }

  #registryOf(operation: AnyOperation): OperationRegistry {
    const registry = new OperationRegistry({
      // It comes from whoever started the helper, who has no way to set another limit.
      limits: { size: Number.MAX_SAFE_INTEGER },
      middleware: [
        (_, next) => {
          const running = next();
          this.#running = running;
          return running;
        },
      ],
    });
    registry.register(telling(operation));
    return registry;
  }

  #callOptions(): ExecuteOptions {
    return {
      signal: this.#controller.signal,
      metadata: { agent: this.#manner.agent },
      onProgress: ({ progress, total, message }) => {
        const share = total === undefined ? `${progress}` : `${progress}/${total}`;
        this.#tell(`progress ${share}${message === undefined ? "" : ` ${message}`}`);
      },
    };
  }

  /** One line for each value; a reader who is slow is waited for, and one who is gone has had enough. */
  async #stream(registry: OperationRegistry, id: string, input: unknown): Promise<void> {
    let written: Written = "whole";
    for await (const envelope of registry.subscribe(id, input, this.#callOptions())) {
      const outcome = soundOutcome(outcomeFromEnvelope(envelope), this.#manner);
      if (this.#over !== undefined) return this.#over;
      if (!outcome.ok) return this.#finish(outcome);
      const { text, untold } = documentOf(outcome, this.#manner);
      for (const { code, message } of untold) this.#tell(`${code}: ${message}`);
      written = await writeAnswer(this.#io, text, this.#manner.tool);
      if (written !== "whole") break;
    }
    await this.#print("", written === "failed" ? 1 : 0);
  }

  async #print(text: string, exitCode: 0 | 1 = 0): Promise<void> {
    this.#over ??= this.#end(text, exitCode);
    await this.#over;
  }

  /** The first ending counts. */
  async #finish(given: Outcome): Promise<void> {
    if (this.#over !== undefined) return this.#over;
    const outcome = soundOutcome(given, this.#manner);
    const { text, exitCode, untold } = documentOf(outcome, this.#manner);
    for (const { code, message, path } of untold)
      this.#tell(`${code}: ${path === undefined ? "" : `${path} `}${message}`);
    this.#tellStack(outcome);
    this.#over = this.#end(text, exitCode);
    return this.#over;
  }

  async #end(text: string, exitCode: number): Promise<void> {
    const written = text === "" ? "whole" : await writeAnswer(this.#io, text, this.#manner.tool);
    // It has a moment to tidy up.
    if (this.#controller.signal.aborted) await within(GRACE_MS, this.#running);
    await leave(this.#io, written === "failed" ? 1 : exitCode);
  }

  /** Where an error came from is for people; it is not part of the answer. */
  #tellStack(outcome: Outcome): void {
    const cause = outcome.ok || !("cause" in outcome.error) ? undefined : outcome.error.cause;
    if (cause instanceof Error && cause.stack !== undefined) this.#tell(cause.stack);
  }

  #tell(text: string): void {
    this.#io.stderr.write(`${this.#manner.tool}: ${text}\n`, () => {});
  }
}

function failed(thrown: unknown, id: string): Outcome {
  const error = helperFailure(thrown, id);
  return { ok: false, error, meta: hintsOfFailure(error) ?? {} };
}

/** The registry keeps the text of an unknown exception back; here it is told to the one whose helper it is. */
function telling(operation: AnyOperation): AnyOperation {
  const { spec, handler } = isRecord(operation) ? operation : {};
  if (!isRecord(spec) || typeof handler !== "function" || "run" in operation) return operation;
  return { ...operation, handler: runAsHandler(spec, ({ input }, context) => handler(input, context)) };
}
