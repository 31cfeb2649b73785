import { printJson } from "../../json/printable.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { Redactor } from "../redact.js";
import { plainJson } from "./plain-json.js";
import { plainSpec } from "./plain-spec.js";
import type { RecordingFile } from "./recording-file.js";

export interface RecordedOperationsOptions {
  readonly registry: ServedRegistry;
  readonly redactor: Redactor;
  readonly lines: RecordingFile;
  /** Whether all are written that there are, and not only those that are called. */
  readonly all: boolean;
}

/** Writes what an operation is before it is first called, and again when it has changed. */
export class RecordedOperations {
  readonly #options: RecordedOperationsOptions;
  readonly #written = new Map<string, OperationSpec>();
  readonly #stopListening: () => void;
  #specs: ReadonlyMap<string, OperationSpec> | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(options: RecordedOperationsOptions) {
    this.#options = options;
    this.#stopListening = options.registry.onChange(() => this.#onChange());
    this.#onChange();
  }

  /** One that is not there has nothing to be written. */
  writeOnce(id: string): void {
    const spec = this.#known().get(id);
    if (spec === undefined || this.#written.get(id) === spec) return;
    this.#written.set(id, spec);
    const { lines, redactor } = this.#options;
    void lines.write(() =>
      // A schema of a field with the name `password` is no secret.
      printJson({ type: "operation", spec: redactor.known(plainJson(plainSpec(spec))) }),
    );
  }

  close(): void {
    this.#stopListening();
    clearImmediate(this.#turn);
    if (this.#options.all) for (const id of this.#known().keys()) this.writeOnce(id);
  }

  #onChange(): void {
    this.#specs = undefined;
    if (this.#options.all) this.#turn ??= setImmediate(() => this.#writeSome());
  }

  /** A few at a time: schemas may be made only now, and there may be thousands. */
  #writeSome(): void {
    this.#turn = undefined;
    const missing = [...this.#known()].filter(([id, spec]) => this.#written.get(id) !== spec);
    for (const [id] of missing.slice(0, AT_ONCE)) this.writeOnce(id);
    if (missing.length > AT_ONCE) this.#turn = setImmediate(() => this.#writeSome());
  }

  #known(): ReadonlyMap<string, OperationSpec> {
    this.#specs ??= new Map(this.#options.registry.list().map((spec) => [operationIdOf(spec), spec]));
    return this.#specs;
  }
}

const AT_ONCE = 20;
