import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../dialects/all.js";
import { callErrorData } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { wantedBy } from "./negotiate.js";

const GOOD: Outcome = { ok: true, data: { a: 1 }, meta: {} };
const BAD: Outcome = { ok: false, error: callErrorData({ category: "not_found", message: "none" }), meta: {} };

/** The content types of a success and of a failure, and whether events are taken. */
function given(accept: string | undefined): [success: string, failure: string, stream: string] | undefined {
  const wanted = wantedBy(accept);
  // Once more, because what was parsed is remembered.
  expect(wantedBy(accept)).toEqual(wanted);
  return wanted && [wanted.format(GOOD).contentType, wanted.format(BAD).contentType, wanted.stream];
}

const JSON_TYPE = "application/json";
const DATA = "application/json;profile=data";
const PROBLEM = "application/problem+json";
const MCP = "application/vnd.plico.mcp-result+json";
const CHROME =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";
const FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("what a client accepts", () => {
  test.each<[string | undefined, string, string, string]>([
    [undefined, JSON_TYPE, JSON_TYPE, "accepted"],
    ["*/*", JSON_TYPE, JSON_TYPE, "accepted"],
    ["application/json", JSON_TYPE, JSON_TYPE, "no"],
    ["application/*", JSON_TYPE, JSON_TYPE, "no"],
    ["APPLICATION/JSON; charset=utf-8", JSON_TYPE, JSON_TYPE, "no"],
    ["application/json, text/plain, */*", JSON_TYPE, JSON_TYPE, "accepted"],
    [CHROME, JSON_TYPE, JSON_TYPE, "accepted"],
    [FIREFOX, JSON_TYPE, JSON_TYPE, "accepted"],
    ["application/json;profile=data", DATA, PROBLEM, "no"],
    ['application/json; Profile="data"', DATA, PROBLEM, "no"],
    ["application/json;profile=other", JSON_TYPE, JSON_TYPE, "no"],
    ["application/problem+json", JSON_TYPE, PROBLEM, "no"],
    ["application/json, application/problem+json", JSON_TYPE, PROBLEM, "no"],
    [`${MCP}, application/problem+json;q=0.1`, MCP, PROBLEM, "no"],
    [MCP, MCP, MCP, "no"],
    ["Application/VND.Plico.MCP-Result+JSON", MCP, MCP, "no"],
    [`application/json;q=0.5, ${MCP}`, MCP, MCP, "no"],
    [`application/json, ${MCP};q=0.5`, JSON_TYPE, JSON_TYPE, "no"],
    [`application/json;q=0.5, ${MCP};q=0`, JSON_TYPE, JSON_TYPE, "no"],
    ["application/json;q=0.4, application/json;profile=data;q=0.5", DATA, PROBLEM, "no"],
    ["*/*, application/json;profile=data", DATA, PROBLEM, "accepted"],
    ["application/vnd.plico.unknown+json, application/json;q=0.1", JSON_TYPE, JSON_TYPE, "no"],
    ["text/event-stream", JSON_TYPE, JSON_TYPE, "first"],
    [`text/event-stream, ${MCP}`, MCP, MCP, "first"],
    [`${MCP}, text/event-stream;q=0.9`, MCP, MCP, "accepted"],
    ["text/*", JSON_TYPE, JSON_TYPE, "accepted"],
    ["application/json, garbage, ;;;, text/event-stream;q=0.1", JSON_TYPE, JSON_TYPE, "accepted"],
  ])("%s is answered in %s, failures in %s", (accept, success, failure, stream) => {
    expect(given(accept)).toEqual([success, failure, stream]);
  });

  test.each([
    "text/html",
    "application/xml, image/*",
    "application/json;q=0",
    "*/*;q=0",
    "text/event-stream;q=0",
    "application/vnd.plico.unknown+json",
    "application/vnd.plico.+json",
    "application/vnd.plico.mcp-result",
    "application/vnd.plico.__proto__+json",
    "",
    "nonsense",
  ])("%j cannot be given", (accept) => {
    expect(given(accept)).toBeUndefined();
  });

  test("may be any dialect", () => {
    for (const { name } of DIALECTS) {
      const type = `application/vnd.plico.${name}+json`;
      expect(given(type)).toEqual([type, type, "no"]);
    }
  });

  test("is plain where it is one document", () => {
    const plain = [undefined, "*/*", "application/json", CHROME, DATA, "application/json, text/event-stream;q=0.5"];
    expect(plain.filter((accept) => wantedBy(accept)?.isPlain !== true)).toEqual([]);
    const special = ["text/event-stream", "text/event-stream, application/json"];
    expect(special.filter((accept) => wantedBy(accept)?.isPlain !== false)).toEqual([]);
  });

  test("is a document, or not", () => {
    expect(wantedBy("text/event-stream")?.takesDocument).toBe(false);
    expect(wantedBy("text/*")?.takesDocument).toBe(false);
    for (const accept of ["text/event-stream, */*", "application/problem+json", "application/json"])
      expect(wantedBy(accept)?.takesDocument).toBe(true);
  });

  test("may be asked for in more ways than can be remembered", () => {
    for (let at = 0; at < 1000; at++) expect(given(`application/json;v=${at}`)).toEqual([JSON_TYPE, JSON_TYPE, "no"]);
  });
});
