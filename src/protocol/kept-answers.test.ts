import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NOW } from "./fixtures/peer.js";
import { type KeptAnswer, KeptAnswers } from "./kept-answers.js";

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function answer(requestId: string): KeptAnswer {
  return { requestId, replyTo: "inbox", lastWord: { type: "call.completed", requestId }, values: undefined };
}

describe("KeptAnswers", () => {
  test("has an answer for 30 seconds, and then neither it nor a timer", () => {
    const kept = new KeptAnswers();
    kept.add(answer("1"));
    vi.advanceTimersByTime(29_999);
    expect(kept.get("1")).toEqual(answer("1"));
    kept.add(answer("2"));
    vi.advanceTimersByTime(1);
    expect([kept.get("1"), kept.get("2"), kept.size]).toEqual([undefined, answer("2"), 1]);
    vi.advanceTimersByTime(60_000);
    expect([kept.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test("has the newest 1,024", () => {
    const kept = new KeptAnswers();
    for (let at = 0; at < 3000; at += 1) kept.add(answer(`${at}`));
    expect([kept.size, kept.get("1975"), kept.get("1976")]).toEqual([1024, undefined, answer("1976")]);
  });

  test("has one of each request, and tells whether it had one that it is to forget", () => {
    const kept = new KeptAnswers();
    kept.add(answer("1"));
    kept.add(answer("1"));
    expect([kept.size, kept.delete("1"), kept.delete("1"), kept.size]).toEqual([1, true, false, 0]);
  });

  test("leaves no timer behind when it is stopped", () => {
    const kept = new KeptAnswers();
    kept.add(answer("1"));
    kept.stop();
    expect([kept.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
