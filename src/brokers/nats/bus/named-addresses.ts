import type { CallEvent } from "../../../protocol/events.js";
import { callerIn } from "../subjects.js";

/**
 * Whether an event that came at an address names only addresses that it may. Whoever may publish to somebody must not use
 * that one's permissions: a worker answers its callers, and callers tell workers, whatever else they could publish to.
 */
export function namesItsOwn(event: CallEvent, address: string): boolean {
  switch (event.type) {
    case "call.requested":
    case "call.resumed":
      return mayAskFor(event.replyTo, address);
    case "call.aborted":
      return event.replyTo === undefined || mayAskFor(event.replyTo, address);
    case "call.running":
      return event.controlTo === undefined || !isReply(address) || event.controlTo.startsWith("control.");
    default:
      return true;
  }
}

/** Whether what came at an address may ask for an answer there. Who answers asks for nothing. */
export function mayAskFor(replyTo: string, address: string): boolean {
  if (address.startsWith("call.")) return isBelow(replyTo, callerIn(address));
  if (address.startsWith("catalog.") || address.startsWith("control.")) return isReply(replyTo);
  return !isReply(address);
}

function isBelow(replyTo: string, caller: string): boolean {
  return caller !== "" && replyTo.startsWith(`reply.${caller}.`);
}

function isReply(address: string): boolean {
  return address.startsWith("reply.");
}
