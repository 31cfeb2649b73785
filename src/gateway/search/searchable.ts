import type { OperationSpec } from "../../registry/operation.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { McpServerConfig } from "../config/config.js";
import { callOperation } from "./call-operation.js";
import { Catalog, isSameList } from "./catalog.js";
import { CALL_ID, SearchTools } from "./search-tools.js";

export interface SearchableOptions {
  /** @default "auto" */
  readonly mode?: McpServerConfig["search"];
  /**
   * With `auto`: more operations than this are searched.
   * @default 60
   */
  readonly above?: number;
}

const ABOVE = 60;

/**
 * The same registry for clients whose models read the whole list: many operations are three, to find, describe and call
 * the others by.
 */
export function searchable(registry: ServedRegistry, options: SearchableOptions = {}): ServedRegistry {
  const { mode = "auto", above = ABOVE } = options;
  if (mode === "off") return registry;
  const catalog = new Catalog(registry);
  const tools = new SearchTools(catalog);
  const isSearched = (specs: readonly OperationSpec[]): boolean => mode === "on" || specs.length > above;
  const list = (): readonly OperationSpec[] => {
    const specs = registry.list();
    return isSearched(specs) ? tools.list(specs) : specs;
  };
  return {
    list,
    attempt(id, input, call) {
      // A gateway behind this one may have operations of the same ids.
      if (!tools.has(id) || !isSearched(registry.list())) return registry.attempt(id, input, call);
      if (id === CALL_ID) return callOperation(registry, catalog, input, call);
      return tools.registry.attempt(id, input, call);
    },
    subscribe: (id, input, call) => registry.subscribe(id, input, call),
    onChange(listener) {
      let shown = list();
      return registry.onChange(() => {
        const now = list();
        // What is behind the three changes more often than they do.
        if (isSameList(shown, now)) return;
        shown = now;
        listener();
      });
    },
  };
}
