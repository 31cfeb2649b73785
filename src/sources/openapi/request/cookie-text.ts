import { encodeCookieName } from "../percent-encode.js";
import type { PlannedParameter } from "../plan.js";
import { asHeader } from "./header-text.js";
import { Refusal } from "./refusal.js";
import { type Coding, pairsOf, QUERY } from "./serialise-parameter.js";

const ENCODED: Coding = { ...QUERY, name: encodeCookieName };

/** The style `cookie` of OpenAPI 3.2, which forbids to encode or to quote. */
const UNCHANGED: Coding = { ...ENCODED, value: unchanged, member: unchanged };

/** What a parameter adds to the header `cookie`; empty where it adds nothing. Cookies are parted as RFC 6265 wants it. */
export function cookieTextOf(parameter: PlannedParameter, value: unknown): string {
  return pairsOf(parameter.name, value, parameter, parameter.allowReserved ? UNCHANGED : ENCODED)
    .map(([name, text]) => `${name}=${text}`)
    .join("; ");
}

function unchanged(text: string): string {
  if (text.includes(";")) throw new Refusal("pattern", "must have no semicolon: it would begin another cookie");
  return asHeader(text);
}
