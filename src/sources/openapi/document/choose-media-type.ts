import type { BodyKind } from "../description.js";
import { mediaTypeOf } from "../media-type.js";
import { bodyKindOf } from "./body-kind.js";

/** The type that a body is sent in, of those that an operation takes: what is preferred, else the usual, the first of equals. */
export function chooseMediaType(mediaTypes: readonly string[], preferred: readonly string[] = []): string | undefined {
  const wanted = preferred.flatMap((one) =>
    mediaTypes.filter((type) => mediaTypeOf(type).essence === one.toLowerCase()),
  );
  if (wanted[0] !== undefined) return wanted[0];
  const ranked = mediaTypes.map((type) => ({ type, rank: rankOf(type) }));
  const best = Math.min(...ranked.map(({ rank }) => rank));
  return ranked.find(({ rank }) => rank === best)?.type;
}

const RANKS: Readonly<Record<BodyKind, number>> = { json: 0, multipart: 10, form: 20, text: 30, binary: 40 };

const USUAL = ["application/json", "multipart/form-data", "application/x-www-form-urlencoded", "text/plain"];

/** A list of changes is rarely what a document's schema describes, nor what people have. */
const UNUSUAL = "application/json-patch+json";

function rankOf(mediaType: string): number {
  const { essence } = mediaTypeOf(mediaType);
  const within = USUAL.includes(essence) ? 0 : mediaType.includes("*") ? 2 : essence === UNUSUAL ? 3 : 1;
  return RANKS[bodyKindOf(mediaType)] + within;
}
