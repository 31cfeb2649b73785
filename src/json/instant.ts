const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/;

/** Epoch milliseconds of an ISO 8601 date and time, or `undefined` where the text is none. */
export function instantFromIso(text: unknown): number | undefined {
  if (typeof text !== "string" || !ISO_8601.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Whether two texts name the same moment, to the last digit. */
export function isSameInstant(a: unknown, b: unknown): boolean {
  const instant = instantFromIso(a);
  return instant !== undefined && instant === instantFromIso(b) && !/[.,]\d{3}\d*[1-9]/.test(`${a} ${b}`);
}

/** The ISO 8601 form of epoch milliseconds, or `undefined` where no calendar has that day. */
export function instantToIso(instant: number | undefined): string | undefined {
  return instant === undefined || !(Math.abs(instant) <= 8.64e15) ? undefined : new Date(instant).toISOString();
}
