import { describe, expect, test } from "vitest";
import { type Check, CLIENT_IS_DONE, judge, type ScenarioResult } from "./verdict.js";

function check(id: string, status: Check["status"]): Check {
  return { id, name: id, status, description: "it is so" };
}

function results(given: Readonly<Record<string, ScenarioResult>>): ReadonlyMap<string, ScenarioResult> {
  return new Map(Object.entries(given));
}

const mixed = results({
  one: { checks: [check("good", "SUCCESS"), check("bad", "FAILURE"), check("odd", "WARNING")] },
});

describe("the verdict about a run of the conformance suite", () => {
  test("names each check that failed or warned, and counts those that passed", () => {
    const { failures, passed } = judge(["one"], mixed, []);
    expect(failures.map((line) => line.split(" ")[0])).toEqual(["one:bad", "one:odd"]);
    expect(passed).toBe(1);
  });

  test("takes what is expected, by scenario or by check", () => {
    expect(judge(["one"], mixed, ["one"])).toMatchObject({ failures: [], stale: [] });
    expect(judge(["one"], mixed, ["one:bad", "one:odd"])).toMatchObject({ failures: [], stale: [] });
    expect(judge(["one"], mixed, ["one:bad"]).failures).toHaveLength(1);
  });

  test("names what is expected to fail and does not", () => {
    expect(judge(["one"], mixed, ["one", "one:good", "two"]).stale).toEqual(["one:good", "two"]);
  });

  test("misses a scenario that was not run", () => {
    expect(judge(["one", "two"], mixed, ["one"]).failures).toHaveLength(1);
  });

  test("wants a client to come to its end", () => {
    const checks = [check("good", "SUCCESS")];
    const given = results({
      ended: { checks, stdout: `${CLIENT_IS_DONE}\n` },
      broken: { checks, stdout: "", stderr: "oh" },
    });
    expect(judge(["ended", "broken"], given, []).failures).toEqual(["broken:client the client failed: oh"]);
  });
});
