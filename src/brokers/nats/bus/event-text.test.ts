import { expect, test } from "vitest";
import type { CallEvent, CallRequestedEvent } from "../../../protocol/events.js";
import { eventText, openRequestText } from "./event-text.js";

const LOCAL = { source: "local", operationId: "a.b", timestamp: 1794857846927 };

function responded(data: unknown, meta: object = {}, fields: object = {}): CallEvent {
  const output = { data, meta: { ...LOCAL, requestId: "a-1", ...meta } };
  return { type: "call.responded", requestId: "a-1", output, ...fields } as CallEvent;
}

function request(fields: object = {}): CallRequestedEvent {
  return {
    ...{ type: "call.requested", requestId: "a-1", operationId: "a.b", replyTo: "reply.me.1" },
    ...{ input: { a: 1 }, heartbeat: 1000 },
    ...fields,
  } as CallRequestedEvent;
}

const ODD = 'a"b\\c\n\u0000\ud800é';

test.each([
  responded({ sum: 3 }),
  responded(null),
  responded("text", { operationId: ODD }),
  responded({ sum: 3 }, { requestId: ODD }, { requestId: ODD }),
  responded({ sum: 3 }, { requestId: "another" }),
  responded({ sum: 3 }, { summary: "one more field" }),
  responded({ sum: 3 }, { requestId: undefined, summary: "as many fields, but others" }),
  responded({ sum: 3 }, { timestamp: Number.NaN }),
  responded({ sum: 3 }, { source: "script", tool: "a" }),
  responded({ sum: 3 }, {}, { sequence: 7 }),
  responded({ sum: 3 }, {}, { another: true }),
  responded(new Date(0)),
  responded(() => 1),
  { type: "call.completed", requestId: "a", count: 1 } as const,
])("is what JSON makes of it: %j", (event) => {
  expect(eventText(event)).toBe(JSON.stringify(event));
});

test.each([
  request(),
  request({ requestId: ODD }),
  request({ operationId: ODD, replyTo: ODD }),
  request({ input: [null, ODD] }),
  request({ input: undefined }),
  request({ input: () => 1 }),
  request({ heartbeat: undefined }),
  request({ heartbeat: Number.POSITIVE_INFINITY }),
  request({ heartbeat: undefined, deadline: 7 }),
  request({ deadline: 7, identity: { id: "a", scopes: [] }, metadata: { a: 1 } }),
  request({ another: true }),
])("so is that of a request, but for its end: %j", (event) => {
  expect(`${openRequestText(event)}}`).toBe(JSON.stringify(event));
});

test("says what JSON cannot carry", () => {
  expect(() => eventText(responded(1n))).toThrow("The call.responded event cannot be written as JSON: ");
  expect(() => openRequestText(request({ input: 1n }))).toThrow("The call.requested event cannot be written as JSON: ");
});
