import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnyOperation,
  CallError,
  defineOperation,
  type HandlerContext,
  type JsonRecord,
  type JsonSchema,
  type MCPContentBlock,
  mcpEnvelope,
} from "../../src/index.js";

export const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export interface ToolDefinition {
  readonly description: string;
  /** @default an object */
  readonly inputSchema?: JsonSchema;
  readonly handler: (input: JsonRecord, context: HandlerContext) => unknown;
}

/** An operation under a name that the suite calls. */
export function tool(name: string, { description, inputSchema = { type: "object" }, handler }: ToolDefinition) {
  return defineOperation({
    namespace: "conformance",
    name,
    version: "1.0.0",
    type: "mutation",
    description,
    inputSchema,
    outputSchema: {},
    handler: (input, context) => handler(input as JsonRecord, context),
  }) as AnyOperation;
}

const image: MCPContentBlock = { type: "image", data: RED_PIXEL, mimeType: "image/png" };

/** Blocks that are no JSON go out as they are. */
function blocks(...content: MCPContentBlock[]): ToolDefinition["handler"] {
  return () => mcpEnvelope(content, { isError: false, content });
}

function embedded(uri: string, mimeType: string, text: string): MCPContentBlock {
  return { type: "resource", resource: { uri, mimeType, text } };
}

/** Those that answer at once, and ask nothing back. The first must take an empty input: the suite calls it with one. */
export const plainTools: readonly AnyOperation[] = [
  tool("test_simple_text", {
    description: "Answers with a text",
    handler: () => "This is a simple text response for testing.",
  }),
  tool("test_image_content", { description: "Answers with an image", handler: blocks(image) }),
  tool("test_audio_content", {
    description: "Answers with a sound",
    handler: blocks({ type: "audio", data: SILENCE, mimeType: "audio/wav" }),
  }),
  tool("test_embedded_resource", {
    description: "Answers with a resource",
    handler: blocks(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  }),
  tool("test_multiple_content_types", {
    description: "Answers with a text, an image and a resource",
    handler: blocks(
      { type: "text", text: "Multiple content types test:" },
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
  }),
  tool("test_tool_with_progress", {
    description: "Tells how far it is",
    handler: (_input, { progress }) => {
      for (const done of [0, 50, 100]) progress(done, 100, `Completed step ${done} of 100`);
      return "done";
    },
  }),
  tool("test_error_handling", {
    description: "Fails",
    handler: () => {
      throw new CallError({ category: "execution", message: "This tool intentionally returns an error for testing" });
    },
  }),
  tool("test_reconnection", {
    description: "Takes a moment",
    handler: async () => {
      await sleep(20);
      return "still here";
    },
  }),
  tool("test_streaming_elicitation", { description: "Answers without a question", handler: () => "no questions" }),
  tool("test_x_mcp_header", {
    description: "Has an argument that is also a header",
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
    },
    handler: ({ region }) => `region: ${region}`,
  }),
  tool("json_schema_2020_12_tool", {
    description: "Has an input schema that uses what is new in 2020-12",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    handler: (input) => input,
  }),
];
