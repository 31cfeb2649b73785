import type { BodyKind } from "../description.js";
import { isStreamKind, mediaTypeOf } from "../media-type.js";

/** How a body of a declared media type is written. */
export function bodyKindOf(mediaType: string): BodyKind {
  const { essence, kind } = mediaTypeOf(mediaType);
  if (ANYTHING.has(essence) || mediaType.trim() === "*") return "json";
  if (essence.startsWith("multipart/")) return "multipart";
  if (essence === "application/x-www-form-urlencoded") return "form";
  if (kind === "json" || kind === "text") return kind;
  return isStreamKind(kind) ? "text" : "binary";
}

/** By these nearly every API means JSON. */
const ANYTHING: ReadonlySet<string> = new Set(["*/*", "application/*"]);

/** Whether a body of this type is a sequence of values that come one after the other. */
export function isStreamType(mediaType: string): boolean {
  return isStreamKind(mediaTypeOf(mediaType).kind);
}

/** Whether a type fits a declared one, which may be a range such as all of `text`. */
export function isInRange(mediaType: string, range: string): boolean {
  const [wanted, found] = [mediaTypeOf(range).essence, mediaTypeOf(mediaType).essence];
  if (range.trim() === "*" || wanted === "*/*" || (wanted === found && wanted !== "")) return true;
  return wanted.endsWith("/*") && found.startsWith(wanted.slice(0, -1));
}

/** A range as one of its types, so that it can be sent. */
export function definiteType(mediaType: string): string {
  return mediaType.includes("*") ? DEFINITE[bodyKindOf(mediaType)] : mediaType.trim();
}

const DEFINITE: Readonly<Record<BodyKind, string>> = {
  json: "application/json",
  multipart: "multipart/form-data",
  form: "application/x-www-form-urlencoded",
  text: "text/plain",
  binary: "application/octet-stream",
};
