import { describe, expect, test } from "vitest";
import { compile } from "../../../schema/compile.js";
import { laidOut, type OneOperation } from "../document/fixtures/documents.js";
import type { InputLayout } from "./lay-out-input.js";

const post = (operation: object, more: OneOperation = {}): InputLayout =>
  laidOut(operation, { method: "post", ...more });
const accepts = ({ schema }: InputLayout, value: unknown): boolean => compile(schema).accepts(value);

describe("the files of a form", () => {
  const filesOf = (properties: object, more: OneOperation & { encoding?: object } = {}): Record<string, string> => {
    const content = { "multipart/form-data": { schema: { properties }, encoding: more.encoding ?? {} } };
    const { plan } = post({ requestBody: { content } }, more);
    return Object.fromEntries(
      (plan.body?.fields ?? []).map(({ name, isFile, isFileList }) => [
        name,
        isFile ? "file" : isFileList ? "files" : "no",
      ]),
    );
  };
  const bytes = { type: "string", format: "binary" };

  test("are known by their format, their content or their encoding", () => {
    const properties = {
      binary: bytes,
      byte: { type: "string", format: "byte" },
      many: { type: "array", items: bytes },
      media: { contentMediaType: "image/png" },
      coded: { type: "string", contentEncoding: "base64" },
      said: {},
      saidText: { type: "string", description: "A picture." },
      saidMany: { type: "array", items: {} },
      eitherOr: { anyOf: [bytes, { type: "array", items: bytes }] },
      orNull: { oneOf: [bytes, { type: "null" }] },
      text: { type: "string" },
      json: { type: "string", contentMediaType: "application/json" },
      number: { type: "integer", format: "int64" },
      object: { type: "object" },
      anything: {},
      referred: { $ref: "#/components/schemas/Upload" },
    };
    const encoding = {
      said: { contentType: "image/png, image/jpeg" },
      saidText: { contentType: "application/octet-stream" },
      saidMany: { contentType: "image/*" },
      object: { contentType: "image/png" },
    };
    expect(filesOf(properties, { encoding, root: { components: { schemas: { Upload: bytes } } } })).toEqual({
      binary: "file",
      byte: "file",
      many: "files",
      media: "file",
      coded: "file",
      said: "file",
      saidText: "file",
      saidMany: "files",
      eitherOr: "files",
      orNull: "file",
      text: "no",
      json: "no",
      number: "no",
      object: "no",
      anything: "no",
      referred: "file",
    });
  });

  test("take what a file can be given as", () => {
    const schema = {
      properties: { photo: { ...bytes, description: "A photo." }, more: { type: "array", items: bytes } },
      required: ["photo"],
    };
    const layout = post({ requestBody: { required: true, content: { "multipart/form-data": { schema } } } });
    expect(accepts(layout, { photo: { base64: "AA==" }, more: ["a", { text: "b" }] })).toBe(true);
    expect(accepts(layout, { photo: 5 })).toBe(false);
    expect(layout.schema).toMatchObject({
      properties: { photo: { description: expect.stringContaining("A photo.") } },
    });
  });

  test("are none where a form has no room for them", () => {
    const content = { "application/x-www-form-urlencoded": { schema: { properties: { a: bytes } } } };
    expect(post({ requestBody: { content } }).plan.body?.fields).toMatchObject([{ isFile: false }]);
  });

  test("keep their encoding", () => {
    const encoding = { a: { contentType: "image/png" } };
    const content = { "multipart/form-data": { schema: { properties: { a: bytes } }, encoding } };
    expect(post({ requestBody: { content } }).plan.body?.fields[0]?.encoding).toMatchObject({
      contentType: "image/png",
    });
  });

  test("are known in a choice too", () => {
    const schema = {
      properties: { file: bytes, url: { type: "string" } },
      oneOf: [{ required: ["file"] }, { required: ["url"] }],
    };
    const layout = post({ requestBody: { content: { "multipart/form-data": { schema } } } });
    expect(layout.plan.body).toMatchObject({
      wholeKey: "body",
      fields: [
        { name: "file", isFile: true },
        { name: "url", isFile: false },
      ],
    });
    expect([{ file: { base64: "" } }, { url: "x" }, {}].map((body) => accepts(layout, { body }))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("of 2.0 have a type", () => {
    const parameters = [
      { name: "file", in: "formData", type: "file", required: true },
      { name: "name", in: "formData", type: "string" },
    ];
    const layout = post({ parameters }, { version: "2.0" });
    expect(layout.plan.body).toMatchObject({ kind: "multipart", fields: [{ isFile: true }, { isFile: false }] });
    expect(accepts(layout, { file: { base64: "AA==" }, name: "x" })).toBe(true);
  });
});
