import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";

/** A block of an MCP result, in our own words: the root of the package does not depend on the MCP SDK. */
export type MCPContentBlock =
  | { type: "text"; text: string; annotations?: MCPAnnotations }
  | { type: "image"; data: string; mimeType: string; annotations?: MCPAnnotations }
  | { type: "audio"; data: string; mimeType: string; annotations?: MCPAnnotations }
  | { type: "resource"; resource: MCPResourceContent; annotations?: MCPAnnotations }
  | MCPResourceLink;

export interface MCPResourceLink {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

export interface MCPResourceContent {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

export interface MCPAnnotations {
  audience?: Array<"user" | "assistant">;
  priority?: number;
  lastModified?: string;
}

const string = { type: "string" };

export const MCPAnnotationsSchema: JsonSchema = objectSchema(
  { audience: arraySchema({ enum: ["user", "assistant"] }), priority: { type: "number" }, lastModified: string },
  "all",
);

export const MCPResourceContentSchema: JsonSchema = objectSchema(
  { uri: string, mimeType: string, text: string, blob: string },
  ["mimeType", "text", "blob"],
);

export const MCPResourceLinkSchema: JsonSchema = objectSchema(
  { type: { const: "resource_link" }, uri: string, name: string, title: string, description: string, mimeType: string },
  ["title", "description", "mimeType"],
);

/** The types of block that `MCPContentBlock` lists. */
const KNOWN = ["text", "image", "audio", "resource", "resource_link"];

const annotated = { annotations: MCPAnnotationsSchema };

export const MCPContentBlockSchema: JsonSchema = {
  anyOf: [
    objectSchema({ type: { const: "text" }, text: string, ...annotated }, ["annotations"]),
    objectSchema({ type: { const: "image" }, data: string, mimeType: string, ...annotated }, ["annotations"]),
    objectSchema({ type: { const: "audio" }, data: string, mimeType: string, ...annotated }, ["annotations"]),
    objectSchema({ type: { const: "resource" }, resource: MCPResourceContentSchema, ...annotated }, ["annotations"]),
    MCPResourceLinkSchema,
  ],
};

/** A block of a result, also of a type that MCP may add later. */
export const AnyContentBlockSchema: JsonSchema = {
  anyOf: [MCPContentBlockSchema, objectSchema({ type: { type: "string", not: { enum: KNOWN } } })],
};
