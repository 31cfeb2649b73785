import type { NatsConnection } from "@nats-io/transport-node";
import { operationPath } from "../../brokers/nats/addresses.js";
import type { Refusal } from "../../brokers/nats/bus/refused-subjects.js";
import { CallError } from "../../envelope/call-error.js";
import type { Log } from "../log.js";
import { watchConnection } from "./watch-connection.js";

/** How long more refusals are waited for, in milliseconds: a worker subscribes to many subjects at once. */
const GATHER_MS = 300;

/** Tells what becomes of a worker's connection; all that the server refuses at one time in one line. */
export class RefusedSubjects {
  readonly #log: Log;
  readonly #all: Refusal[] = [];
  #fresh: Refusal[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: NatsConnection, log: Log) {
    this.#log = log;
    watchConnection(connection, {
      onRefusal: (message, refusal) => (refusal === undefined ? log.warn(message) : this.#add(refusal)),
      onLost: (server) =>
        log.warn("The connection to NATS is lost; it is made again as soon as that works", { server }),
      onBack: (server) => log.info("The connection to NATS is back", { server }),
    });
  }

  /** Whether there are operations, and calls of none of them may be heard. */
  isDeafTo(operationIds: readonly string[], prefix: string): boolean {
    const isRefused = (id: string): boolean => {
      const start = `${prefix}.call.${operationPath(id)}.`;
      return this.#all.some(({ deed, subject }) => deed === "subscription" && subject.startsWith(start));
    };
    return operationIds.length > 0 && operationIds.every(isRefused);
  }

  /** For a worker that cannot serve; then nothing is left to be told. */
  error(): CallError {
    this.close();
    return new CallError({
      category: "authorization",
      message: `${sentence(this.#all)}.`,
      suggestedAction: ADVICE,
      details: { subjects: this.#all.map(({ subject }) => subject) },
    });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #add(refusal: Refusal): void {
    this.#all.push(refusal);
    this.#fresh.push(refusal);
    this.#log.debug(`The NATS server does not let this user ${deedOf(refusal)}`);
    this.#timer ??= setTimeout(() => this.#tell(), GATHER_MS).unref();
  }

  #tell(): void {
    this.#timer = undefined;
    this.#log.warn(`${sentence(this.#fresh)}. ${ADVICE}`);
    this.#fresh = [];
  }
}

const ADVICE = "Allow it on the server; examples/nats has what a worker needs.";

/** Calls are what a worker is for. */
function sentence(refusals: readonly Refusal[]): string {
  const first = refusals.find(({ subject }) => subject.includes(".call.")) ?? refusals[0];
  const deed = first === undefined ? "" : `: it may not ${deedOf(first)}`;
  const others = refusals.length - 1;
  const more = others < 1 ? "" : `, and ${others} more ${others === 1 ? "subject" : "subjects"}`;
  return `The NATS server does not let this user serve${deed}${more}`;
}

function deedOf({ deed, subject }: Refusal): string {
  return `${deed === "publish" ? "publish" : "subscribe"} to ${subject}`;
}
