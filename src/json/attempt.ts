/** What looking gives, or something else where it throws: getters and proxies may. */
export function orElse<T>(look: () => T, instead: T): T {
  try {
    return look();
  } catch {
    return instead;
  }
}

/** Does something whose failure is told to somebody else. Never throws, not even where the telling does. */
export function attempt(act: () => void, onError: (thrown: unknown) => void): void {
  try {
    act();
  } catch (thrown) {
    orElse(() => onError(thrown), undefined);
  }
}

/** Whether a value is to be awaited, also one of another realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return orElse(
    () =>
      typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function",
    false,
  );
}

/** The message of whatever was thrown. Never throws itself. */
export function messageOf(thrown: unknown): string {
  return orElse(
    () => {
      const words =
        typeof thrown === "object" && thrown !== null ? (thrown as { message?: unknown }).message : undefined;
      return typeof words === "string" ? words : String(thrown);
    },
    `something without words (${typeof thrown})`,
  );
}
