import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { programOnThisMachine } from "../../../test/program.js";
import type { CallRequestedEvent } from "../../protocol/events.js";
import { type BusStage, busStage, completed, ear, requested } from "./fixtures/bus-stage.js";
import { type IdentityTrust, identityOfCaller, sharedSecret, signingKey, trustedKeys } from "./identity.js";

const ADA = { id: "ada", scopes: ["read"] };
const SECRET = "a secret for these tests";
const own = sharedSecret({ secret: SECRET });
const keys = generateKeyPairSync("ed25519");
const claim = (text: string, signature?: string) => ({ identity: ADA, caller: "ada", text, signature });

describe.each<[string, { sign(text: string): string }, IdentityTrust]>([
  ["A shared secret", own, own.trust],
  ["A signing key", signingKey({ privateKey: keys.privateKey, id: "k1" }), trustedKeys({ k1: keys.publicKey })],
])("%s", (_, signer, trust) => {
  test("vouches for the text that was signed", () => {
    expect(signer.sign("text")).toMatch(/^[\w.-]+$/);
    expect(trust(claim("text", signer.sign("text")))).toEqual(ADA);
  });

  test("does not vouch for another text, without a signature, or under another id", () => {
    const signature = signer.sign("text");
    const other = signature.replace(/^[^.]+/, "other");
    expect(trust(claim("text."[0] ?? "", signature))).toBeUndefined();
    for (const wrong of [undefined, "", ".", "x", other, `${signature}A`, signature.slice(0, -4), `${signature}.x`]) {
      expect(trust(claim("text", wrong))).toBeUndefined();
    }
  });
});

test("an earlier secret is believed while it is among the previous ones", () => {
  const next = sharedSecret({ secret: "the next secret of them", previous: [SECRET] });
  const last = sharedSecret({ secret: "the next secret of them" });
  expect(next.trust(claim("text", own.sign("text")))).toEqual(ADA);
  expect(last.trust(claim("text", own.sign("text")))).toBeUndefined();
  expect(own.trust(claim("text", next.sign("text")))).toBeUndefined();
});

test("keys may be PEM", () => {
  const privateKey = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
  const signature = signingKey({ privateKey, id: "k1" }).sign("text");
  expect(trustedKeys({ k1: publicKey })(claim("text", signature))).toEqual(ADA);
});

test("weak secrets, odd ids and keys of another kind are refused", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const mistakes = [
    () => sharedSecret({ secret: "short" }),
    () => sharedSecret({ secret: SECRET, previous: [""] }),
    () => sharedSecret({ secret: SECRET, id: "a.b" }),
    () => signingKey({ privateKey: rsa.privateKey, id: "k" }),
    () => signingKey({ privateKey: keys.publicKey, id: "k" }),
    () => signingKey({ privateKey: "no key", id: "k" }),
    () => trustedKeys({ k: keys.privateKey }),
    () => trustedKeys({ "k.1": keys.publicKey }),
  ];
  for (const mistake of mistakes) expect(mistake).toThrow(expect.objectContaining({ category: "validation" }));
});

