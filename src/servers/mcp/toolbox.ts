import type { Tool as ToolDefinition } from "@modelcontextprotocol/server";
import type { Identity } from "../../registry/access.js";
import { Listeners } from "../../registry/listeners.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { McpServerOptions } from "./options.js";
import { Tool } from "./tool.js";
import { ToolNames } from "./tool-names.js";

/** For how many kinds of callers the list is kept. */
const MOST_LISTS = 100;

/** The tools of a registry, as they are now. */
export class Toolbox {
  readonly #options: McpServerOptions;
  readonly #names: ToolNames;
  readonly #known = new WeakMap<OperationSpec, Tool>();
  readonly #unwatch: () => void;
  readonly #listeners = new Listeners();
  readonly #lists = new Map<string, readonly ToolDefinition[]>();
  #tools: ReadonlyMap<string, Tool> | undefined;
  #restricted: readonly Tool[] = [];
  #isTold = true;

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.#names = new ToolNames(options.toolNames ?? "qualified");
    this.#unwatch = options.registry.onChange(() => this.#forget());
  }

  find(name: string): Tool | undefined {
    return (this.#tools ?? this.#look()).get(name) ?? this.#awaited(name);
  }

  /** The tools that a caller may call, the same list for all who may call the same. */
  list(identity: Identity | undefined): readonly ToolDefinition[] {
    const tools = this.#tools ?? this.#look();
    const key = this.#restricted.map((tool) => (tool.isFor(identity) ? "1" : "0")).join("");
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list = [...tools.values()].filter((tool) => tool.isFor(identity)).map(({ definition }) => definition);
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    this.#lists.set(key, list);
    return list;
  }

  /** Calls back when the list has changed, once for all changes of a turn. Returns what ends it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#unwatch();
    this.#listeners.clear();
  }

  #forget(): void {
    this.#tools = undefined;
    this.#lists.clear();
    if (!this.#isTold) return;
    this.#isTold = false;
    setImmediate(() => {
      this.#isTold = true;
      this.#listeners.tell();
    });
  }

  #look(): ReadonlyMap<string, Tool> {
    const { registry, filter = () => true } = this.#options;
    const tools = registry
      .list()
      .filter(filter)
      .map((spec) => this.#toolOf(spec));
    this.#restricted = tools.filter((tool) => tool.isRestricted);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#names.keepOnly(this.#tools.keys());
    return this.#tools;
  }

  #toolOf(spec: OperationSpec): Tool {
    const name = this.#names.nameOf(spec);
    const known = this.#known.get(spec);
    if (known?.name === name) return known;
    const tool = this.#make(spec, name);
    this.#known.set(spec, tool);
    return tool;
  }

  /** Of an operation that is not there nothing is known but its id. */
  #awaited(name: string): Tool | undefined {
    const [namespace = "", ...rest] = this.#options.awaited?.(name)?.split(".") ?? [];
    if (rest.length === 0) return undefined;
    return this.#make({ ...ANYTHING, namespace, name: rest.join(".") }, name, true);
  }

  #make(spec: OperationSpec, name: string, isAwaited: boolean = false): Tool {
    const { layout = "plain", channels = "both" } = this.#options;
    return new Tool(spec, { name, layout: typeof layout === "function" ? layout(spec) : layout, channels, isAwaited });
  }
}

const ANYTHING = { version: "0.0.0", type: "query", description: "", inputSchema: true, outputSchema: true } as const;
