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
  return orElse(() => (thrown instanceof Error ? thrown.message : String(thrown)), `a ${typeof thrown} without words`);
}
