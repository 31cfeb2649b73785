import { originFields } from "../../envelope/origin.js";
import type { OutcomeMeta } from "../../envelope/outcome.js";
import { omit } from "../../json/value.js";

/** What of the meta may leave the process: an origin can tell of headers, commands and places that are private. */
export function hintsOf(meta: OutcomeMeta): OutcomeMeta {
  return meta.source === undefined ? meta : (omit({ ...meta }, originFields(meta.source)) as OutcomeMeta);
}
