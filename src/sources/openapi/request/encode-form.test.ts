import { describe, expect, test } from "vitest";
import { formFieldOf, formOf } from "./encode-form.js";
import { encodingOf, fieldOf } from "./fixtures/plans.js";

const address = { city: "Somewhere", zip: "99999+1234" };

describe("a field of a form without rules", () => {
  test.each([
    ["a b+c%", "a=a%20b%2Bc%25"],
    ["", "a="],
    [null, "a=null"],
    [0, "a=0"],
    [["x", 1, undefined], "a=x&a=1"],
    [[], ""],
    [[[1, 2]], "a=%5B1%2C2%5D"],
    [new Date(0), "a=1970-01-01T00%3A00%3A00.000Z"],
  ])("writes %o as %j", (value, expected) => {
    expect(formFieldOf("a", value)).toBe(expected);
  });

  test("writes an object as JSON, as the specification does", () => {
    expect(formFieldOf("address", address)).toBe(
      "address=%7B%22city%22%3A%22Somewhere%22%2C%22zip%22%3A%2299999%2B1234%22%7D",
    );
  });
});

describe("a field of a form with an encoding", () => {
  const written = (value: unknown, encoding: Parameters<typeof encodingOf>[0]): string =>
    formFieldOf("a", value, fieldOf({ name: "a", encoding: encodingOf(encoding) }));

  test("follows its style", () => {
    expect(written(address, {})).toBe("city=Somewhere&zip=99999%2B1234");
    expect(written({ b: { c: [1] } }, { style: "deepObject" })).toBe("a%5Bb%5D%5Bc%5D%5B0%5D=1");
    expect(written(["x", "y"], { explode: false })).toBe("a=x,y");
    expect(written(["x", "y"], { style: "pipeDelimited", explode: false })).toBe("a=x%7Cy");
    expect(written("x/y", { allowReserved: true })).toBe("a=x/y");
  });

  test("follows its content type where it has no style of its own", () => {
    expect(written("x", { contentType: "application/json" })).toBe("a=%22x%22");
    expect(written([{ b: 1 }, 2], { contentType: "application/json" })).toBe("a=%7B%22b%22%3A1%7D&a=2");
    expect(written(address, { contentType: "application/json", style: "deepObject" })).toContain("a%5Bcity%5D");
  });

  test("keeps the base64 of a file", () => {
    expect(formFieldOf("a", { base64: "AP8=" }, fieldOf({ name: "a", isFile: true }))).toBe("a=AP8%3D");
    expect(formFieldOf("a", ["x", { text: "y" }], fieldOf({ name: "a", isFileList: true }))).toBe("a=x&a=y");
  });
});

test("a whole form leaves out what is absent", () => {
  expect(formOf({ "a b": 1, c: undefined, d: [], e: ["x", "y"] })).toBe("a%20b=1&e=x&e=y");
  expect(formOf({})).toBe("");
});
