import { CallError } from "../../../envelope/call-error.js";

/** The document cannot be used as one of OpenAPI. */
export function invalidDocument(address: string, what: string, { details, cause }: FaultFacts = {}): CallError {
  return new CallError({
    category: "validation",
    code: "INVALID_DOCUMENT",
    recoverable: false,
    message: `${capital(nameOf(address))} ${what}`,
    ...(details !== undefined && { details }),
    ...(cause !== undefined && { cause }),
  });
}

interface FaultFacts {
  readonly details?: TextPlace | undefined;
  readonly cause?: unknown;
}

/** Counted from one. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export function documentTooLarge(address: string, maxBytes: number): CallError {
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    recoverable: false,
    message: `${capital(nameOf(address))} is larger than ${maxBytes} bytes. A higher \`maxDocumentBytes\` of the source takes it.`,
  });
}

export function documentMissing(address: string, cause: unknown): CallError {
  return new CallError({
    category: "not_found",
    code: "DOCUMENT_NOT_FOUND",
    recoverable: false,
    message: `There is no file ${nameOf(address)}. Give the source the path of an OpenAPI document.`,
    cause,
  });
}

/** The address of a document that was given, not read. */
export const GIVEN = "plico:/document";

/** An address for people. It may hold credentials, which are not shown. */
export function nameOf(address: string): string {
  if (address === GIVEN) return "the document";
  if (address.startsWith("file:")) return decoded(address.slice("file://".length));
  return address.replace(/\/\/[^/@]*@/, "//").replace(/\?.*$/s, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function capital(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}
