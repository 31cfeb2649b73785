import { describe, expect, test } from "vitest";
import { childOf, parseTraceparent, traceIn, traceparentOf } from "./trace-context.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const HEADER = `00-${TRACE}-${PARENT}-01`;

describe("parseTraceparent", () => {
  test("reads the three fields", () => {
    expect(parseTraceparent(HEADER)).toEqual({ traceId: TRACE, parentId: PARENT, flags: 1 });
  });

  test.each([`cc-${TRACE}-${PARENT}-09`, `fe-${TRACE}-${PARENT}-09-what-comes`, `01-${TRACE}-${PARENT}-09-`])(
    "reads what it knows of a later version: %s",
    (header) => {
      expect(parseTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, flags: 9 });
    },
  );

  test.each([
    ["absent", undefined],
    ["empty", ""],
    ["the version that is none", `ff-${TRACE}-${PARENT}-01`],
    ["upper case", HEADER.toUpperCase()],
    ["a trace of zeros", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["a parent of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["more fields in version 00", `${HEADER}-more`],
    ["a dash at the end of version 00", `${HEADER}-`],
    ["a later version that goes on without a dash", `cc-${TRACE}-${PARENT}-01.more`],
    ["a field too short", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["no digits", `00-${TRACE.replace("4", "g")}-${PARENT}-01`],
    ["a line end behind", `${HEADER}\n`],
    ["two headers", `${HEADER}, ${HEADER}`],
  ])("refuses %s", (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

describe("childOf", () => {
  test("is a new span of the same trace", () => {
    const { traceId, spanId, traceparent } = childOf(parseTraceparent(HEADER));
    expect(traceId).toBe(TRACE);
    expect(spanId).not.toBe(PARENT);
    expect(parseTraceparent(traceparent)).toEqual({ traceId, parentId: spanId, flags: 1 });
  });

  test("passes on the flags that have a meaning, and no others", () => {
    expect(parseTraceparent(childOf({ traceId: TRACE, parentId: PARENT, flags: 0xff }).traceparent)?.flags).toBe(3);
  });

  test("begins a trace where there is none, which is not sampled", () => {
    const [one, two] = [childOf(undefined), childOf(undefined)];
    expect(one.traceId).not.toBe(two.traceId);
    expect(parseTraceparent(one.traceparent)).toEqual({ traceId: one.traceId, parentId: one.spanId, flags: 0 });
  });
});

describe("traceparentOf", () => {
  test("finds the header in the metadata of a call", () => {
    expect(traceparentOf({ traceparent: HEADER })).toBe(HEADER);
  });

  test.each([undefined, {}, { traceparent: 7 }, { traceparent: `${HEADER}\r\nx: y` }])(
    "finds nothing in %j",
    (metadata) => {
      expect(traceparentOf(metadata)).toBeUndefined();
    },
  );
});

describe("traceIn", () => {
  test("finds the trace and its state", () => {
    expect(traceIn({ traceparent: HEADER, tracestate: "a=1", other: 1 })).toEqual({
      traceparent: HEADER,
      tracestate: "a=1",
    });
  });

  test.each([undefined, "", 5, "a=1\r\nx: y", "ä=1", "a".repeat(2_049)])("leaves out the state %j", (tracestate) => {
    expect(traceIn({ traceparent: HEADER, tracestate })).toEqual({ traceparent: HEADER });
  });

  test.each([undefined, {}, { tracestate: "a=1" }, { traceparent: "nonsense", tracestate: "a=1" }])(
    "finds none in %j",
    (carrier) => {
      expect(traceIn(carrier)).toBeUndefined();
    },
  );
});
