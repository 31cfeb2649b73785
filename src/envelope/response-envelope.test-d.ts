import { describe, expectTypeOf, test } from "vitest";
import type { MCPContentBlock } from "./content-block.js";
import type { ResponseHints } from "./hints.js";
import type {
  HTTPResponseMeta,
  LocalResponseMeta,
  MCPResponseMeta,
  ResponseSource,
  ScriptResponseMeta,
} from "./origin.js";
import {
  httpEnvelope,
  isResponseEnvelope,
  localEnvelope,
  mcpEnvelope,
  type ResponseEnvelope,
  type ResponseMeta,
  scriptEnvelope,
  unwrap,
} from "./response-envelope.js";

declare const meta: ResponseMeta;
declare const anything: unknown;

describe("ResponseMeta", () => {
  test("discriminates on source", () => {
    expectTypeOf(meta.source).toEqualTypeOf<ResponseSource>();
    if (meta.source === "local") expectTypeOf(meta).toExtend<LocalResponseMeta>();
    if (meta.source === "http") expectTypeOf(meta).toExtend<HTTPResponseMeta>();
    if (meta.source === "mcp") expectTypeOf(meta).toExtend<MCPResponseMeta>();
    if (meta.source === "script") expectTypeOf(meta).toExtend<ScriptResponseMeta>();
  });

  test("leaves nothing after the four sources", () => {
    switch (meta.source) {
      case "local":
      case "http":
      case "mcp":
      case "script":
        break;
      default:
        expectTypeOf(meta).toBeNever();
    }
  });

  test("has the fields of a source only where it is the source", () => {
    // @ts-expect-error the source is not known yet
    meta.statusCode;
    if (meta.source === "http") expectTypeOf(meta.statusCode).toEqualTypeOf<number>();
    if (meta.source === "mcp") expectTypeOf(meta.content).toEqualTypeOf<MCPContentBlock[]>();
    if (meta.source === "script") expectTypeOf(meta.exitCode).toEqualTypeOf<number | null>();
  });

  test("has the hints whatever the source", () => {
    expectTypeOf(meta).toExtend<ResponseHints>();
    expectTypeOf(meta.summary).toEqualTypeOf<string | undefined>();
    expectTypeOf(meta.timestamp).toEqualTypeOf<number | undefined>();
    if (meta.source === "local") expectTypeOf(meta.timestamp).toEqualTypeOf<number>();
  });

  test("takes an absent hint and not an undefined one", () => {
    expectTypeOf<{ summary: string }>().toExtend<ResponseHints>();
    expectTypeOf<{ summary: undefined }>().not.toExtend<ResponseHints>();
    expectTypeOf<{ status: "error" }>().not.toExtend<ResponseHints>();
    expectTypeOf<{
      source: "http";
      statusCode: number;
      headers: Record<string, string>;
      contentType: string;
      setCookie: undefined;
    }>().not.toExtend<HTTPResponseMeta>();
  });
});

describe("MCPContentBlock", () => {
  test("discriminates on type", () => {
    const read = (block: MCPContentBlock): string => {
      if (block.type === "text") return block.text;
      if (block.type === "resource") return block.resource.uri;
      if (block.type === "resource_link") return block.uri;
      return block.mimeType;
    };
    expectTypeOf(read).returns.toBeString();
  });
});

describe("the factories and unwrap", () => {
  test("infer the type of the data", () => {
    expectTypeOf(localEnvelope({ rows: [1] }, "rows.list")).toEqualTypeOf<ResponseEnvelope<{ rows: number[] }>>();
    expectTypeOf(unwrap(localEnvelope("text", "a.b"))).toEqualTypeOf<string>();
    expectTypeOf(unwrap(localEnvelope(undefined, "a.b"))).toEqualTypeOf<undefined>();
    expectTypeOf(unwrap(mcpEnvelope<readonly string[]>([], { isError: false, content: [] }))).toEqualTypeOf<
      readonly string[]
    >();
    expectTypeOf(unwrap({} as ResponseEnvelope)).toBeUnknown();
  });

  test("want all that their source requires, and hints if any", () => {
    httpEnvelope(1, { statusCode: 200, headers: {}, contentType: "", requestId: "r" });
    // @ts-expect-error the content type is missing
    httpEnvelope(1, { statusCode: 200, headers: {} });
    // @ts-expect-error the content is missing
    mcpEnvelope(1, { isError: false });
    // @ts-expect-error an exit code is a number or null
    scriptEnvelope(1, { command: [], exitCode: "0", timestamp: 0 });
    // @ts-expect-error the operation is missing
    localEnvelope(1);
  });

  test("take no undefined for what may be absent", () => {
    // @ts-expect-error an optional field is there or absent
    httpEnvelope(1, { statusCode: 200, headers: {}, contentType: "", summary: undefined });
    // @ts-expect-error an optional field is there or absent
    scriptEnvelope(1, { command: [], exitCode: 0, timestamp: 0, agent: undefined });
  });
});

describe("isResponseEnvelope", () => {
  test("narrows what is unknown to an envelope of unknown data", () => {
    if (isResponseEnvelope(anything)) {
      expectTypeOf(anything).toEqualTypeOf<ResponseEnvelope>();
      expectTypeOf(anything.data).toBeUnknown();
    } else expectTypeOf(anything).toBeUnknown();
  });
});
