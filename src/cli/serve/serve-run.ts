import { type CallError, isCallError } from "../../envelope/call-error.js";
import { Complaint, type ExitCode } from "../io.js";
import { tellPlaces } from "./serve-places.js";
import type { ServeSettings } from "./serve-settings.js";
import { type Prepare, runServing, type ServeCall } from "./serving.js";

/** Serves until a signal comes, or over stdio until the client has gone. */
export async function runServe(settings: ServeSettings, serveCall: ServeCall): Promise<ExitCode> {
  const prepare = settings.isStdio ? overStdio(settings) : overHttp(settings);
  try {
    return await runServing({ ...settings, prepare }, serveCall);
  } catch (thrown) {
    throw isCallError(thrown) ? complaintOf(thrown) : thrown;
  }
}

function complaintOf({ code, message, suggestedAction }: CallError): Complaint {
  const advice = code === "HOSTS_UNNAMED" ? "Here that is --allow-host NAME, or servers.http." : suggestedAction;
  return new Complaint(advice === undefined ? message : `${message} ${advice}`, 2);
}

function overHttp({ host, port, allowedHosts, search, logFormat }: ServeSettings): Prepare {
  return async ({ log, io }) => {
    const { serveGateway } = await import("../../gateway/serve/serve-http.js");
    return {
      async start(gateway) {
        const server = await serveGateway({ gateway, log, host, port, allowedHosts, search });
        tellPlaces(server.places, { format: logFormat ?? gateway.loaded.config.log?.format, log, io });
        return { refresh: () => server.refresh(), close: () => server.close() };
      },
    };
  };
}

function overStdio({ search }: ServeSettings): Prepare {
  return async ({ log }) => {
    const { serveGatewayStdio } = await import("../../gateway/serve/serve-stdio.js");
    return {
      async start(gateway) {
        const server = serveGatewayStdio({ gateway, log, search });
        log.info("Serving MCP over standard input and output");
        return {
          gone: server.closed.then(() => undefined),
          refresh: () => log.info("What `servers` says holds from the next start on"),
          close: () => server.close(),
        };
      },
    };
  };
}
