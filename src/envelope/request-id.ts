/** An id for a request in the form of response-v2: `req_` and 12 hexadecimal digits. */
export function createRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `req_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
