import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { CallError } from "../../envelope/call-error.js";
import { type Hooks, importHooks, type Sighting } from "./hooks.js";

type Listener = (sighting: Sighting) => void;

const listeners = new Map<string, Set<Listener>>();

/** Tells of the files that a generation wants, now and later. Returns what ends it. */
export function onSighting(generation: string, listener: Listener): () => void {
  const members = listeners.get(generation) ?? new Set();
  listeners.set(generation, members.add(listener));
  return () => {
    members.delete(listener);
    if (members.size === 0 && listeners.get(generation) === members) listeners.delete(generation);
  };
}

let collect: (() => void) | undefined;

/** Once a process: Node has no way to take hooks out again in all its versions. */
export function installHooks(): void {
  collect ??= install();
}

/** Tells at once of what was sighted in the other thread. */
export function collectSightings(): void {
  collect?.();
}

function install(): () => void {
  const { typescript = false } = process.features as { readonly typescript?: string | false };
  const isNative = typescript !== false;
  const { registerHooks } = nodeModule as { readonly registerHooks?: (hooks: Hooks) => void };
  if (registerHooks === undefined) return installThread(isNative);
  registerHooks(importHooks({ report: tell, isNative }));
  return () => {};
}

function installThread(isNative: boolean): () => void {
  // Loaded here, because not every module needs hooks, and it takes a while.
  const { MessageChannel, receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
  const { port1: ours, port2: theirs } = new MessageChannel();
  nodeModule.register(threadFile(), { data: { port: theirs, isNative }, transferList: [theirs] });
  ours.on("message", tell);
  ours.unref();
  return () => {
    for (let next = receiveMessageOnPort(ours); next !== undefined; next = receiveMessageOnPort(ours))
      tell(next.message as Sighting);
  };
}

/** Beside this file, or beside the folder of the command, into which this file is bundled. */
function threadFile(): URL {
  const places = ["./hooks-thread.js", "../sources/module/hooks-thread.js"];
  const found = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(fileURLToPath(url)));
  if (found !== undefined) return found;
  throw new CallError({
    category: "unavailable",
    recoverable: false,
    message: `Modules cannot be loaded: hooks-thread.js of Plico is not beside ${fileURLToPath(import.meta.url)}.`,
    suggestedAction: "Leave plico out of the bundle, or run it with Node 22.15 or newer, which needs no such file.",
  });
}

function tell(sighting: Sighting): void {
  for (const listener of [...(listeners.get(sighting.generation) ?? [])]) listener(sighting);
}
