import type { Warning } from "../../envelope/warning.js";

/** A schema, and the address of the document that it stands in: relative references start there. */
export interface SchemaPlace {
  readonly schema: unknown;
  readonly base: string;
}

/** An operation in words of its own, whatever version of OpenAPI its document has. */
export interface OperationDescription {
  readonly parameters: readonly ParameterDescription[];
  readonly body: BodyDescription | undefined;
  /** In the order of the document. */
  readonly responses: readonly ResponseDescription[];
  /** The alternatives, each of which names all schemes that it needs. Empty where anybody may call. */
  readonly security: readonly SecurityRequirement[];
  /** Those of the operation, of its path or of the document; variables are filled in. Absolute, or relative to the document. */
  readonly servers: readonly string[];
  /** What could not be used, and what is done instead. */
  readonly warnings: readonly Warning[];
}

export type ParameterLocation = "path" | "query" | "header" | "cookie" | "querystring";

/** The six of OpenAPI, and two that only version 2.0 has. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  | "tabDelimited";

export interface ParameterDescription extends Serialisation {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly schema: SchemaPlace;
}

/** How a value becomes text. */
export interface Serialisation {
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Where the value is a document of its own, mostly JSON; style and explode then mean nothing. */
  readonly mediaType?: string;
}

export type BodyKind = "json" | "form" | "multipart" | "text" | "binary";

export interface BodyDescription {
  readonly required: boolean;
  readonly description?: string;
  /** That which is sent, of those that the operation takes. A range of types is made a definite one. */
  readonly mediaType: string;
  readonly kind: BodyKind;
  readonly schema: SchemaPlace;
  /** Of forms: how the fields are written that do not follow the default. */
  readonly encoding: Readonly<Record<string, FieldEncoding>>;
}

export interface FieldEncoding extends Serialisation {
  /** The document itself says how, which then counts more than a content type. */
  readonly isStyled?: boolean;
  /** Of a part of a multipart body. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ResponseDescription {
  /** `200`, `2XX` or `default`. */
  readonly status: string;
  readonly description: string;
  readonly content: readonly MediaDescription[];
}

export interface MediaDescription {
  readonly mediaType: string;
  /** `undefined` where the document says nothing of it. */
  readonly schema: SchemaPlace | undefined;
}

/** Schemes by the name that the document gives them, with the scopes that are needed. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export type SecurityScheme =
  | { readonly type: "bearer" }
  | { readonly type: "basic" }
  | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | {
      readonly type: "oauth2";
      /** Where a client gets a token for itself, if the scheme has such a flow. Relative to the document. */
      readonly tokenUrl?: string;
      readonly scopes: readonly string[];
    }
  | { readonly type: "other"; readonly name: string };
