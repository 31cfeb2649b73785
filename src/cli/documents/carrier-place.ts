import type { Carrier } from "../../dialects/detect.js";

/** Where a document was found inside another, for people. */
export function placeText(carrier: Carrier | undefined): string {
  return carrier === undefined ? "" : ` in ${carrier.path} of ${carrier.dialect.name}`;
}

/** The same for programs. */
export function placeJson(carrier: Carrier | undefined): { carrier?: { dialect: string; path: string } } {
  return carrier === undefined ? {} : { carrier: { dialect: carrier.dialect.name, path: carrier.path } };
}
