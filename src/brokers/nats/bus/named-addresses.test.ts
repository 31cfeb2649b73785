import { describe, expect, test } from "vitest";
import { mayAskFor, namesItsOwn } from "./named-addresses.js";

describe("mayAskFor", () => {
  test.each([
    ["call.a.b.v1.ada", "reply.ada.1"],
    ["call.a.b.v1.ada.w1", "reply.ada.1.2"],
    ["catalog.w1", "reply.ada.1"],
    ["control.all", "reply.ada.1"],
    ["of.others", "anything"],
  ])("what came at %s may ask for an answer at %s", (address, replyTo) => {
    expect(mayAskFor(replyTo, address)).toBe(true);
  });

  test.each([
    ["call.a.b.v1.ada", "reply.eve.1"],
    ["call.a.b.v1.ada", "reply.ada"],
    ["call.a.b.v1", "reply..1"],
    ["call.a.b.v1.ada.eve", "reply.eve.1"],
    ["catalog.w1", "control.all"],
    ["control.all", "replies.ada"],
    ["reply.ada.1", "reply.ada.1"],
  ])("what came at %s may not ask for one at %s", (address, replyTo) => {
    expect(mayAskFor(replyTo, address)).toBe(false);
  });
});

test.each([
  ["reply.ada.1", "control.w1", true],
  ["reply.ada.1", "durable.a.b.v1.ada.1", false],
  ["reply.ada.1", undefined, true],
  ["of.others", "anything", true],
])("that a call runs may be said at %s with controlTo %s: %s", (address, controlTo, may) => {
  const event = { type: "call.running", requestId: "1", ...(controlTo !== undefined && { controlTo }) } as const;
  expect(namesItsOwn(event, address)).toBe(may);
});
