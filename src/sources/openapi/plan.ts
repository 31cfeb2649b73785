import type { BodyKind, FieldEncoding, ParameterLocation, Serialisation } from "./description.js";

/** What has to be done to make a request of an input. */
export interface RequestPlan {
  /** In capitals. */
  readonly method: string;
  /** With its `{places}`. */
  readonly path: string;
  readonly parameters: readonly PlannedParameter[];
  readonly body: PlannedBody | undefined;
  /** What is sent for fields that the input leaves out, though the request must have them. */
  readonly fallbacks: Readonly<Record<string, unknown>>;
}

export interface PlannedParameter extends Serialisation {
  /** The field of the input. */
  readonly key: string;
  readonly name: string;
  readonly in: ParameterLocation;
}

export interface PlannedBody {
  readonly mediaType: string;
  readonly kind: BodyKind;
  readonly isRequired: boolean;
  /** The field of the input that is the whole body. Without it the body's own fields stand in the input. */
  readonly wholeKey?: string;
  readonly fields: readonly PlannedField[];
  /** Fields of the input that nothing else names belong to the body. */
  readonly isOpen: boolean;
}

export interface PlannedField {
  readonly key: string;
  readonly name: string;
  /** Its value is bytes: a `FileInput`. */
  readonly isFile: boolean;
  /** Its value is a list of files. */
  readonly isFileList: boolean;
  readonly encoding?: FieldEncoding;
}

/** Bytes in an input: as text, or as base64 where they are no text. A bare text is the same as `{ text }`. */
export type FileInput =
  | string
  | { readonly text: string; readonly filename?: string; readonly mediaType?: string }
  | { readonly base64: string; readonly filename?: string; readonly mediaType?: string };

export interface BuiltRequest {
  readonly method: string;
  /** Begins with a slash; encoded. Comes after the path of the server's address. */
  readonly path: string;
  /** Without the question mark; encoded; empty where there is none. */
  readonly query: string;
  /** Names in lower case; cookies are one of them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}
