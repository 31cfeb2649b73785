import { Server } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";

test.each(["_wrapHandler", "_getRequestHandler"])("the SDK has %s, on which ToolServer relies", (name) => {
  const told = `Server.${name} of @modelcontextprotocol/server is gone: ToolServer in sdk-server.ts needs another way`;
  expect(typeof (Server.prototype as unknown as Record<string, unknown>)[name], told).toBe("function");
});
