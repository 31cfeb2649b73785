import type { Issue } from "../../json/issue.js";
import { pointerTo } from "../../json/pointer.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../../json/value.js";
import { natsAddresses, natsAddressFault } from "./nats-address.js";

type Place = readonly string[];

/** What a source on NATS must hold to beyond its schema. */
export function* natsSourceRules(place: Place, source: JsonRecord): Generator<Issue> {
  yield* addressRules([...place, "nats"], source["nats"]);
  yield* accessRules(place, source);
  yield* secretRules([...place, "sign"], source["sign"]);
  if (source["sign"] !== undefined && source["signingKey"] !== undefined)
    yield issue([...place, "signingKey"], "is one way to sign, and sign another; give one of them");
}

/** The same of `servers.nats`. */
export function* natsServerRules(place: Place, server: JsonRecord): Generator<Issue> {
  if (server["url"] !== undefined) yield* addressRules([...place, "url"], server["url"]);
  yield* accessRules(place, server);
  const { trust } = server;
  if (!isRecord(trust)) return;
  for (const option of ["secret", "previous"]) yield* secretRules([...place, "trust", option], trust[option]);
  if (trust["previous"] !== undefined && trust["secret"] === undefined)
    yield issue([...place, "trust", "previous"], "has secrets that were used before; secret has the one that is now");
}

/** Characters; a shorter one can be guessed. */
const SHORTEST_SECRET = 16;

function* secretRules(place: Place, given: unknown): Generator<Issue> {
  const short = [given]
    .flat()
    .filter(isString)
    .some((text) => text.length < SHORTEST_SECRET && !text.includes("${"));
  if (short)
    yield issue(place, `must have at least ${SHORTEST_SECRET} characters: openssl rand -hex 24 makes a good one`);
}

function* addressRules(place: Place, given: unknown): Generator<Issue> {
  if (!isString(given) && !isStringArray(given)) return;
  const addresses = natsAddresses(given);
  // What has a variable in it that is not set is told of already.
  const faults = addresses.filter((text) => !text.includes("${")).map(natsAddressFault);
  const fault = addresses.length === 0 ? "must not be empty" : faults.find((one) => one !== undefined);
  if (fault !== undefined) yield issue(place, fault);
}

const WAYS_IN = ["user", "token", "credentials", "nkey"];

function* accessRules(place: Place, access: JsonRecord): Generator<Issue> {
  const [first, second] = WAYS_IN.filter((way) => access[way] !== undefined);
  if (first !== undefined && second !== undefined)
    yield issue([...place, second], `is one way to say who we are, and ${first} another; give one of them`);
  yield* pairRules(place, access, ["user", "password"]);
  const { tls } = access;
  if (isRecord(tls)) yield* pairRules([...place, "tls"], tls, ["cert", "key"]);
}

/** Neither says anything without the other. */
function* pairRules(place: Place, record: JsonRecord, names: readonly [string, string]): Generator<Issue> {
  const [given, ...others] = names.filter((name) => record[name] !== undefined);
  if (given === undefined || others.length > 0) return;
  yield issue([...place, given], `needs ${names.find((name) => name !== given)} beside it`);
}

function issue(segments: Place, message: string): Issue {
  return { path: pointerTo(...segments), message, rule: "config" };
}
