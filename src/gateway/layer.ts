import type { ServedRegistry } from "../registry/served-registry.js";

/** Stands in front of a registry and sees every call that comes through a server or from the command line. */
export type Layer = (registry: ServedRegistry) => ServedRegistry;

/** The first is the outermost. */
export function layered(registry: ServedRegistry, layers: readonly Layer[]): ServedRegistry {
  return layers.reduceRight((inner, layer) => layer(inner), registry);
}
