import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { AbortWatch } from "./abort-watch.js";

describe("AbortWatch", () => {
  test("tells every member of a signal, with one listener", () => {
    const controller = new AbortController();
    const told: string[] = [];
    const watch = new AbortWatch<string>((member) => told.push(member));
    watch.add(controller.signal, "a");
    watch.add(controller.signal, "b");
    watch.add(new AbortController().signal, "c");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort();
    expect(told).toEqual(["a", "b"]);
  });

  test("takes its listener away with the last member, also while the signal tells them", () => {
    const controller = new AbortController();
    const { signal } = controller;
    const told: string[] = [];
    const watch = new AbortWatch<string>((member) => {
      told.push(member);
      watch.delete(signal, member);
    });
    watch.add(signal, "a");
    watch.add(signal, "b");
    watch.delete(signal, "nobody");
    watch.delete(new AbortController().signal, "a");
    controller.abort();
    expect(told).toEqual(["a", "b"]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    watch.delete(signal, "a");
  });
});
