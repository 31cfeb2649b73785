import { CallError, isCallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import type { NatsAddress } from "../config/nats-address.js";

/** Why there is no connection, by what the client of NATS says. */
export function notConnected(thrown: unknown, addresses: readonly NatsAddress[]): CallError {
  if (isCallError(thrown)) return thrown;
  const where = placesOf(addresses);
  const words = wordsOf(thrown);
  if (/authoriz|authentication|nkey|jwt/i.test(words))
    return new CallError({
      category: "authentication",
      message: `NATS at ${where} does not let us in: ${words}.`,
      suggestedAction: ACCESS_ADVICE,
      cause: thrown,
    });
  if (/timeout/i.test(words)) return unavailable(`NATS at ${where} does not answer`, START_ADVICE, thrown);
  if (/unexpected response/i.test(words))
    return unavailable(`What answers at ${where} is not NATS`, "Correct the address or the port.", thrown);
  if (/support 'tls'/i.test(words))
    return unavailable(`NATS at ${where} has no TLS`, "Write nats:// in place of tls://, or leave `tls` out.", thrown);
  if (/certificate|self[- ]signed|\bTLS\b|\bSSL\b/i.test(words))
    return unavailable(
      `NATS at ${where} cannot be trusted: ${words}`,
      "Give `tls.ca`, a file with its authority.",
      thrown,
    );
  return unavailable(`NATS cannot be reached at ${where}: ${words}`, START_ADVICE, thrown);
}

/** It took longer than it may. */
export function notInTime(addresses: readonly NatsAddress[], milliseconds: number): CallError {
  return new CallError({
    category: "timeout",
    message: `NATS at ${placesOf(addresses)} has not answered within ${milliseconds / 1000} s.`,
    suggestedAction: START_ADVICE,
  });
}

const START_ADVICE = "Start nats-server there, or correct the address.";
const ACCESS_ADVICE = "Give user and password, token, credentials or nkey, or correct them.";

function unavailable(message: string, suggestedAction: string, cause: unknown): CallError {
  return new CallError({ category: "unavailable", message: `${message}.`, suggestedAction, cause });
}

function placesOf(addresses: readonly NatsAddress[]): string {
  return addresses.map(({ shown }) => shown).join(", ");
}

/** Of an error that only says that there was one, what caused it. */
function wordsOf(thrown: unknown): string {
  const message = messageOf(thrown);
  const { cause } = isRecord(thrown) || thrown instanceof Error ? (thrown as { cause?: unknown }) : {};
  const words = message === "" && cause !== undefined ? messageOf(cause) : message;
  return words.replaceAll(/^'|'$|\.$/g, "");
}
