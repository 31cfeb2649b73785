import { describe, expect, test } from "vitest";

/** Why this machine cannot have something. */
export interface Missing {
  readonly reason: string;
}

export function isMissing<Thing>(thing: Thing | Missing): thing is Missing {
  return typeof thing === "object" && thing !== null && "reason" in thing;
}

/** Tests that need a thing which a machine may not have. Where everything has to run, it is a failure that it is missing. */
export function describeWith<Thing>(title: string, thing: Thing | Missing, define: (thing: Thing) => void): void {
  if (!isMissing(thing)) {
    describe(title, () => define(thing));
    return;
  }
  const { reason } = thing;
  test.skipIf(process.env["CI"] === undefined)(`${title} (${reason})`, () => {
    expect.fail(reason);
  });
}
