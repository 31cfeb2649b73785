import { describe, expect, test } from "vitest";
import { eventReader, type ItemReader, jsonReader, recordReader, type StreamItem } from "./stream-items.js";

const OPTIONS = { operationId: "test.things", expectsJson: true, mostLength: 20 };

function valuesOf(reader: ItemReader, ...texts: string[]): unknown[] {
  const items: StreamItem[] = [];
  for (const text of texts) items.push(...reader.push(text));
  return [...items, ...reader.end()].map(({ value }) => value);
}

describe("recordReader", () => {
  test("gives a value as soon as it is whole", () => {
    const reader = recordReader("\n", OPTIONS);
    expect([...reader.push('{"a":1}\n{"b"')]).toEqual([{ value: { a: 1 } }]);
    expect([...reader.push(":2}")]).toEqual([]);
    expect([...reader.end()]).toEqual([{ value: { b: 2 } }]);
  });

  test("gives what is false or nothing as itself", () => {
    expect(valuesOf(recordReader("\n", OPTIONS), 'null\n0\nfalse\n""\n')).toEqual([null, 0, false, ""]);
  });

  test("counts the length of one value, not of all", () => {
    expect(valuesOf(recordReader("\n", OPTIONS), "12345678901\n".repeat(100))).toHaveLength(100);
    expect(() => valuesOf(recordReader("\n", OPTIONS), "1".repeat(11), "1".repeat(11))).toThrow(
      expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }),
    );
  });
});

describe("eventReader", () => {
  test("counts the length of one event, not of all", () => {
    expect(valuesOf(eventReader(OPTIONS), "data: 1\n\n".repeat(100))).toHaveLength(100);
    expect(() => valuesOf(eventReader(OPTIONS), "data: 12345\n".repeat(4))).toThrow(
      expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }),
    );
  });

  test("gives no event for what is left of a comment", () => {
    expect(valuesOf(eventReader(OPTIONS), "data: 1\n\n: bye")).toEqual([1]);
  });
});

describe("jsonReader", () => {
  test("gives the first of several lines before the next has come", () => {
    const reader = jsonReader(OPTIONS);
    expect([...reader.push('\n{"a":1}')]).toEqual([]);
    expect([...reader.push("\n")]).toEqual([{ value: { a: 1 } }]);
    expect([...reader.push("2")]).toEqual([]);
    expect([...reader.end()]).toEqual([{ value: 2 }]);
  });

  test("gives one document over several lines at its end", () => {
    expect(valuesOf(jsonReader(OPTIONS), "[\n1", ",\n2", "\n]\n")).toEqual([[1, 2]]);
  });
});
