import { orElse } from "../../json/attempt.js";

/** Where a NATS server is, and what its address says of who we are. */
export interface NatsAddress {
  /** As the client of NATS takes it. */
  readonly server: string;
  /** As people may see it. */
  readonly shown: string;
  readonly isTls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
}

/** Those of a list, or of a text that tells them apart by commas. */
export function natsAddresses(given: string | readonly string[]): readonly string[] {
  const texts = typeof given === "string" ? given.split(",") : given;
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** Why an address is none of a NATS server. It is not repeated: it may hold a password. */
export function natsAddressFault(text: string): string | undefined {
  const [, scheme = "nats"] = SCHEME.exec(text) ?? [];
  if (/^wss?$/i.test(scheme)) return "is the address of a websocket; give that for clients, such as nats://host:4222";
  if (!/^(nats|tls)$/i.test(scheme)) return `begins with ${scheme}://; an address of NATS is nats://host:4222`;
  const url = urlOf(text);
  if (url === undefined || url.hostname === "") return "is no address that can be read; one is nats://host:4222";
  return /^\/?$/.test(url.pathname) && url.search === "" && url.hash === ""
    ? undefined
    : "has something after the port; an address of NATS is nats://host:4222";
}

const SCHEME = /^([a-z][a-z\d+.-]*):\/\//i;
const PORT = 4222;

/** Reads an address that has no fault. */
export function readNatsAddress(text: string): NatsAddress {
  const { hostname = "", port = "", protocol = "", username = "", password = "" } = urlOf(text) ?? {};
  const server = `${hostname}:${port === "" ? PORT : port}`;
  const isTls = protocol === "tls:";
  const [user, secret] = [decoded(username), decoded(password)];
  return {
    server,
    shown: `${isTls ? "tls" : "nats"}://${server}`,
    isTls,
    ...(user !== "" && (secret === "" ? { token: user } : { user, password: secret })),
  };
}

function urlOf(text: string): URL | undefined {
  const whole = SCHEME.test(text) ? text : `nats://${text}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

function decoded(text: string): string {
  return orElse(() => decodeURIComponent(text), text);
}

/** Whether a text is the seed of an NKey itself, and not a file with one. */
export function isNkeySeed(text: string): boolean {
  return /^S[A-Z2-7]{50,}$/.test(text);
}

/** Whether a text is a key itself, and not a file with one. */
export function isPem(text: string): boolean {
  return text.trimStart().startsWith("-----BEGIN ");
}
