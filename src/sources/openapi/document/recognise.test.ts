import { describe, expect, test } from "vitest";
import { foundInText, recognise } from "./recognise.js";

describe("what a document is", () => {
  test.each([
    [{ swagger: "2.0" }, "2.0"],
    [{ swagger: 2 }, "2.0"],
    [{ openapi: "3.0.0" }, "3.0"],
    [{ openapi: "3.0.4-rc1" }, "3.0"],
    [{ openapi: 3.1 }, "3.1"],
    [{ openapi: "3.1.1" }, "3.1"],
    [{ openapi: "3.2.0" }, "3.2"],
    [{ openapi: "3.7.0" }, "3.2"],
  ])("%j is OpenAPI %s", (document, version) => {
    expect(recognise(document)).toMatchObject({ version });
  });

  test("a newer minor version is told", () => {
    expect(recognise({ openapi: "3.7.0" })).toMatchObject({ isNewer: true });
    expect(recognise({ openapi: "3.2.1" })).toMatchObject({ isNewer: false });
  });

  test.each([
    [{ openapi: "4.0.0" }, /OpenAPI "4.0.0"/],
    [{ openapi: "30.1.0" }, /OpenAPI "30.1.0"/],
    [{ swagger: "1.2" }, /Swagger "1.2"/],
    [{ swaggerVersion: "1.2", apis: [] }, /Swagger "1.2"/],
    [{ asyncapi: "3.0.0" }, /AsyncAPI/],
    [{ mcpServers: {} }, /MCP/],
    [{ info: { _postman_id: "x" }, item: [] }, /Postman/],
    [{ $schema: "https://json-schema.org/draft/2020-12/schema" }, /JSON Schema/],
    [{ log: { entries: [] } }, /HAR/],
    [{ data: { __schema: {} } }, /GraphQL/],
    [{ paths: {} }, /`openapi`/],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, /"a", "b".*more/],
    [{}, /empty/],
    [[], /list/],
    [null, /null/],
    ["just words", /just words/],
    [undefined, /absent/],
  ])("%j is none, and what it is instead is said", (document, words) => {
    expect(recognise(document)).toMatchObject({ version: undefined, found: expect.stringMatching(words) });
  });

  test("a text that is no document is known by its start", () => {
    expect(foundInText("  <!DOCTYPE html><html>")).toMatch(/HTML/);
    expect(foundInText("<?xml version='1.0'?>")).toMatch(/XML/);
    expect(foundInText("#%RAML 1.0")).toMatch(/RAML/);
    expect(foundInText(" \n")).toMatch(/empty/);
    expect(foundInText("openapi: 3.1.0")).toBeUndefined();
  });
});
