export type { ModuleHealth } from "./health.js";
export { type ModuleSource, moduleSource } from "./module-source.js";
export type { ModuleSourceOptions } from "./options.js";
