const UNRESERVED_ONLY = /^[\w.~-]*$/;
const KEPT_BY_JAVASCRIPT = /[!'()*]/g;

/** All but the unreserved characters of RFC 3986 becomes triplets. Throws a `URIError` for half a surrogate pair. */
export function percentEncode(text: string): string {
  if (UNRESERVED_ONLY.test(text)) return text;
  return encodeURIComponent(text).replace(KEPT_BY_JAVASCRIPT, triplet);
}

function triplet(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const NOT_KEPT_IN_QUERY = /%(?![\dA-Fa-f]{2})|[^\w.~:/?@!$'()*,;%-]+/gu;
const NOT_KEPT_IN_LIST = /%(?![\dA-Fa-f]{2})|[^\w.~:/?@!$'()*;%-]+/gu;

/**
 * `allowReserved`: reserved characters and triplets stay. Those that would end the value are encoded all the same:
 * `#` and the brackets may not stand in a query, and `&`, `=` and `+` mean something else in it.
 */
export function encodeReserved(text: string): string {
  return text.replace(NOT_KEPT_IN_QUERY, percentEncode);
}

/** The same for a member of a list, which a comma would end. */
export function encodeReservedMember(text: string): string {
  return text.replace(NOT_KEPT_IN_LIST, percentEncode);
}

const NOT_KEPT_IN_PATH = /%(?![\dA-Fa-f]{2})|[^\w.~:@!$&'()*+,;=/%-]+/gu;

/** The fixed part of a path: what may stand there stays as the document has it. */
export function encodeLiteral(text: string): string {
  return text.replace(NOT_KEPT_IN_PATH, percentEncode);
}

const NOT_KEPT_IN_FIXED_QUERY = /%(?![\dA-Fa-f]{2})|[^\w.~:/?@!$&'()*+,;=%-]+/gu;

export function encodeFixedQuery(text: string): string {
  return text.replace(NOT_KEPT_IN_FIXED_QUERY, percentEncode);
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether HTTP takes it as the name of a header or a cookie. */
export function isToken(name: string): boolean {
  return TOKEN.test(name);
}

/** Servers look cookies up by the name as it is sent, so that one which may stand there stays. */
export function encodeCookieName(name: string): string {
  return isToken(name) ? name : percentEncode(name);
}
