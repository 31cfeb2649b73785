import {
  acceptedContent,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import { RED_PIXEL } from "./tools.js";

/** What `besideTools` installs. */
export const capabilitiesBesideTools: ServerCapabilities = {
  prompts: {},
  completions: {},
  resources: { subscribe: true },
};

/** Prompts, resources and completions are no part of Plico: a user brings them with the SDK's own handlers. */
export function besideTools(server: Server): void {
  prompts(server);
  resources(server);
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
}

function prompts(server: Server): void {
  const argument = (name: string) => ({ name, description: `The argument ${name}`, required: true });
  server.setRequestHandler("prompts/list", () => ({
    prompts: [
      { name: "test_simple_prompt", description: "Takes nothing" },
      { name: "test_prompt_with_arguments", description: "Takes two", arguments: ["arg1", "arg2"].map(argument) },
      {
        name: "test_prompt_with_embedded_resource",
        description: "Has a resource",
        arguments: [argument("resourceUri")],
      },
      { name: "test_prompt_with_image", description: "Has an image" },
      { name: "test_input_required_result_prompt", description: "Asks back" },
    ],
  }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const given = params.arguments ?? {};
    const user = <Content>(content: Content) => ({ messages: [{ role: "user" as const, content }] });
    const text = (words: string) => user({ type: "text" as const, text: words });
    switch (params.name) {
      case "test_simple_prompt":
        return text("This is a simple prompt for testing.");
      case "test_prompt_with_arguments":
        return text(`Prompt with arguments: arg1='${given["arg1"]}', arg2='${given["arg2"]}'`);
      case "test_prompt_with_embedded_resource": {
        const resource = { uri: String(given["resourceUri"]), mimeType: "text/plain", text: "Embedded" };
        return user({ type: "resource" as const, resource });
      }
      case "test_prompt_with_image":
        return user({ type: "image" as const, data: RED_PIXEL, mimeType: "image/png" });
      case "test_input_required_result_prompt": {
        const context = acceptedContent<{ context: string }>(mcpReq.inputResponses, "user_context")?.context;
        return context === undefined ? inputRequired({ inputRequests: { user_context: askContext } }) : text(context);
      }
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}.`);
    }
  });
}

const askContext = inputRequired.elicit({
  message: "What context should the prompt use?",
  requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
});

function resources(server: Server): void {
  const known = [
    { uri: "test://static-text", name: "static-text", mimeType: "text/plain", text: "A static text." },
    { uri: "test://static-binary", name: "static-binary", mimeType: "image/png", blob: RED_PIXEL },
    { uri: "test://watched-resource", name: "watched-resource", mimeType: "text/plain", text: "A watched text." },
  ];
  server.setRequestHandler("resources/list", () => ({
    resources: known.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const found = known.find((resource) => resource.uri === uri);
    if (found !== undefined) return { contents: [found] };
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) }] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}
