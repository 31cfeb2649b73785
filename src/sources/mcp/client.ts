import { Client, type ClientCapabilities } from "@modelcontextprotocol/client";
import type { JsonRecord } from "../../json/value.js";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, MODERN_VERSION, PROTOCOL_VERSION_KEY } from "../../mcp/keys.js";
import type { ConnectionHooks } from "./connection.js";
import type { InputMethod, Settings } from "./options.js";

/** The SDK's client, for all but the calls: it greets, agrees on a version, hears of changes and is asked questions. */
export function createClient(settings: Settings, hooks: ConnectionHooks): Client {
  const { clientInfo, onInputRequest, inputMethods = DEFAULT_METHODS, era } = settings;
  const capabilities = onInputRequest === undefined ? {} : capabilitiesFor(inputMethods);
  const client = new Client(clientInfo, {
    capabilities,
    // Results are checked by the registry; the SDK's own validator would only have to be loaded.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    versionNegotiation: { mode: era === "modern" ? { pin: MODERN_VERSION } : era },
  });
  client.onerror = () => {};
  client.setNotificationHandler("notifications/tools/list_changed", hooks.onToolsChanged);
  if (onInputRequest !== undefined) {
    for (const method of inputMethods) {
      client.setRequestHandler(method, async ({ params }, { mcpReq }) => {
        const answer = await onInputRequest({ key: method, method, params }, { signal: mcpReq.signal });
        return answer as never;
      });
    }
  }
  return client;
}

const DEFAULT_METHODS: readonly InputMethod[] = ["elicitation/create"];

const CAPABILITY: Readonly<Record<InputMethod, ClientCapabilities>> = {
  "elicitation/create": { elicitation: { form: { applyDefaults: true }, url: {} } },
  "sampling/createMessage": { sampling: {} },
  "roots/list": { roots: {} },
};

function capabilitiesFor(methods: readonly InputMethod[]): ClientCapabilities {
  return Object.assign({}, ...methods.map((method) => CAPABILITY[method]));
}

/**
 * What every request of the modern era says of its sender. A question in the middle of a call is either answered by the
 * hook or given to the caller, who may answer it with the next call, so that all kinds are welcome there.
 */
export function envelopeOf({ clientInfo }: Settings): JsonRecord {
  return {
    [PROTOCOL_VERSION_KEY]: MODERN_VERSION,
    [CLIENT_INFO_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_KEY]: capabilitiesFor(Object.keys(CAPABILITY) as InputMethod[]),
  };
}

/** In the modern era a client says which changes it wants to hear of; that it cannot is no reason to fail. */
export function listenForTools(client: Client, timeout: number): void {
  if (client.getProtocolEra() !== "modern" || client.getServerCapabilities()?.tools?.listChanged !== true) return;
  client.listen({ toolsListChanged: true }, { timeout }).catch(() => {});
}
