import { describe, expect, test } from "vitest";
import { outsideReferences } from "./outside-references.js";

describe("the references of a text that leave it", () => {
  test.each([
    ['{"$ref": "Pet.json"}', ["Pet.json"]],
    ['{"$ref":"../common/Error.json#/a/b"}', ["../common/Error.json"]],
    ['{"$ref"  :\n  "a\\u002ejson#/x"}', ["a.json"]],
    ['{"a": {"$ref": "#/x"}, "b": {"$ref":"#/y"}}', []],
    ["$ref: './pet.yaml#/Pet'", ["./pet.yaml"]],
    ["$ref: pet.yaml # a comment\n", ["pet.yaml"]],
    ["a: { $ref: pet.yaml#/Pet, b: 1 }", ["pet.yaml"]],
    ['a: {"$ref": pet.yaml}', ["pet.yaml"]],
    ["$ref: >-\n  a/very/long/path.yaml#/x\n", ["a/very/long/path.yaml"]],
    ["$ref: >-\n  #/components/schemas/A\n", []],
    ["$ref: '#/a'\n'$ref': \"#/b\"\n", []],
    ["$ref: 'it''s.yaml'", ["it's.yaml"]],
    ["properties:\n  $ref:\n    type: string\n", []],
    ['{"properties": {"$ref": {"type": "string"}}}', []],
    ['{"description": "write {\\"$ref\\": \\"x.json\\"}"}', []],
    ["$ref: https://other.test/x.json#/y", ["https://other.test/x.json"]],
    ["$ref:", []],
    ['{"$ref": "', []],
    ['{"$ref": "\\x"}', []],
    ["", []],
  ])("%j leads to %j", (text, found) => {
    expect([...outsideReferences(text)]).toEqual(found);
  });
});
