import { orElse } from "../../json/attempt.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import { splitCommandLine } from "./command-line.js";
import { isNkeySeed, isPem, natsAddresses, readNatsAddress } from "./nats-address.js";
import { isPlain, isTrivial, soundsSecret } from "./secret-words.js";

/** A text that must not be printed. */
export interface NamedSecret {
  /** What it is called where it stands: a variable, a header, a flag. */
  readonly name: string;
  readonly text: string;
  /** Whether it is the value of a variable. */
  readonly isVariable?: boolean;
}

/** The secrets of a configuration, told by the options that they stand in. */
export function secretsIn(config: unknown): readonly string[] {
  const { sources, servers } = recordOf(config);
  const tokens = recordOf(recordOf(recordOf(servers)["auth"])["tokens"]);
  const found = [
    ...Object.values(recordOf(sources)).flatMap((source) => sourceSecrets(recordOf(source))),
    ...Object.entries(tokens).flatMap(([name, entry]) => secret(name, recordOf(entry)["token"])),
    ...natsServerSecrets(recordOf(recordOf(servers)["nats"])),
  ];
  return [...new Set(found.map(({ text }) => text))];
}

export function sourceSecrets(source: JsonRecord): readonly NamedSecret[] {
  const { mcp, openapi, script, baseUrl, env, headers, token, credentials, nats } = source;
  return [
    ...[mcp, openapi, script, baseUrl].flatMap(targetSecrets),
    ...Object.entries(recordOf(env)).flatMap(([name, text]) =>
      isString(text) && isSecret(name, text) ? [{ name, text, isVariable: true }] : [],
    ),
    ...Object.entries(recordOf(headers)).flatMap(([name, text]) => headerSecrets(name, text)),
    ...secret("token", token),
    ...Object.entries(recordOf(credentials)).flatMap(([name, credential]) => credentialSecrets(name, credential)),
    ...(nats === undefined ? [] : natsSecrets(source, nats)),
  ].filter(({ text }) => !isTrivial(text));
}

/** Whether a variable, a header or a field of this name holds a secret. */
export function isSecret(name: string, text: string): boolean {
  return soundsSecret(name) ? !isTrivial(text) : !isPlain(text);
}

/** Of an address, a command, or a command line that should have been a list. */
function targetSecrets(target: unknown): readonly NamedSecret[] {
  const given = [target].flat().filter(isString);
  const [line = ""] = given;
  const words = given.length === 1 ? (splitCommandLine(line) ?? line.split(/\s+/)) : given;
  return words.flatMap((word, at) => wordSecrets(word, words[at - 1] ?? ""));
}

/** Of `--token abc`, `--api-key=abc`, `-e KEY=abc`, `--header "Authorization: abc"` and addresses in a command. */
function wordSecrets(word: string, before: string): readonly NamedSecret[] {
  const [, flag, value] = /^(?:--?)?(\w[\w-]*)=(.*)$/s.exec(word) ?? [];
  if (flag !== undefined && value !== undefined && soundsSecret(flag))
    return [{ name: flag, text: value, isVariable: /^-(e|-env)$/.test(before) }];
  if (/^(-H|--header)$/.test(before)) {
    const [, name = "", text = ""] = /^([\w-]+): *(.*)$/s.exec(word) ?? [];
    return headerSecrets(name, text);
  }
  const [, named] = /^--?([A-Za-z][\w-]*)$/.exec(before) ?? [];
  if (named !== undefined && soundsSecret(named) && !word.startsWith("-")) return secret(named, word);
  return addressSecrets(word);
}

/** What others say is nobody's business, however plain it looks. */
const HARMLESS_HEADER =
  /^(accept|accept-.+|cache-control|content-type|from|host|origin|referer|user-agent|x-requested-with|.*version)$/i;

/** The whole, and what follows the scheme: errors of servers may repeat either. */
function headerSecrets(name: string, text: unknown): readonly NamedSecret[] {
  if (!isString(text) || isTrivial(text) || (HARMLESS_HEADER.test(name) && !isSecret(name, text))) return [];
  const [, scheme = "", rest] = /^(\w+) +(\S.*)$/s.exec(text) ?? [];
  if (rest === undefined) return [{ name, text }];
  const called = name.toLowerCase() === "authorization" ? "token" : name;
  const parts = [
    { name: called, text: rest },
    { name, text },
  ];
  if (scheme.toLowerCase() !== "basic") return parts;
  const [, password = ""] = /:(.*)$/s.exec(Buffer.from(rest, "base64").toString("utf8")) ?? [];
  return [...parts, { name: "password", text: password }];
}

/** The password of an address, and what its query has under names that sound secret. */
function addressSecrets(text: string): readonly NamedSecret[] {
  if (!/^[a-z][a-z+.-]*:\/\//i.test(text) || !URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const fields = [...searchParams].filter(([name, value]) => isSecret(name, value));
  return [
    ...[password, orElse(() => decodeURIComponent(password), password)].map((one) => ({ name: "password", text: one })),
    ...fields.map(([name, value]) => ({ name, text: value })),
  ];
}

/** Of a user or a client only what proves that it is the one. */
function credentialSecrets(name: string, credential: unknown): readonly NamedSecret[] {
  const { password, clientSecret } = recordOf(credential);
  return [...secret(name, credential), ...secret("password", password), ...secret("client_secret", clientSecret)];
}

function natsServerSecrets(server: JsonRecord): readonly NamedSecret[] {
  const { secret: current, previous } = recordOf(server["trust"]);
  return [
    ...natsSecrets(server, server["url"]),
    ...secret("token", server["token"]),
    ...[current, previous].flat().flatMap((text) => secret("secret", text)),
  ];
}

/** What is a file may be shown. */
function natsSecrets({ password, nkey, sign, signingKey }: JsonRecord, address: unknown): readonly NamedSecret[] {
  const { privateKey } = recordOf(signingKey);
  const given = isString(address) ? address : [address].flat().filter(isString);
  const addresses = natsAddresses(given).map(readNatsAddress);
  return [
    ...addresses.flatMap((one) => [...secret("password", one.password), ...secret("token", one.token)]),
    ...secret("password", password),
    ...(isString(nkey) && isNkeySeed(nkey) ? secret("nkey", nkey) : []),
    ...secret("sign", sign),
    ...(isString(privateKey) && isPem(privateKey) ? secret("privateKey", privateKey) : []),
  ];
}

function secret(name: string, text: unknown): readonly NamedSecret[] {
  return isString(text) && !isTrivial(text) ? [{ name, text }] : [];
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
