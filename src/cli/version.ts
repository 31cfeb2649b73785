declare const PLICO_VERSION: string | undefined;

/** Of this Plico, which only a build knows. */
export function ownVersion(): string {
  return typeof PLICO_VERSION === "string" ? PLICO_VERSION : "0.0.0-source";
}
