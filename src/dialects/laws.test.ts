import { describe, test } from "vitest";
import { sampleOutcomes, testDialect } from "../testing/index.js";
import { DIALECTS } from "./all.js";

void sampleOutcomes;
describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("%s", (_, dialect) => {
  for (const { label, run } of testDialect(dialect)) test(label, run);
});
