/** The part of a semantic version that a change makes due. */
export type VersionPart = "major" | "minor" | "patch";

/**
 * The least version that is right after a change. Below 1.0.0 the minor stands for the major, and the patch for both others.
 * A pre-release that already leads to what is due goes on as a pre-release.
 */
export function versionDue(from: string, part: VersionPart): string {
  const version = parse(from);
  const core = coreDue(version, part);
  const text = core.join(".");
  return compareCores(core, version.core) > 0 ? text : `${text}-${nextPreRelease(version.preRelease).join(".")}`;
}

/** Whether a version has gone up by at least what is due. A pre-release of the version that is due is enough. */
export function isBumped(from: string, to: string, part: VersionPart): boolean {
  return compareVersions(from, to) < 0 && compareCores(coreDue(parse(from), part), parse(to).core) <= 0;
}

/** Below zero where the first comes before the second. Build metadata does not count. */
export function compareVersions(first: string, second: string): number {
  const [one, other] = [parse(first), parse(second)];
  return compareCores(one.core, other.core) || comparePreReleases(one.preRelease, other.preRelease);
}

/** Numbers of any length, as the specification allows them. */
type Core = readonly [major: bigint, minor: bigint, patch: bigint];

interface Version {
  readonly core: Core;
  readonly preRelease: readonly string[];
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

function parse(text: string): Version {
  const match = VERSION.exec(text);
  if (match === null) throw new RangeError(`"${text}" is no semantic version such as 1.0.0.`);
  const [, major = "", minor = "", patch = "", preRelease] = match;
  return { core: [BigInt(major), BigInt(minor), BigInt(patch)], preRelease: preRelease?.split(".") ?? [] };
}

function coreDue({ core: [major, minor, patch], preRelease }: Version, part: VersionPart): Core {
  // 2.0.0-beta.1 promises nothing yet, 1.1.0-beta.1 what 1.0.0 promised.
  const isOpen = preRelease.length > 0;
  const isStable = major > 0n;
  if (part === "major" && isStable)
    return isOpen && minor === 0n && patch === 0n ? [major, 0n, 0n] : [major + 1n, 0n, 0n];
  if (part === "major" || (part === "minor" && isStable))
    return isOpen && patch === 0n ? [major, minor, 0n] : [major, minor + 1n, 0n];
  return [major, minor, isOpen ? patch : patch + 1n];
}

function compareCores(one: Core, other: Core): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : compare(one[at] ?? 0n, other[at] ?? 0n);
}

function compare<T extends bigint | string | number>(one: T, other: T): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A version without one comes after all that have one; numbers come before words, and the shorter before the longer. */
function comparePreReleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return compare(other.length, one.length);
  const at = one.findIndex((identifier, index) => identifier !== other[index]);
  const [mine, theirs] = [one[at], other[at]];
  if (mine === undefined || theirs === undefined) return compare(one.length, other.length);
  if (isNumeric(mine) && isNumeric(theirs)) return compare(BigInt(mine), BigInt(theirs));
  return isNumeric(mine) === isNumeric(theirs) ? compare(mine, theirs) : isNumeric(mine) ? -1 : 1;
}

function isNumeric(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}

function nextPreRelease(identifiers: readonly string[]): readonly string[] {
  const last = identifiers.at(-1) ?? "";
  return isNumeric(last) ? [...identifiers.slice(0, -1), String(BigInt(last) + 1n)] : [...identifiers, "1"];
}
