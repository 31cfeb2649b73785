import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import { shellWord } from "../config/command-line.js";
import type { Difference } from "./differences.js";
import type { NearestInput } from "./recorded-answers.js";

export interface NotRecordedCall {
  readonly operationId: string;
  /** Without its secrets. */
  readonly input: unknown;
  readonly nearest: NearestInput | undefined;
  readonly file: string;
}

export function notRecorded({ operationId, input, nearest, file }: NotRecordedCall): CallError {
  const why =
    nearest === undefined
      ? `${operationId} is in the recording, but no call of it.`
      : `${operationId} was not recorded with this input. ${toldNearest(nearest)}`;
  return new CallError({
    category: "not_found",
    code: "NOT_RECORDED",
    message: why,
    suggestedAction: `${nearest === undefined ? "R" : "Use a recorded input, or r"}ecord this call: ${commandFor(operationId, input, file)}`,
    ...(nearest !== undefined && { details: { nearest: nearest.input, differences: nearest.differences } }),
  });
}

function toldNearest({ differences }: NearestInput): string {
  const [first, ...others] = differences;
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and in ${others.length} more ${others.length === 1 ? "place" : "places"}`;
  return `The nearest recorded one differs at ${toldDifference(first)}${more}.`;
}

function toldDifference({ path, recorded, given }: Difference): string {
  return `${path === "" ? "its root" : path} (recorded ${told(recorded)}, given ${told(given)})`;
}

const MOST_CHARACTERS = 200;

function commandFor(operationId: string, input: unknown, file: string): string {
  const json = input === undefined ? "" : JSON.stringify(input);
  const words = json === "" ? "" : ` --input ${json.length > MOST_CHARACTERS ? "@FILE" : shellWord(json)}`;
  return `plico call ${operationId}${words} --record ${shellWord(file)}`;
}
