import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { orElse } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { PROJECT_FILES } from "../config/find-config.js";
import { parseJsonc } from "../config/jsonc.js";
import { serverEntries } from "../config/other-programs.js";
import type { OtherFile } from "./file-findings.js";

/** The files of other programs in a folder that name MCP servers. */
export async function otherFiles(folder: string): Promise<readonly OtherFile[]> {
  const files = await Promise.all(
    PROJECT_FILES.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8").catch(() => "") })),
  );
  return files
    .map(({ name, text }) => ({ name, servers: orElse(() => serversIn(text, folder), []) }))
    .filter(({ servers }) => servers.length > 0);
}

function serversIn(text: string, folder: string): string[] {
  const document: unknown = text === "" ? undefined : parseJsonc(text);
  return isRecord(document) ? serverEntries(document, folder).map(({ name }) => name) : [];
}
