/** The options that every helper has of its own; a field of the same name is reached by `--input` only. */
export const HELPER_OPTIONS: readonly string[] = ["input", "schema", "envelope", "expect-major", "agent", "help"];

/** The flag that stands for a field: `--max-count` for `maxCount`. */
export function flagName(field: string): string {
  return field
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}
