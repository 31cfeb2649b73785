import { isCallError } from "../envelope/call-error.js";
import { categoryFacts } from "../envelope/category.js";
import { Complaint, type ExitCode } from "./io.js";

/**
 * What was thrown, as a complaint where it is a failure in our own words: then it is no fault of Plico.
 * @param exitCode by default what the category says
 */
export function complaintFrom(thrown: unknown, exitCode?: ExitCode): unknown {
  if (!isCallError(thrown)) return thrown;
  const { message, suggestedAction = "", category } = thrown;
  const advice = suggestedAction === "" || message.includes(suggestedAction) ? "" : `\n${suggestedAction}`;
  return new Complaint(message + advice, exitCode ?? categoryFacts(category).exitCode);
}
