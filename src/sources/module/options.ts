import { CallError } from "../../envelope/call-error.js";
import { AMOUNT, type Demands, FLAG, FUNCTION, TEXT, unmetDemand } from "../../json/demands.js";
import { LONGEST_TIMER } from "../../json/longest-timer.js";
import { told } from "../../json/told.js";
import { compact, isRecord, isString } from "../../json/value.js";
import { SOURCE_NAME } from "../source-demands.js";
import type { ModuleHealth } from "./health.js";

/** A TypeScript or JavaScript module that exports operations. */
export interface ModuleSourceOptions {
  /** Of the source. The operations keep the namespaces that they say themselves. */
  readonly name: string;
  /** A path such as `./math.ts`, a `file:` URL, or the name of a package. */
  readonly module: string | URL;
  /**
   * Where paths and packages are looked for.
   * @default process.cwd()
   */
  readonly cwd?: string | undefined;
  /** Of all operations, in place of their own. */
  readonly namespace?: string | undefined;
  /**
   * Whether the module is loaded again when its file, or one that it imports by its path, changes.
   * @default false
   */
  readonly watch?: boolean | undefined;
  /** Called each time the module was loaded again; where that failed, the health has the `error`. */
  readonly onReload?: ((health: ModuleHealth) => void) | undefined;
  /**
   * Milliseconds until the module must be loaded.
   * @default 60_000
   */
  readonly startTimeout?: number | undefined;
}

/** The options with every default. */
export interface Settings {
  readonly name: string;
  readonly module: string | URL;
  readonly cwd: string;
  readonly namespace?: string;
  readonly watch: boolean;
  readonly onReload?: (health: ModuleHealth) => void;
  readonly startTimeout: number;
}

export function settingsOf(options: ModuleSourceOptions): Settings {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This is no module source: ${problem}.` });
  const settings = { cwd: process.cwd(), watch: false, startTimeout: 60_000, ...compact(options) } as Settings;
  return { ...settings, startTimeout: Math.min(settings.startTimeout, LONGEST_TIMER) };
}

const DEMANDS: Demands = {
  name: SOURCE_NAME,
  module: {
    what: "a path, a `file:` URL or the name of a package",
    isMet: (value) => (isString(value) && value !== "") || (value instanceof URL && value.protocol === "file:"),
  },
  cwd: TEXT,
  namespace: SOURCE_NAME,
  watch: FLAG,
  onReload: FUNCTION,
  startTimeout: AMOUNT,
};

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  if (options["name"] === undefined) return "it has no `name`";
  if (options["module"] === undefined) return "it has no `module`";
  return unmetDemand(options, DEMANDS);
}