describeWith("The identity of a request", programOnThisMachine("nats-server"), (program) => {
  let stage: BusStage;
  beforeAll(async () => {
    stage = await busStage(program);
  });
  afterAll(() => stage?.close());

  /** What a worker with this trust makes of a raw request. */
  async function received(trust: IdentityTrust | undefined, texts: readonly string[], address = "call.a.b.v1.ada") {
    const bus = await stage.bus(trust === undefined ? {} : { trust });
    const { hear } = ear(bus, "call.a.b.v1.*", "workers");
    await bus.flush();
    const connection = await stage.connect();
    for (const text of texts) connection.publish(`plico.${address}`, text);
    const events = (await hear(texts.length)) as readonly CallRequestedEvent[];
    await bus.close();
    return { identities: events.map(({ identity }) => identity?.id), events, untrusted: bus.counts.untrusted };
  }

  /** What a signing bus puts on the wire. */
  async function sent(event: CallRequestedEvent, sentAt?: number): Promise<string> {
    const text = JSON.stringify({ ...event, sentAt: sentAt ?? Date.now() });
    return `${text.slice(0, -1)},"signature":"${own.sign(text)}"}`;
  }

  const request = requested({ identity: ADA, input: { amount: 1 }, replyTo: "reply.ada.1" }) as CallRequestedEvent;

  test("is believed where it is signed, and arrives without the signature", async () => {
    const [worker, caller] = [await stage.bus({ trust: own.trust }), await stage.bus({ signer: own })];
    const { hear } = ear(worker, "call.a.b.v1.*", "workers");
    await worker.flush();
    caller.publish("call.a.b.v1.ada", request);
    expect(await hear(1)).toEqual([request]);
    await Promise.all([worker.close(), caller.close()]);
  });

  test("is dropped where nobody is trusted, whatever the request says", async () => {
    const { identities, untrusted } = await received(undefined, [await sent(request), JSON.stringify(request)]);
    expect([identities, untrusted]).toEqual([[undefined, undefined], 2]);
  });

  test("is dropped where the signature is missing, of another request, of another input or old", async () => {
    const good = await sent(request);
    const signature = /,"signature":"[^"]+"\}$/.exec(good)?.[0] ?? "";
    const texts = [
      JSON.stringify(request),
      `${JSON.stringify({ ...request, requestId: "2", sentAt: Date.now() }).slice(0, -1)}${signature}`,
      good.replace('"amount":1', '"amount":2'),
      good.replace('"ada"', '"eve"'),
      good.replace('"signature":"shared.', '"signature":"other.'),
      await sent(request, Date.now() - 62_000),
      await sent(request, Date.now() + 62_000),
      `{"signature":"x",${good.slice(1, -signature.length)}}`,
    ];
    const { identities, untrusted } = await received(own.trust, [...texts, good]);
    expect(identities).toEqual([...texts.map(() => undefined), "ada"]);
    expect(untrusted).toBe(texts.length);
  });

  test("is that of the caller's name in the subject, where those are vouched for", async () => {
    const trust = identityOfCaller((caller) => (caller === "ada" ? { id: "user ada", scopes: [] } : undefined));
    const identity = { id: "eve", scopes: ["admin"] };
    const [ada, bob] = ["ada", "bob"].map((name) =>
      JSON.stringify(requested({ identity, replyTo: `reply.${name}.1` })),
    );
    expect((await received(trust, [ada ?? ""])).identities).toEqual(["user ada"]);
    expect((await received(trust, [bob ?? ""], "call.a.b.v1.bob")).identities).toEqual([undefined]);
  });

  test("is dropped where the trust throws", async () => {
    const trust = () => {
      throw new Error("careless");
    };
    expect((await received(trust, [await sent(request)])).identities).toEqual([undefined]);
  });

  test("does not matter to a request that its caller has given up", async () => {
    const bus = await stage.bus();
    const { hear } = ear(bus, "old");
    await bus.flush();
    const connection = await stage.connect();
    const old = { ...requested({ heartbeat: 100 }), sentAt: Date.now() - 2000 };
    connection.publish("plico.old", JSON.stringify(old));
    connection.publish("plico.old", JSON.stringify(completed(1)));
    expect(await hear(1)).toEqual([completed(1)]);
    expect(bus.counts.stale).toBe(1);
  });

  test("goes with a deadline in the clock of the receiver", async () => {
    const ahead = 3_600_000;
    const deadline = Date.now() + ahead + 5000;
    const request = { ...requested({ deadline, replyTo: "reply.ada.1" }), sentAt: Date.now() + ahead };
    const { events } = await received(undefined, [JSON.stringify(request)]);
    expect((events[0]?.deadline ?? 0) - Date.now()).toBeGreaterThan(3000);
    expect((events[0]?.deadline ?? 0) - Date.now()).toBeLessThanOrEqual(5000);
  });
});
