import { describe, expectTypeOf, test } from "vitest";
import type { HandlerContext } from "../../registry/context.js";
import type { McpCallMetadata, McpHttpServerOptions, McpStdioOptions } from "./index.js";

declare const context: HandlerContext;
declare const served: McpHttpServerOptions["registry"];

type Optional<T> = { [Name in keyof T as undefined extends T[Name] ? Name : never]: undefined };

describe("what a handler finds in the metadata of a call", () => {
  test("can be read without a check of each field", () => {
    const metadata = context.metadata as McpCallMetadata | undefined;
    expectTypeOf(metadata?.inputResponses?.["night"]?.action).toEqualTypeOf<string | undefined>();
    expectTypeOf(metadata?.inputResponses?.["night"]?.content?.["date"]).toEqualTypeOf<unknown>();
    expectTypeOf(metadata?.requestState).toEqualTypeOf<string | undefined>();
    metadata?.log?.("info", { a: 1 });
  });
});

describe("an option of a server", () => {
  test("may be undefined where it may be absent", () => {
    const nothing = {} as Optional<McpHttpServerOptions> & Optional<McpStdioOptions>;
    const http: McpHttpServerOptions = { ...nothing, registry: served, host: undefined, sessions: { max: undefined } };
    const stdio: McpStdioOptions = { ...nothing, registry: served, identity: undefined };
    expectTypeOf(http).toEqualTypeOf<McpHttpServerOptions>();
    expectTypeOf(stdio).toEqualTypeOf<McpStdioOptions>();
  });
});
