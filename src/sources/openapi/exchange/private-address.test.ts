import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import {
  client,
  control,
  failureOf,
  get,
  httpServer,
  kindOf,
  text,
  tidyUpExchanges,
} from "./fixtures/exchange-servers.js";
import { addressRule, checkedLookup, isLoopbackHost, isPrivateAddress, type Resolve } from "./private-address.js";

tidyUpExchanges();

const OTHERS = addressRule({ allowPrivate: false, named: [] });

describe("an address", () => {
  test.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:ffff:a9fe:a9fe",
    "::ffff:0:10.0.0.1",
    "::10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "no address",
    "",
  ])("%s is private", (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2002:101:101::1",
  ])("%s is public", (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  test.each([
    ["localhost", true],
    ["api.localhost", true],
    ["127.0.0.1", true],
    ["[::1]", true],
    ["::1", true],
    ["localhost.example", false],
    ["127.0.0.1.example", false],
    ["10.0.0.1", false],
  ])("%s is this machine: %s", (host, isHere) => {
    expect(isLoopbackHost(host)).toBe(isHere);
  });
});

describe("a rule", () => {
  test("allows all where private addresses are allowed", () => {
    expect(addressRule({ allowPrivate: true, named: [] }).allows({ hostname: "a", port: 1 }, "10.0.0.1")).toBe(true);
  });

  test("allows a private address that the user wrote, at its port only", () => {
    const rule = addressRule({ allowPrivate: false, named: ["http://10.0.0.1", "https://[fd00::1]:8443"] });
    expect(rule.allows({ hostname: "10.0.0.1", port: 80 }, "10.0.0.1")).toBe(true);
    expect(rule.allows({ hostname: "fd00::1", port: 8443 }, "fd00::1")).toBe(true);
    expect(rule.allows({ hostname: "10.0.0.1", port: 81 }, "10.0.0.1")).toBe(false);
    expect(rule.allows({ hostname: "10.0.0.2", port: 80 }, "10.0.0.2")).toBe(false);
  });

  test("allows localhost that the user wrote, where it is this machine", () => {
    const rule = addressRule({ allowPrivate: false, named: ["http://localhost:3000"] });
    expect(rule.allows({ hostname: "localhost", port: 3000 }, "127.0.0.1")).toBe(true);
    expect(rule.allows({ hostname: "localhost", port: 3000 }, "::1")).toBe(true);
    expect(rule.allows({ hostname: "localhost", port: 3000 }, "10.0.0.1")).toBe(false);
    expect(rule.allows({ hostname: "localhost", port: 3001 }, "127.0.0.1")).toBe(false);
  });

  test("does not take a name for its address, even if the user wrote it", () => {
    const rule = addressRule({ allowPrivate: false, named: ["http://rebind.example"] });
    expect(rule.allows({ hostname: "rebind.example", port: 80 }, "127.0.0.1")).toBe(false);
    expect(rule.allows({ hostname: "rebind.example", port: 80 }, "1.1.1.1")).toBe(true);
  });

  test("allows what is trusted whatever its name leads to, at its port only", () => {
    const rule = addressRule({
      allowPrivate: false,
      named: [],
      trusted: ["http://intranet.example", "http://10.0.0.1"],
    });
    expect(rule.allows({ hostname: "intranet.example", port: 80 }, "10.0.0.2")).toBe(true);
    expect(rule.allows({ hostname: "10.0.0.1", port: 80 }, "10.0.0.1")).toBe(true);
    expect(rule.allows({ hostname: "intranet.example", port: 81 }, "10.0.0.2")).toBe(false);
    expect(rule.allows({ hostname: "other.example", port: 80 }, "10.0.0.2")).toBe(false);
  });
});

describe("a name that is looked up", () => {
  const MIXED: LookupAddress[] = [
    { address: "10.0.0.1", family: 4 },
    { address: "1.1.1.1", family: 4 },
    { address: "2606:4700::1", family: 6 },
  ];

  test("leads only to addresses that are allowed", async () => {
    expect(await found(MIXED, true)).toEqual(MIXED.slice(1));
    expect(await found(MIXED, false)).toBe("1.1.1.1");
  });

  test("leads nowhere where none is allowed", async () => {
    await expect(found(MIXED.slice(0, 1), true)).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
    await expect(found([], true)).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  });

  test("fails as the look-up does", async () => {
    await expect(found(new Error("no such name"), true)).rejects.toThrow("no such name");
  });

  function found(result: LookupAddress[] | Error, all: boolean): Promise<unknown> {
    const resolve: Resolve = (_hostname, options, callback) => {
      expect(options.all).toBe(true);
      if (result instanceof Error) callback(result, []);
      else callback(null, result);
    };
    const look = checkedLookup(OTHERS, { hostname: "api.example", port: 443 }, resolve);
    return new Promise((give, fail) => {
      look("api.example", { all }, (error, address) => (error === null ? give(address) : fail(error)));
    });
  }
});

describe("a client of an API from elsewhere", () => {
  test.each([
    "127.0.0.1",
    "localhost",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0",
    "LOCALHOST",
  ])("does not reach this machine as %s", async (host) => {
    const server = await httpServer((_arrived, response) => response.end());
    const error = await failureOf(client({ mayReach: OTHERS }).send(get(`http://${host}:${server.port}/`), control()));
    expect(error).toMatchObject({ category: "authorization", code: "ADDRESS_REFUSED", recoverable: false });
    expect(error.message).toContain("allowPrivate");
    expect(server.connections).toBe(0);
  });

  test("reaches what the user wrote", async () => {
    const server = await httpServer((_arrived, response) => response.end("ok"));
    const named = [server.url, `http://localhost:${server.port}`];
    const one = client({ mayReach: addressRule({ allowPrivate: false, named }) });
    for (const url of named) expect(text(await (await one.send(get(url), control())).bytes())).toBe("ok");
    expect(await kindOf(one.send(get("http://127.0.0.1:1/"), control()))).toBe("authorization ADDRESS_REFUSED");
  });
});
