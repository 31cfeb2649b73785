import { expect, test } from "vitest";
import { callerIn, isToken, textOfToken, tokenOf } from "./subjects.js";

test.each([
  ["call.a.b.v1.ada", "ada"],
  ["call.a.b.v1.ada.w1", "ada"],
  ["call.a.b%2Ec.v1.ada", "ada"],
  ["call.a.b.v1", ""],
  ["call.", ""],
  ["calls.a.b.v1.ada", ""],
  ["reply.a.b.v1.ada", ""],
])("the caller in %s is %j", (address, caller) => {
  expect(callerIn(address)).toBe(caller);
});

test.each(["plain", "a.b", "*", ">", " ", "~", "~002e", "é東🎉", "\ud800"])(
  "%j is itself again after it was a token",
  (text) => {
    const token = tokenOf(text);
    expect([/^[\w~-]+$/.test(token), textOfToken(token)]).toEqual([true, text]);
  },
);

test.each(["", "a.b", "*", "é", "x".repeat(65), 7, undefined])("%j is no token", (value) => {
  expect(isToken(value)).toBe(false);
});
