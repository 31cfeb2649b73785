import type { OperationSpec } from "../../../registry/operation.js";
import { operationIdOf } from "../../../registry/operation-id.js";
import { portableName, uniqueName } from "../../../registry/portable-name.js";
import type { ServedRegistry } from "../../../registry/served-registry.js";
import { callAddress, majorOf } from "../addresses.js";
import { type Catalog, catalogOf, specDigest, specToJson } from "../catalog.js";
import { anyOf, choiceOf } from "../demands.js";
import { durableAddressOf } from "../durable/key.js";
import { importedFrom } from "../imported-mark.js";
import { EndpointStats } from "./endpoint-stats.js";
import type { ServiceEndpoint } from "./service-protocol.js";
import type { WorkerSettings } from "./worker-options.js";

/** The group of all workers: each request goes to one of them. */
export const WORKERS = "workers";

/** An operation that a worker offers. */
export interface OfferedOperation {
  readonly id: string;
  readonly major: number;
  /** As callers see it: one that the worker makes durable says so. */
  readonly spec: OperationSpec;
  readonly stats: EndpointStats;
}

/** What a worker offers of its registry now. */
export interface Offer {
  readonly operations: ReadonlyMap<string, OfferedOperation>;
  readonly catalog: Catalog;
  readonly endpoints: readonly ServiceEndpoint[];
  /** Those that came from callers' side of the same prefix: to offer them again would make a circle. */
  readonly circular: readonly string[];
}

export const NOTHING: Offer = { operations: new Map(), catalog: catalogOf([]), endpoints: [], circular: [] };

/** What of the registry is to be offered. What it was before keeps its counts. */
export function offerOf(registry: ServedRegistry, settings: WorkerSettings, before: Offer): Offer {
  const { include, exclude, durable = [], prefix } = settings;
  const isChosen = choiceOf(include, exclude);
  const isDurable = anyOf(durable);
  const chosen = registry.list().filter((spec) => isChosen(operationIdOf(spec)));
  const own = chosen.filter((spec) => importedFrom(spec) !== prefix);
  const operations = own.map((spec): OfferedOperation => {
    const id = operationIdOf(spec);
    const old = before.operations.get(id);
    const shown = isDurable(id) ? asDurable(spec) : spec;
    return { id, major: majorOf(spec.version), spec: shown, stats: old?.stats ?? new EndpointStats() };
  });
  return {
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    catalog: catalogOf(operations.map(({ spec }) => spec)),
    endpoints: endpointsOf(operations, prefix),
    circular: chosen.filter((spec) => !own.includes(spec)).map(operationIdOf),
  };
}

const DURABLE = new WeakMap<OperationSpec, OperationSpec>();

/** The same spec each time, so that it is written as JSON once. Schemas may be getters, which stay what they are. */
function asDurable(spec: OperationSpec): OperationSpec {
  if (spec.delivery === "durable" || spec.type === "subscription") return spec;
  const known = DURABLE.get(spec);
  if (known !== undefined) return known;
  const fields = { ...Object.getOwnPropertyDescriptors(spec), delivery: { value: "durable", enumerable: true } };
  const durable = Object.defineProperties({}, fields) as OperationSpec;
  DURABLE.set(spec, durable);
  return durable;
}

function endpointsOf(operations: readonly OfferedOperation[], prefix: string): readonly ServiceEndpoint[] {
  const taken = new Set<string>();
  return operations.map(({ id, major, spec, stats }) => {
    const name = uniqueName(portableName(id, { maxLength: 128 }), taken, 128);
    taken.add(name);
    return {
      name,
      subject: `${prefix}.${spec.delivery === "durable" ? `${durableAddressOf(id, major)}.>` : callAddress(id, major, "*")}`,
      queueGroup: WORKERS,
      metadata: { operation: id, version: spec.version, type: spec.type, digest: specDigest(spec) },
      schemas: () => schemasOf(spec),
      stats: () => stats.read(),
    };
  });
}

function schemasOf(spec: OperationSpec): Record<string, string> {
  const { description, inputSchema, outputSchema } = specToJson(spec);
  return {
    description: String(description),
    input_schema: JSON.stringify(inputSchema),
    output_schema: JSON.stringify(outputSchema),
  };
}
