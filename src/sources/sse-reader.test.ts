import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ServerSentEvent, SseReader } from "./sse-reader.js";

function eventsOf(chunks: readonly string[]): { events: ServerSentEvent[]; retries: number[] } {
  const events: ServerSentEvent[] = [];
  const retries: number[] = [];
  const reader = new SseReader({ onEvent: (event) => events.push(event), onRetry: (wait) => retries.push(wait) });
  for (const chunk of chunks) reader.push(chunk);
  return { events, retries };
}

const STREAM =
  ': a comment\nid: 1\nevent: progress\ndata: one\ndata:  two\n\nretry: 500\nretry: soon\ndata\n\nid\ndata: {"a":1}\n\ndata: cut';

const EVENTS = [
  { event: "progress", data: "one\n two", id: "1" },
  { event: "message", data: "", id: "1" },
  { event: "message", data: '{"a":1}', id: "" },
];

describe("SseReader", () => {
  test.each(["\n", "\r", "\r\n"])("reads events whose lines end by %j, and no event that was cut", (end) => {
    expect(eventsOf([STREAM.replaceAll("\n", end)])).toEqual({ events: EVENTS, retries: [500] });
  });

  test("reads the same however the text is split", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("\n", "\r", "\r\n"),
        fc.array(fc.nat(STREAM.length + 20), { maxLength: 12 }),
        (end, cuts) => {
          const text = `\uFEFF${STREAM.replaceAll("\n", end)}`;
          const places = [0, ...cuts.sort((a, b) => a - b), text.length];
          const chunks = places.slice(1).map((place, at) => text.slice(places[at], place));
          expect(eventsOf(chunks).events).toEqual(EVENTS);
        },
      ),
    );
  });

  test("keeps the last id for whoever connects again", () => {
    const reader = new SseReader({ onEvent: () => {} });
    reader.push("id: 7\n\nid: bad\0id\n\n");
    expect(reader.lastId).toBe("7");
  });
});

test("the id of an event that was cut does not count: it has not come", () => {
  const reader = new SseReader({ onEvent: () => {} });
  reader.push("id: 1\ndata: a\n\nid: 2\nda");
  expect(reader.lastId).toBe("1");
});
