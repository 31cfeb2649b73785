import { messageOf } from "../../json/attempt.js";
import { brokenJson } from "./refusals.js";

/** The JSON that a client has sent. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Some clients put a mark before the text, which says nothing.
    if (text.startsWith("\ufeff")) return parseBody(text.slice(1));
    throw brokenJson(messageOf(thrown));
  }
}
