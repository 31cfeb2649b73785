/** What looking gives, or something else where it throws: getters and proxies may. */
export function orElse<T>(look: () => T, instead: T): T {
  try {
    return look();
  } catch {
    return instead;
  }
}

/** The message of whatever was thrown. Never throws itself. */
export function messageOf(thrown: unknown): string {
  return orElse(
    () => {
      const words =
        typeof thrown === "object" && thrown !== null ? (thrown as { message?: unknown }).message : undefined;
      return typeof words === "string" ? words : String(thrown);
    },
    `a ${typeof thrown} without words`,
  );
}
