import { CallError, type CallErrorData } from "../envelope/call-error.js";
import type { SourceConfig } from "../gateway/config/config.js";
import type { LoadedConfig } from "../gateway/config/loaded-config.js";
import { saysNamespaces } from "../gateway/config/source-kind.js";
import type { Gateway, GatewaySourceHealth } from "../gateway/gateway.js";
import type { OperationSpec } from "../registry/operation.js";
import { operationIdOf } from "../registry/operation-id.js";
import { nearestOf } from "../registry/refusals.js";
import { type WithGatewayOptions, withGateway } from "./sources.js";

/** Opens the sources that may have an operation, and no others, until it is found. Throws a `CallError` where none has it. */
export async function withOperation<Result>(
  word: string,
  options: WithGatewayOptions,
  use: (gateway: Gateway, spec: OperationSpec) => Promise<Result>,
): Promise<Result> {
  const known: OperationSpec[] = [];
  const down = new Map<string, GatewaySourceHealth>();
  for (const only of stagesFor(word, options.loaded)) {
    const found = await withGateway({ ...options, only }, async (gateway) => {
      known.push(...gateway.served.list());
      // A module may be opened in two stages, and is told of once.
      for (const source of gateway.health().sources) if (source.status !== "ready") down.set(source.name, source);
      const spec = specNamed(word, known);
      return spec === undefined ? undefined : { result: await use(gateway, spec) };
    });
    if (found !== undefined) return found.result;
  }
  throw notFound(word, known, [...down.values()]);
}

/** The operation of this id, or of this name where only one has it. Throws where several have it. */
export function specNamed(word: string, specs: readonly OperationSpec[]): OperationSpec | undefined {
  const exact = specs.find((spec) => operationIdOf(spec) === word);
  const named = specs.filter(({ name }) => name === word);
  if (exact !== undefined || named.length < 2) return exact ?? named[0];
  throw new CallError({
    category: "validation",
    code: "AMBIGUOUS_OPERATION",
    message: `There is more than one operation "${word}": ${named.map(operationIdOf).join(", ")}. Name the one that you mean.`,
  });
}

/** Only modules and fleets can have other namespaces than their source's name. */
function stagesFor(word: string, { config }: LoadedConfig): string[][] {
  const sources = Object.entries(config.sources).filter(([, { disabled }]) => disabled !== true);
  const named = (fits: (name: string, source: SourceConfig) => boolean): string[] =>
    sources.filter(([name, source]) => fits(name, source)).map(([name]) => name);
  const all = named(() => true);
  if (!word.includes(".")) return [all];
  const own = named((name, { namespace = name }) => word.startsWith(`${namespace}.`));
  const others = named((name, source) => saysNamespaces(source) && !own.includes(name));
  return (own.length > 0 ? [own, others] : [others, all]).filter((stage) => stage.length > 0);
}

/** Why there is no such operation: it was misspelt, or the source that has it is not up. */
export function notFound(
  word: string,
  specs: readonly OperationSpec[],
  down: readonly GatewaySourceHealth[] = [],
): CallError {
  const near = nearIds(word, specs);
  const only = near.length === 0 && down.length === 1 ? down[0] : undefined;
  const owner = down.find(({ name }) => word.startsWith(`${name}.`)) ?? only;
  if (owner?.error !== undefined) return notUp(word, owner.name, owner.error);
  const guess = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const reasons = down.map(({ name, error }) => ` The source ${name} is not up: ${error?.message ?? "it is starting"}`);
  return new CallError({
    category: "not_found",
    code: "OPERATION_NOT_FOUND",
    message: `There is no operation "${word}".${guess}${reasons.join("")}`,
    suggestedAction: "Run `plico ls` to see what there is.",
    ...(near[0] !== undefined && { nextTool: near[0] }),
  });
}

/** What keeps the one source from being up says more than that nothing was found. */
function notUp(word: string, source: string, error: CallErrorData): CallError {
  return new CallError({
    ...error,
    message: `The source ${source}, which may have "${word}", is not up: ${error.message}`,
  });
}

const MOST_GUESSES = 3;
/** A word that is shorter is a part of too many names. */
const FEWEST_LETTERS = 3;

/** By the fewest letters that differ, in the whole id or in the name; else those that have the word in their name. */
function nearIds(word: string, specs: readonly OperationSpec[]): string[] {
  const idOfName = new Map(specs.map((spec) => [spec.name, operationIdOf(spec)]));
  const name = word.slice(word.indexOf(".") + 1);
  const nearest = nearestOf(word, specs.map(operationIdOf)) ?? idOfName.get(nearestOf(name, idOfName.keys()) ?? "");
  if (nearest !== undefined) return [nearest];
  if (name.length < FEWEST_LETTERS) return [];
  const alike = specs.filter((spec) => spec.name.toLowerCase().includes(name.toLowerCase()));
  return alike.map(operationIdOf).slice(0, MOST_GUESSES);
}
