import { describe, expect, test } from "vitest";
import { joinParts, type Part, partsOf } from "./encode-multipart.js";
import { encodingOf, fieldOf } from "./fixtures/plans.js";
import { Refusal } from "./refusal.js";

const DISPOSITION = 'Content-Disposition: form-data; name="a"';

describe("the parts of a field", () => {
  test.each([
    ["text", "x", [{ head: DISPOSITION, content: "x" }]],
    ["an empty text", "", [{ head: DISPOSITION, content: "" }]],
    ["null", null, [{ head: DISPOSITION, content: "null" }]],
    ["a number", 1e21, [{ head: DISPOSITION, content: "1000000000000000000000" }]],
    [
      "a list",
      ["x", undefined, 2],
      [
        { head: DISPOSITION, content: "x" },
        { head: DISPOSITION, content: "2" },
      ],
    ],
    ["an empty list", [], []],
    ["an object", { b: 1 }, [{ head: `${DISPOSITION}\r\nContent-Type: application/json`, content: '{"b":1}' }]],
    ["a list of lists", [[1]], [{ head: `${DISPOSITION}\r\nContent-Type: application/json`, content: "[1]" }]],
    ["a date", new Date(0), [{ head: DISPOSITION, content: "1970-01-01T00:00:00.000Z" }]],
  ])("are right for %s", (_, value, parts) => {
    expect(partsOf("a", value)).toEqual(parts);
  });

  test("have the type and the headers of the encoding", () => {
    const headers = { "X-Rate": "1", "content-type": "ignored/ignored" };
    const encoding = encodingOf({ contentType: "text/csv", headers });
    expect(partsOf("a", "x,y", fieldOf({ name: "a", encoding }))).toEqual([
      { head: `${DISPOSITION}\r\nContent-Type: text/csv\r\nX-Rate: 1`, content: "x,y" },
    ]);
  });

  test("are JSON where the encoding says so, or where nothing else can hold an object", () => {
    const json = fieldOf({ name: "a", encoding: encodingOf({ contentType: "application/xml, application/x.y+json" }) });
    expect(partsOf("a", { b: 1 }, json)[0]?.head).toContain("Content-Type: application/x.y+json");
    const text = fieldOf({ name: "a", encoding: encodingOf({ contentType: "application/json" }) });
    expect(partsOf("a", "x", text)[0]?.content).toBe('"x"');
  });

  test("follow a style of their own, without percent-encoding", () => {
    const deep = fieldOf({ name: "a", encoding: encodingOf({ style: "deepObject", isStyled: true }) });
    expect(partsOf("a", { b: ["x y"] }, deep)).toEqual([
      { head: 'Content-Disposition: form-data; name="a[b][0]"', content: "x y" },
    ]);
    const piped = fieldOf({
      name: "a",
      encoding: encodingOf({ style: "pipeDelimited", explode: false, isStyled: true }),
    });
    expect(partsOf("a", ["x", "y"], piped)[0]?.content).toBe("x|y");
  });

  test("cannot have headers that end too early", () => {
    const evil = encodingOf({ headers: { "X-A": "1\r\nX-B: 2" } });
    expect(() => partsOf("a", "x", fieldOf({ name: "a", encoding: evil }))).toThrow(Refusal);
    const named = encodingOf({ headers: { "X A": "1" } });
    expect(() => partsOf("a", "x", fieldOf({ name: "a", encoding: named }))).toThrow(Refusal);
  });
});

describe("the part of a file", () => {
  const file = fieldOf({ name: "a", isFile: true });

  test("has a filename and a type, also where the caller gives none", () => {
    expect(partsOf("a", "x", file)).toEqual([
      { head: `${DISPOSITION}; filename="a"\r\nContent-Type: application/octet-stream`, content: "x" },
    ]);
    expect(partsOf("a", { base64: "AP8=", filename: "b.png", mediaType: "image/png" }, file)).toEqual([
      { head: `${DISPOSITION}; filename="b.png"\r\nContent-Type: image/png`, content: Buffer.from([0, 255]) },
    ]);
  });

  test.each([
    ['a"b', "a%22b"],
    ["a\r\nContent-Type: text/html", "a%0D%0AContent-Type: text/html"],
    ["ü東京", "ü東京"],
    ["a\\b%", "a\\b%"],
    ["\0", "%00"],
  ])("quotes the filename %j", (filename, quoted) => {
    expect(partsOf("a", { text: "", filename }, file)[0]?.head).toContain(`; filename="${quoted}"\r\n`);
  });

  test("comes once for each file of a list", () => {
    expect(partsOf("a", ["x", { text: "y" }], fieldOf({ name: "a", isFileList: true }))).toHaveLength(2);
  });
});

describe("a multipart body", () => {
  const parts: Part[] = [
    { head: "A: 1", content: "x" },
    { head: "B: 2", content: Buffer.from([0, 255]) },
  ];

  test("parts its parts with the boundary", () => {
    const { content, contentType } = joinParts(parts, "multipart/form-data", () => "b");
    expect(contentType).toBe("multipart/form-data; boundary=b");
    expect(Buffer.from(content).toString("latin1")).toBe(
      "--b\r\nA: 1\r\n\r\nx\r\n--b\r\nB: 2\r\n\r\n\u0000\u00ff\r\n--b--\r\n",
    );
  });

  test("is only an end where there are no parts", () => {
    expect(Buffer.from(joinParts([], "multipart/form-data", () => "b").content).toString()).toBe("--b--\r\n");
  });

  test("takes another boundary where the content has it", () => {
    const boundaries = ["x", "b"];
    const { contentType } = joinParts(parts, "multipart/mixed", () => boundaries.shift() ?? "");
    expect(contentType).toBe("multipart/mixed; boundary=b");
  });

  test("has a boundary that nobody can foresee", () => {
    const types = [1, 2, 3].map(() => joinParts(parts, "multipart/form-data").contentType);
    expect(new Set(types).size).toBe(3);
  });
});
