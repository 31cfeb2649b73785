import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { Io } from "../io.js";
import { endSignal } from "./serve-signals.js";

test("the first signal ends the command in good order, the second is left to the system", async () => {
  const emitter = new EventEmitter();
  const listeners = (): number => emitter.eventNames().length;
  const { signal } = endSignal({
    on: (name, listener) => emitter.on(name, listener),
    off: (name, listener) => emitter.off(name, listener),
  } as Io);
  expect(listeners()).toBe(3);
  emitter.emit("SIGTERM");
  expect(listeners()).toBe(0);
  expect(await signal).toBe("SIGTERM");
});
