import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { addressRefused } from "./exchange-errors.js";
import { targetOf } from "./raw-url.js";

/** Which addresses may be connected to. */
export interface AddressRule {
  allows(place: Place, address: string): boolean;
}

export interface Place {
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
}

export interface AddressRuleOptions {
  readonly allowPrivate: boolean;
  /** Origins that the user wrote: a private address or `localhost` may be reached there, at that port only. */
  readonly named: readonly string[];
  /** Origins that the user wants to be called, whatever their names lead to. */
  readonly trusted?: readonly string[];
}

export function addressRule({ allowPrivate, named, trusted = [] }: AddressRuleOptions): AddressRule {
  const namedPlaces = placesOf(named);
  const trustedPlaces = placesOf(trusted);
  return {
    allows: (place, address) =>
      allowPrivate ||
      trustedPlaces.has(nameOf(place)) ||
      (namedPlaces.has(nameOf(place)) && isMeant(place.hostname, address)) ||
      !isPrivateAddress(address),
  };
}

function placesOf(origins: readonly string[]): ReadonlySet<string> {
  return new Set(origins.map((origin) => nameOf(targetOf(origin))));
}

function nameOf({ hostname, port }: Place): string {
  return `${hostname} ${port}`;
}

/** Another name may lead anywhere, and elsewhere tomorrow: that the user wrote it says nothing of its address. */
function isMeant(hostname: string, address: string): boolean {
  return isIP(hostname) !== 0 || (isLoopbackHost(hostname) && isLoopbackHost(address));
}

/** Whether a host is this machine itself, as a URL writes it or as one connects to it. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "::1" || /^127\.\d+\.\d+\.\d+$/.test(bare) || /^(.+\.)?localhost$/.test(bare);
}

/** Whether an address is no public one. What is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  return family === 0 || PRIVATE.check(bare, family === 4 ? "ipv4" : "ipv6");
}

/** This network, private, shared, loopback, link-local, protocol assignments, benchmarks, multicast, reserved. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Translation within a site, discard, Teredo, unique local, link-local, site-local, multicast. */
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const PRIVATE = privateAddresses();

/** An IPv4 address also hides in IPv6 ones: compatible (with `::` and `::1`), mapped, translated, NAT64 and 6to4. */
function privateAddresses(): BlockList {
  const list = new BlockList();
  for (const [net, bits] of PRIVATE_V6) list.addSubnet(net, bits, "ipv6");
  for (const [net, bits] of PRIVATE_V4) {
    list.addSubnet(net, bits, "ipv4");
    for (const prefix of ["::", "::ffff:", "::ffff:0:", "64:ff9b::"])
      list.addSubnet(`${prefix}${net}`, 96 + bits, "ipv6");
    const [a, b, c, d] = net.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
    list.addSubnet(`2002:${a}${b}:${c}${d}::`, 16 + bits, "ipv6");
  }
  return list;
}

/** Looks a name up and leaves only what the rule allows, so that what was checked is what is connected to. */
export function checkedLookup(rule: AddressRule, place: Place, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true } as LookupAllOptions, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = found.filter(({ address }) => rule.allows(place, address));
      const [first] = allowed;
      if (first === undefined) return callback(addressRefused(place.hostname, found[0]?.address ?? ""), []);
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** As `lookup` of `node:dns`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;
