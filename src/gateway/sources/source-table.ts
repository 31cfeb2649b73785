import type { Warning } from "../../envelope/warning.js";
import { messageOf } from "../../json/attempt.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { OperationRegistry } from "../../registry/registry.js";
import type { Mounted } from "./running-source.js";

/** What the table wants of a source. */
export interface TableSource {
  readonly name: string;
  readonly operations: readonly AnyOperation[];
  /** Whether what other sources have counts before what it has, wherever it stands. */
  readonly yields?: boolean;
  mounted(mounted: Mounted): void;
}

/**
 * Puts the operations of all sources into one registry. Where two have the same id, the source that stands first has it,
 * whichever was up first: what is served depends on the configuration, and not on which server was quicker. Only fleets
 * yield to all others: what a worker has itself must not be taken from it by what it hears of on NATS.
 */
export class SourceTable<Source extends TableSource> {
  readonly #registry: OperationRegistry;
  #sources: readonly Source[] = [];
  #claims: ReadonlyMap<string, Claim<Source>> = new Map();
  #specs: readonly OperationSpec[] | undefined;

  constructor(registry: OperationRegistry) {
    this.#registry = registry;
  }

  get sources(): readonly Source[] {
    return this.#sources;
  }

  /** The first stands first. */
  set(sources: readonly Source[]): void {
    this.#sources = sources;
    this.update();
  }

  sourceOf(operationId: string): Source | undefined {
    return this.#claims.get(operationId)?.source;
  }

  /** In the order of the sources, whichever was up first. */
  list(): readonly OperationSpec[] {
    this.#specs ??= [...this.#claims.values()].map(({ operation }) => operation.spec);
    return this.#specs;
  }

  /** Makes the registry what the sources are now. */
  update(): void {
    const before = this.#claims;
    const { claims, warnings } = claimsOf(this.#sources);
    const isNew = ({ operation }: Claim<Source>): boolean => before.get(operation.id)?.operation !== operation;
    const gone = [...before.values()].filter(({ operation }) => claims.get(operation.id)?.operation !== operation);
    const added = [...claims.values()].filter(isNew);
    this.#claims = claims;
    this.#specs = undefined;
    this.#registry.unregisterAll(gone.map(({ operation }) => operation.id));
    this.#register(added, warnings);
    this.#tell(warnings);
  }

  /** One that cannot be registered keeps no other one out. */
  #register(added: readonly Claim<Source>[], warnings: Map<Source, Warning[]>): void {
    try {
      this.#registry.registerAll(added.map(({ operation }) => operation));
    } catch {
      const claims = new Map(this.#claims);
      for (const { operation, source } of added) {
        const fault = this.#faultOf(operation);
        if (fault === undefined) continue;
        claims.delete(operation.id);
        warnings.get(source)?.push(fault);
      }
      this.#claims = claims;
      this.#specs = undefined;
    }
  }

  #faultOf(operation: AnyOperation): Warning | undefined {
    try {
      this.#registry.register(operation);
      return undefined;
    } catch (thrown) {
      return { code: "OPERATION_SKIPPED", message: messageOf(thrown) };
    }
  }

  #tell(warnings: ReadonlyMap<Source, readonly Warning[]>): void {
    const ids = new Map<Source, string[]>(this.#sources.map((source) => [source, []]));
    for (const [id, { source }] of this.#claims) ids.get(source)?.push(id);
    for (const [source, operationIds] of ids) source.mounted({ operationIds, warnings: warnings.get(source) ?? [] });
  }
}

interface Claim<Source> {
  readonly source: Source;
  readonly operation: AnyOperation;
}

function claimsOf<Source extends TableSource>(
  sources: readonly Source[],
): { claims: Map<string, Claim<Source>>; warnings: Map<Source, Warning[]> } {
  const claims = new Map<string, Claim<Source>>();
  const warnings = new Map<Source, Warning[]>();
  const inTurn = [
    ...sources.filter(({ yields }) => yields !== true),
    ...sources.filter(({ yields }) => yields === true),
  ];
  for (const source of inTurn) {
    const clashes: Warning[] = [];
    const yielded: string[] = [];
    for (const operation of source.operations) {
      const first = claims.get(operation.id);
      if (first === undefined) claims.set(operation.id, { source, operation });
      else if (source.yields === true && first.source.yields !== true) yielded.push(operation.id);
      else clashes.push(clash(operation.id, first.source.name, source.name));
    }
    warnings.set(source, yielded.length === 0 ? clashes : [...clashes, yieldedTo(source.name, yielded)]);
  }
  return { claims, warnings };
}

const MOST_NAMED = 3;

function yieldedTo(name: string, ids: readonly string[]): Warning {
  const some = ids.slice(0, MOST_NAMED).join(", ") + (ids.length > MOST_NAMED ? ", …" : "");
  return {
    code: "DUPLICATE_OPERATION",
    message: `Other sources here have what ${name} offers too, and theirs is used: ${some}.`,
  };
}

function clash(id: string, first: string, second: string): Warning {
  const who =
    first === second ? `The source ${first} has two operations` : `The sources ${first} and ${second} both have`;
  return {
    code: "DUPLICATE_OPERATION",
    message: `${who} ${id}; that of ${first} is used. Give one of them a \`namespace\` or a \`prefix\`.`,
  };
}
