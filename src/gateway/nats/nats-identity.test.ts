import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { IdentitySigner } from "../../brokers/nats/identity.js";
import type { NatsTrustConfig } from "../config/nats-config.js";
import { signerOf, trustOf } from "./nats-identity.js";

const folder = mkdtempSync(join(tmpdir(), "plico-nats-identity-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pair = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
writeFileSync(join(folder, "key.pem"), pair.privateKey);
writeFileSync(join(folder, "key.pub.pem"), pair.publicKey);

const [NEW, OLD] = ["secret-0123456789", "before-0123456789"];
const EVE = { id: "eve", scopes: ["staff"] };

function believed(signer: IdentitySigner | undefined, trust: NatsTrustConfig, caller = "ada"): string | undefined {
  const text = "a request";
  return trustOf(trust, folder)?.({ identity: EVE, caller, text, signature: signer?.sign(text) })?.id;
}

describe("what a configuration says of identities", () => {
  test.each<[string, Parameters<typeof signerOf>[0], NatsTrustConfig]>([
    ["the same secret", { sign: NEW }, { secret: NEW }],
    ["a secret that was used before", { sign: OLD }, { secret: NEW, previous: [OLD] }],
    ["a key in a file", { signingKey: { id: "k", privateKey: "key.pem" } }, { keys: { k: "./key.pub.pem" } }],
    ["a key", { signingKey: { id: "k", privateKey: pair.privateKey } }, { secret: NEW, keys: { k: pair.publicKey } }],
  ])("makes workers believe those with %s", (_, config, trust) => {
    expect(believed(signerOf(config, folder), trust)).toBe("eve");
  });

  test("makes them believe nobody else", () => {
    expect(believed(signerOf({ sign: OLD }, folder), { secret: NEW })).toBeUndefined();
    expect(believed(signerOf({}, folder), { secret: NEW, keys: { k: pair.publicKey } })).toBeUndefined();
    expect(trustOf({}, folder)).toBeUndefined();
  });

  test("may take the name in the subject for who it is, whatever the request says", () => {
    const trust = { callers: { ada: { scopes: ["math"] } } };
    expect(believed(undefined, trust)).toBe("ada");
    expect(believed(undefined, trust, "constructor")).toBeUndefined();
  });

  test.each([
    () => signerOf({ signingKey: { id: "k", privateKey: "gone.pem" } }, folder),
    () => signerOf({ signingKey: { id: "k", privateKey: "key.pub.pem" } }, folder),
    () => trustOf({ keys: { k: "gone.pem" } }, folder),
  ])("is refused where a key is not there or none: %s", (make) => {
    expect(make).toThrow(expect.objectContaining({ name: "CallError", category: "validation" }));
  });
});
