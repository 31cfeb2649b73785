export { detectAgent } from "../../dialects/agent.js";
export type { DialectName } from "../../dialects/all.js";
export { CallError } from "../../envelope/call-error.js";
export { defineHelper, type HelperDefinition, type HelperOperation } from "./define-helper.js";
export { type EmitOptions, emit } from "./emit.js";
export type { Helper } from "./helper.js";
export type { HelperIo, HelperStream } from "./helper-io.js";
export type { MainModule } from "./is-main.js";
export { type RunHelperOptions, runHelper } from "./run-helper.js";
