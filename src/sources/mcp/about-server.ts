import type { Client } from "@modelcontextprotocol/client";
import { CallError } from "../../envelope/call-error.js";
import type { Connection } from "./connection.js";

/** What the greeting told. */
export function aboutServer(client: Client): Pick<Connection, "era" | "protocolVersion" | "server" | "hasTools"> {
  const era = client.getProtocolEra();
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (era === undefined || protocolVersion === undefined)
    throw new CallError({ category: "internal", message: "The MCP server was greeted without agreeing on a version." });
  return {
    era,
    protocolVersion,
    server: client.getServerVersion(),
    hasTools: client.getServerCapabilities()?.tools !== undefined,
  };
}
