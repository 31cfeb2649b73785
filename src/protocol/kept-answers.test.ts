import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { localEnvelope } from "../envelope/response-envelope.js";
import type { CallRespondedEvent } from "./events.js";
import { NOW } from "./fixtures/peer.js";
import { type KeptAnswer, KeptAnswers } from "./kept-answers.js";
import { KeptRoom } from "./kept-room.js";
import { ServedValues } from "./served-values.js";

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function answer(requestId: string): KeptAnswer {
  return { requestId, replyTo: "inbox", lastWord: { type: "call.completed", requestId }, values: undefined };
}

function large(requestId: string, data: unknown): KeptAnswer {
  return { ...answer(requestId), lastWord: responded(requestId, data) };
}

function responded(requestId: string, data: unknown): CallRespondedEvent {
  return { type: "call.responded", requestId, output: localEnvelope(data, "a.b") };
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

  test("has the newest of large ones, and none that is larger than all together may be", () => {
    const kept = new KeptAnswers();
    const mebibyte = "*".repeat(1024 * 1024);
    for (let at = 0; at < 100; at += 1) kept.add(large(`${at}`, [mebibyte]));
    expect([kept.size, kept.get("36"), kept.get("37")?.requestId]).toEqual([63, undefined, "37"]);
    kept.add(
      large(
        "huge",
        Array.from({ length: 65 }, () => mebibyte),
      ),
    );
    expect([kept.size, kept.get("huge"), kept.get("99")?.requestId]).toEqual([63, undefined, "99"]);
    for (let at = 0; at < 1024; at += 1) kept.add(answer(`small-${at}`));
    expect([kept.size, kept.get("99")]).toEqual([1024, undefined]);
  });

  test("forgets the values of a subscription with its last word", () => {
    const kept = new KeptAnswers();
    const values = new ServedValues(4, new KeptRoom());
    values.add(responded("1", "value"));
    kept.add({ ...answer("1"), values });
    expect([values.from(0)?.length, kept.delete("1"), values.from(0)]).toEqual([1, true, undefined]);
  });

  test("has one of each request, and tells whether it had one that it is to forget", () => {
    const kept = new KeptAnswers();
    kept.add(answer("1"));
    kept.add(answer("1"));
    expect([kept.size, kept.delete("1"), kept.delete("1"), kept.size]).toEqual([1, true, false, 0]);
  });

  test("leaves no timer behind when it is stopped, and keeps nothing any more", () => {
    const kept = new KeptAnswers();
    kept.add(answer("1"));
    kept.stop();
    kept.add(answer("2"));
    expect([kept.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
