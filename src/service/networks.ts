import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";
import { ApiError, messageOf } from "./errors.ts";
import type { Callbacks } from "./model.ts";

/** Of this machine, private, link-local, shared, multicast and reserved; and IPv6 that contains an address of IPv4 (IANA's registries). */
const notPublic =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 " +
  "224.0.0.0/3 ::/96 0:0:0:0:ffff::/96 64:ff9b::/32 100::/8 2001::/23 2002::/16 4000::/2 8000::/1";

export function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  return (
    isIP(address) > 0 &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) <= (isIPv6(address) ? 128 : 32) &&
    rest.length === 0
  );
}

/** Where a server sends callbacks: to public addresses, and to those of the networks that it allows. A name counts as what it leads to when it is connected to. */
export class CallbackNetworks {
  readonly #refused = listOf(notPublic.split(" "));
  readonly #allowed: BlockList;

  constructor(allowed: readonly string[]) {
    this.#allowed = listOf(allowed);
  }

  /** @throws {ApiError} for an address that is refused; a name may lead elsewhere later */
  check(callbacks: Callbacks): void {
    for (const { url } of receiversOf(callbacks)) {
      const host = hostOf(new URL(url));
      if (this.#isRefused(host))
        throw new ApiError(422, `Callbacks can't be sent to ${host}: ${reason}`);
    }
  }

  /** For a request to a URL. Without an agent, no proxy of the environment is used. @throws {Error} for an address that is refused */
  optionsFor(url: URL) {
    const host = hostOf(url);
    if (this.#isRefused(host)) throw new Error(`The receiver is at ${host}: ${reason}`);
    const find: LookupFunction = (name, _options, found) => {
      this.resolve(name).then(
        (addresses) => found(null, addresses),
        (error: unknown) => found(new Error(messageOf(error)), []),
      );
    };
    return { agent: false, autoSelectFamily: true, lookup: find } as const;
  }

  async resolve(name: string) {
    const all = await lookup(name, { all: true });
    const allowed = all.filter(({ address }) => !this.#isRefused(address));
    if (allowed.length > 0) return allowed;
    throw new Error(
      `The receiver is at ${all.map(({ address }) => address).join(", ")}: ${reason}`,
    );
  }

  #isRefused(host: string): boolean {
    return has(this.#refused, host) && !has(this.#allowed, host);
  }
}

const reason = "that is no public address, and in none of the server's callbackNetworks.";

export function receiversOf({ task, step, crew, humanInput, stream }: Callbacks) {
  return [task, step, crew, humanInput, stream].filter((target) => target !== undefined);
}

export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}

function has(list: BlockList, host: string): boolean {
  return isIP(host) > 0 && list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}
