/** Whether a content type says that its body is JSON. */
export function isJsonType(contentType: string): boolean {
  return contentType === "application/json" || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);
}
