/** Node before 22.15 runs hooks in a thread of their own, which begins with this file. */
import type { MessagePort } from "node:worker_threads";
import { type Hooks, importHooks, type Sighting } from "./hooks.js";

let hooks: Hooks | undefined;

export function initialize({ port, isNative }: { readonly port: MessagePort; readonly isNative: boolean }): void {
  port.unref();
  hooks = importHooks({ report: (sighting: Sighting) => port.postMessage(sighting), isNative });
}

export const resolve: Hooks["resolve"] = async (specifier, context, next) =>
  hooks === undefined ? next(specifier, context) : hooks.resolve(specifier, context, next);

export const load: Hooks["load"] = async (url, context, next) =>
  hooks === undefined ? next(url, context) : hooks.load(url, context, next);
