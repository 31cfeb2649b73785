export type { OutputForm, ScriptLimits, ScriptOptions, ScriptSourceOptions } from "./options.js";
export { type ScriptHealth, type ScriptSource, scriptSource } from "./script-source.js";
