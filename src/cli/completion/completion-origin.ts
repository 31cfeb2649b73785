import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { SourceConfig } from "../../gateway/config/config.js";
import { findConfig } from "../../gateway/config/find-config.js";
import { parseJsonc } from "../../gateway/config/jsonc.js";
import { serverEntries } from "../../gateway/config/other-programs.js";
import { SOURCE_KINDS } from "../../gateway/config/source-kind.js";
import { orElse } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import type { Io } from "../io.js";
import type { Origin } from "./completion-cache.js";

/** Where the sources of an unfinished command line come from. A file is read but not checked: it may be faulty. */
export async function originOf(flags: ReadonlyMap<string, readonly string[]>, io: Io): Promise<Origin | undefined> {
  const given = (name: string): readonly string[] => flags.get(name) ?? [];
  const adHoc = Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, given(kind)]));
  if (Object.values(adHoc).some((texts) => texts.length > 0)) {
    const { adHocConfig } = await import("../../gateway/config/ad-hoc-config.js");
    return orElse(() => adHocConfig({ ...adHoc, cwd: io.cwd() }), undefined);
  }
  const [named] = given("config");
  const file = named === undefined ? findConfig(io.cwd()) : resolve(io.cwd(), named);
  if (file === undefined) return undefined;
  const document = orElse(() => parseJsonc(readFileSync(file, "utf8")), undefined);
  return { file, folder: dirname(file), config: { sources: sourcesIn(document, io) } };
}

function sourcesIn(document: unknown, io: Io): Readonly<Record<string, SourceConfig>> {
  if (!isRecord(document)) return {};
  const sources = isRecord(document["sources"])
    ? document["sources"]
    : Object.fromEntries(serverEntries(document, io.cwd()).map(({ name, value }) => [name, value]));
  // Only their names are looked at.
  return sources as Readonly<Record<string, SourceConfig>>;
}
