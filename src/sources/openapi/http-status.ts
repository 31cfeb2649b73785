/** `304` says that what the caller has is still true, which is no failure. */
export function isSuccess(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

/** Whether HTTP gives the answer no body, whatever a document says. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Whether a key of `responses` is about a success: `200`, `2XX`. */
export function describesSuccess(key: string): boolean {
  return key.length === 3 && key.startsWith("2");
}
