import * as guard from "../json/guard.js";
import { type Fields, faultsOf, fields, recordOf } from "../json/guard.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";

/** What each known type of MCP content block must have. */
const BLOCKS: Readonly<Record<string, Fields>> = {
  text: fields({ text: guard.string }),
  image: fields({ data: guard.string, mimeType: guard.string }),
  audio: fields({ data: guard.string, mimeType: guard.string }),
  resource: fields({ resource: recordOf({ uri: guard.string }, { text: guard.string, blob: guard.string }) }),
  resource_link: fields({ uri: guard.string, name: guard.string }),
};

/** The fields of a block that are missing or wrong; a type we do not know has none. */
export function blockFaults(block: JsonRecord): string[] {
  const type = block["type"];
  return isString(type) && Object.hasOwn(BLOCKS, type) ? faultsOf(BLOCKS[type] as Fields, block) : [];
}

/** Whether a value is a list of content blocks, all of known types, and not empty. */
export function isContent(value: unknown): value is JsonRecord[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  return (
    isRecord(value) &&
    isString(value["type"]) &&
    Object.hasOwn(BLOCKS, value["type"]) &&
    blockFaults(value).length === 0
  );
}

export function isTextBlock(value: unknown): value is { type: "text"; text: string } {
  return isRecord(value) && value["type"] === "text" && isString(value["text"]);
}

/** All texts of a list of blocks, a line apart. */
export function textOf(content: readonly unknown[]): string {
  return content.flatMap((block) => (isTextBlock(block) ? [block.text] : [])).join("\n");
}
