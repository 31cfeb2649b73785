import fc from "fast-check";
import { describe, test } from "vitest";
import { assertRoundTrip } from "../testing/index.js";
import { DIALECTS } from "./all.js";
import { outcome } from "./fixtures/arbitrary-outcome.js";

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("%s", (_, dialect) => {
  test("reads back what it writes, but for what it reports as lost", () => {
    fc.assert(
      fc.property(outcome, (value) => assertRoundTrip(dialect, value)),
      { numRuns: 1000 },
    );
  });
});
