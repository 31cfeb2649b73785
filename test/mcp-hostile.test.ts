import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { McpSource } from "../src/sources/mcp/index.js";
import { type Era, type Misbehaviour, tables } from "./fixtures/hostile/index.mjs";
import { openHostile, tryHostile } from "./hostile-trial.js";
import { watchResources } from "./left-behind.js";
import { markProcesses } from "./marked-processes.js";

const server = fileURLToPath(new URL("fixtures/hostile-server.mjs", import.meta.url));
const ERAS: readonly Era[] = ["legacy", "modern"];
const PATIENCE = 90_000;

/** How lines are read and processes are kept has nothing to do with the era; the rest is tried in both. */
const OF_NO_ERA: readonly string[] = ["lines", "life", "schemas"];

/** Tables whose misbehaviours harm nobody but their own call: one server has all of them. */
const SHARED: readonly string[] = ["results", "schemas"];
const OWN_SERVER = ["start", "initialize", "discover", "list", "options"];

const assertNothingLeft = watchResources();

test("there are many misbehaviours", () => {
  expect(Object.values(tables).flatMap((table) => Object.keys(table)).length).toBeGreaterThan(200);
});

describe.each(ERAS)("a server of the %s era that", (era) => {
  const here = Object.keys(tables).filter((table) => era === "legacy" || !OF_NO_ERA.includes(table));

  describe.each(SHARED.filter((table) => here.includes(table)))("misbehaves in its calls (%s) and", (table) => {
    const mark = markProcesses();
    let source: McpSource | undefined;

    beforeAll(async () => {
      const command = [process.execPath, server, era, table];
      source = await openHostile({ name: "hostile", command, env: mark.env });
    }, PATIENCE);

    afterAll(async () => {
      await source?.close();
      expect(mark.alive()).toEqual([]);
    });

    for (const [name, one] of casesOf(era, table).filter(([, one]) => !wantsOwnServer(table, one))) {
      test.concurrent(name, { timeout: PATIENCE }, async () => {
        await tryHostile(source ?? expect.fail("there is no source"), name, one);
      });
    }
  });

  describe("misbehaves in whole and", () => {
    for (const table of here) {
      for (const [name, one] of casesOf(era, table).filter(([, one]) => wantsOwnServer(table, one))) {
        test.concurrent(name, { timeout: PATIENCE }, async () => {
          const mark = markProcesses();
          const command = [process.execPath, server, era, table, name];
          const source = await openHostile({ name: "hostile", command, env: mark.env, ...one.options }, one.expect);
          try {
            if (source !== undefined) await tryHostile(source, name, one);
          } finally {
            await source?.close();
          }
          expect(mark.alive()).toEqual([]);
        });
      }
    }
  });
});

test("nothing is left of all these servers", { timeout: PATIENCE }, assertNothingLeft);

function casesOf(era: Era, table: string): [name: string, one: Misbehaviour][] {
  const all = Object.entries(tables[table as keyof typeof tables]);
  return all.filter(([, { eras = ERAS }]) => eras.includes(era));
}

function wantsOwnServer(table: string, one: Misbehaviour): boolean {
  return !SHARED.includes(table) || OWN_SERVER.some((hook) => hook in one);
}
