/** Milliseconds to wait, from a `Retry-After` header: seconds, or a date. */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
