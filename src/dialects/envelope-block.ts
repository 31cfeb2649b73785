import { messageOf } from "../json/attempt.js";
import { decodeBase64, encodeBase64 } from "../json/base64.js";
import { printJson } from "../json/printable.js";
import { told } from "../json/told.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import type { Broken } from "./grammar.js";

export const ENVELOPE_VERSION = 1;

const PREFIX = /^__ENVELOPE_V(\d+)__:/;

export function envelopePrefix(version: number): string {
  return `__ENVELOPE_V${version}__:`;
}

/** The prefix that a text starts with, of whatever version. */
export function prefixOf(text: string): string | undefined {
  return PREFIX.exec(text)?.[0];
}

/** `{ payload, meta }` as a text block. */
export function encodeEnvelopeBlock(envelope: JsonRecord, prefix: string = envelopePrefix(ENVELOPE_VERSION)): string {
  return prefix + encodeBase64(printJson(envelope));
}

export type DecodedBlock = { readonly envelope: JsonRecord } | { readonly broken: readonly Broken[] };

/** Three different answers for what is no envelope: it is no block at all, another version, or damaged. */
export function decodeEnvelopeBlock(text: string): DecodedBlock {
  const prefix = prefixOf(text);
  if (prefix === undefined) return { broken: [["prefix", "", "the text does not start with an envelope's prefix"]] };
  const version = Number(PREFIX.exec(prefix)?.[1]);
  if (version !== ENVELOPE_VERSION) return unsupported("the prefix", version);
  const decoded = decodeBase64(text.slice(prefix.length));
  if ("fault" in decoded) return { broken: [[decoded.fault, "", FAULTS[decoded.fault]]] };
  try {
    return checked(JSON.parse(decoded.text));
  } catch (thrown) {
    return { broken: [["json", "", `it is no JSON: ${messageOf(thrown)}`]] };
  }
}

const FAULTS = {
  base64: "it is no standard base64 with right padding and no stray characters",
  utf8: "the bytes are no UTF-8",
};

function checked(envelope: unknown): DecodedBlock {
  if (!isRecord(envelope))
    return { broken: [["envelope-object", "", `the block holds ${told(envelope)}, not an object`]] };
  const { meta } = envelope;
  const broken: Broken[] = "payload" in envelope ? [] : [["payload", "/payload", "it is absent"]];
  if (!isRecord(meta)) return { broken: [...broken, ["meta-object", "/meta", `it is ${told(meta)}`]] };
  const version = meta["version"];
  if (!Number.isInteger(version))
    return { broken: [...broken, ["meta-version", "/meta/version", `it is ${told(version)}`]] };
  if (version !== ENVELOPE_VERSION) return unsupported("`meta.version`", version);
  return broken.length > 0 ? { broken } : { envelope };
}

function unsupported(place: string, version: unknown): DecodedBlock {
  return {
    broken: [
      [
        "UNSUPPORTED_VERSION",
        "/meta/version",
        `${place} says version ${String(version)}; this reader knows ${ENVELOPE_VERSION}`,
      ],
    ],
  };
}
