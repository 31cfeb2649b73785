import { readFileSync } from "node:fs";
import { CallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";

/** What a file that an option names has. Throws a `CallError` where it cannot be read. */
export function readNatsFile(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (thrown) {
    const isGone = (thrown as NodeJS.ErrnoException).code === "ENOENT";
    throw unusableOption(option, isGone ? `there is no file ${file}` : messageOf(thrown));
  }
}

export function unusableOption(option: string, why: string): CallError {
  const message = `\`${option}\` for NATS cannot be used: ${why}.`;
  return new CallError({ category: "validation", code: "CONFIG_INVALID", message });
}
