/** Where the server says what there is, beside the operations. */
export const OWN_PATHS: readonly string[] = ["/operations", "/openapi.json", "/healthz"];

/** Where an operation is called. A slash in its name stays one, unless clients would take what follows for another way. */
export function operationPath(id: string): string {
  const isPlain = id.split("/").every((step) => step !== "" && step !== "." && step !== "..");
  return `/operations/${isPlain ? id : encodeURIComponent(id)}`;
}
