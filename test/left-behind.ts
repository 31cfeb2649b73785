import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";

const KINDS = ["ProcessWrap", "PipeWrap", "TCPSocketWrap", "TCPServerWrap", "Timeout"];

/** Notes what keeps this process alive. What is given back waits a while for all that came since to go. */
export function watchResources(): () => Promise<void> {
  const before = countResources();
  return async () => {
    for (let looks = 0; looks < 100 && isMore(countResources(), before); looks += 1) await delay(50);
    expect(isMore(countResources(), before), `before ${before}, now ${countResources()} of ${KINDS}`).toBe(false);
  };
}

function countResources(): number[] {
  const active = process.getActiveResourcesInfo();
  return KINDS.map((kind) => active.filter((other) => other === kind).length);
}

function isMore(now: readonly number[], before: readonly number[]): boolean {
  return now.some((count, at) => count > (before[at] ?? 0));
}
