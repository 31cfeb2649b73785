import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Backoff } from "./backoff.js";

describe("Backoff", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_770_000_000_000 });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  /** A server that starts, lives so long, and dies. */
  function live(backoff: Backoff, milliseconds: number): number {
    backoff.started();
    vi.setSystemTime(Date.now() + milliseconds);
    backoff.failed();
    return backoff.wait();
  }

  test("lets the first start, and the first after an end, begin at once", () => {
    const backoff = new Backoff();
    expect(backoff.wait()).toBe(0);
    expect(live(backoff, 5)).toBe(0);
  });

  test("waits ever longer while the server keeps failing, up to half a minute", () => {
    const backoff = new Backoff();
    const waits = Array.from({ length: 12 }, () => live(backoff, 5));
    expect(waits).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
    expect(backoff.failures).toBe(12);
  });

  test("counts a server that never starts like one that ends", () => {
    const backoff = new Backoff();
    const waits = Array.from({ length: 4 }, () => {
      backoff.failed();
      return backoff.wait();
    });
    expect(waits).toEqual([0, 250, 500, 1_000]);
  });

  test("begins anew after a server that has lived for a while", () => {
    const backoff = new Backoff();
    for (let count = 0; count < 6; count++) live(backoff, 5);
    expect(live(backoff, 60_000)).toBe(0);
    expect(backoff.failures).toBe(1);
    expect(live(backoff, 5)).toBe(250);
  });

  test("waits no longer than what is left", () => {
    const backoff = new Backoff();
    for (let count = 0; count < 4; count++) live(backoff, 5);
    expect(backoff.wait()).toBe(1_000);
    vi.setSystemTime(Date.now() + 400);
    expect(backoff.wait()).toBe(600);
    vi.setSystemTime(Date.now() + 4_000);
    expect(backoff.wait()).toBe(0);
  });

  test("stays with numbers that a timer takes, however often it fails", () => {
    const backoff = new Backoff();
    for (let count = 0; count < 5_000; count++) live(backoff, 1);
    expect(backoff.wait()).toBe(30_000);
  });
});
