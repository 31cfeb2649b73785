const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** Epoch milliseconds of an ISO 8601 date and time, or `undefined` where the text is none. Without a zone it is UTC. */
export function instantFromIso(text: unknown): number | undefined {
  const match = typeof text === "string" ? ISO_8601.exec(text) : null;
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", minutes = "", seconds = "00", fraction = "0", zone = ""] = match;
  // Date would take the 30th of February for the 2nd of March.
  if (Number(day) > daysOf(Number(year), Number(month))) return undefined;
  const instant = Date.parse(`${year}-${month}-${day}T${minutes}:${seconds}.${fraction}${zoneWithMinutes(zone)}`);
  return Number.isNaN(instant) ? undefined : instant;
}

function daysOf(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
}

function zoneWithMinutes(zone: string): string {
  if (zone === "") return "Z";
  const match = /^([+-]\d\d):?(\d\d)?$/.exec(zone);
  return match === null ? zone : `${match[1]}:${match[2] ?? "00"}`;
}

/** Whether two texts name the same moment, to the last digit. */
export function isSameInstant(a: unknown, b: unknown): boolean {
  const instant = instantFromIso(a);
  if (instant === undefined || instant !== instantFromIso(b)) return false;
  return a === b || !/[.,]\d{3}\d*[1-9]/.test(`${a} ${b}`);
}

/** The ISO 8601 form of epoch milliseconds, or `undefined` outside the years that have four digits. */
export function instantToIso(instant: number | undefined): string | undefined {
  if (instant === undefined || !(instant >= FIRST && instant <= LAST)) return undefined;
  return new Date(instant).toISOString();
}

const FIRST = Date.parse("0000-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
