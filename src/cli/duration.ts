const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/;
const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `30` and `30s`, `500ms`, `2m`, `1h` in milliseconds; `undefined` for what is no time, or none at all. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = "s"] = FORM.exec(text) ?? [];
  const ms = Number(amount) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
  return ms > 0 ? ms : undefined;
}
