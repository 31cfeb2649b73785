import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** From the ground up. What stands on one floor does not import its neighbours. */
const FLOORS = [
  ["json"],
  ["envelope", "schema"],
  ["dialects", "registry"],
  ["protocol"],
  ["results", "mcp", "helper"],
  ["sources", "servers", "brokers", "contract", "testing"],
  ["gateway"],
  ["cli"],
];

const root = fileURLToPath(new URL("../src", import.meta.url));

const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const sources = files.filter((file) => !/\.test(-d)?\.ts$/.test(file) && !file.includes("fixtures/"));

describe("the layers", () => {
  test("every folder of src has its floor", () => {
    const folders = new Set(sources.filter((file) => file.includes("/")).map((file) => file.split("/")[0]));
    expect([...folders].filter((folder) => floorOf(folder) === undefined)).toEqual([]);
  });

  test("imports point down, never to a neighbour or up", () => {
    expect(sources.flatMap(wrongImports)).toEqual([]);
  });
});

function wrongImports(file: string): string[] {
  const folder = file.split("/")[0];
  const floor = floorOf(folder);
  if (!file.includes("/") || floor === undefined) return [];
  return importsOf(file).flatMap((target) => {
    const other = target.split("/")[0];
    const below = other === folder || (floorOf(other) ?? Number.POSITIVE_INFINITY) < floor;
    return below ? [] : [`${file} imports ${target}`];
  });
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => relative(root, join(root, dirname(file), path)));
}

function floorOf(folder: string | undefined): number | undefined {
  const floor = FLOORS.findIndex((folders) => folders.includes(folder ?? ""));
  return floor < 0 ? undefined : floor;
}
