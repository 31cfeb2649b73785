import { describe, expect, test } from "vitest";
import { natsAddresses, natsAddressFault, readNatsAddress } from "./nats-address.js";

describe("an address of NATS", () => {
  test.each([
    ["nats://a.example:4333", "a.example:4333", "nats://a.example:4333"],
    ["NATS://a.example", "a.example:4222", "nats://a.example:4222"],
    ["localhost", "localhost:4222", "nats://localhost:4222"],
    ["127.0.0.1:4333/", "127.0.0.1:4333", "nats://127.0.0.1:4333"],
    ["nats://[::1]:4333", "[::1]:4333", "nats://[::1]:4333"],
    ["tls://a.example", "a.example:4222", "tls://a.example:4222"],
  ])("%s is that of the server %s", (text, server, shown) => {
    expect(natsAddressFault(text)).toBeUndefined();
    expect(readNatsAddress(text)).toEqual({ server, shown, isTls: text.startsWith("tls") });
  });

  test("says who we are, and shows nothing of that", () => {
    const place = { server: "a:4222", shown: "nats://a:4222", isTls: false };
    expect(readNatsAddress("nats://ada:p%40ss@a")).toEqual({ ...place, user: "ada", password: "p@ss" });
    expect(readNatsAddress("nats://s3cret@a")).toEqual({ ...place, token: "s3cret" });
    expect(readNatsAddress("nats://ada:%zz@a")).toMatchObject({ password: "%zz" });
  });

  test.each(["http://a", "ws://a", "wss://a", "nats://", "nats://a:port", "nats://a/b", "nats://a?b=c", "a b", ""])(
    "is not %j",
    (text) => {
      expect(natsAddressFault(text)).toBeDefined();
    },
  );

  test("may be one of several", () => {
    expect(natsAddresses("nats://a, nats://b,")).toEqual(["nats://a", "nats://b"]);
    expect(natsAddresses(["nats://a:b,c@d", " nats://e"])).toEqual(["nats://a:b,c@d", "nats://e"]);
  });
});
