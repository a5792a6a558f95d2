import { normaliseAddress } from "../api/address.ts";
import type { Crew } from "./types.ts";

/** The id of a crew at an address. The address must be normalised already. */
export function idOfAddress(address: string): string {
  return `url:${address}`;
}

/** Whether a token made for one address may be sent to the other: same scheme, host and port. */
export function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** Whether two names are one to a person: case and surrounding spaces do not count. */
export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

/** The crew with this id, name or address; a name in other case only where no crew has it exactly. */
export function findCrew(crews: readonly Crew[], nameOrUrlOrId: string): Crew | undefined {
  return (
    crews.find((crew) => crew.id === nameOrUrlOrId) ??
    crews.find((crew) => crew.name === nameOrUrlOrId) ??
    crews.find((crew) => isSameName(crew.name, nameOrUrlOrId)) ??
    crews.find((crew) => crew.url === addressOf(nameOrUrlOrId))
  );
}

/** The name itself, or with a number behind it when it is taken already: "Travel", "Travel 2". */
export function uniqueName(wanted: string, taken: readonly string[]): string {
  const used = new Set(taken.map(fold));
  if (!used.has(fold(wanted))) return wanted;
  let number = 2;
  while (used.has(fold(`${wanted} ${number}`))) number += 1;
  return `${wanted} ${number}`;
}

/**
 * A name to begin with, from the address: "https://my-travel-crew.crewai.com" gives "My travel crew".
 * A host without a telling first label (an IP address, "localhost") gives the host and port as they are.
 */
export function suggestName(address: string): string {
  const { hostname, host } = new URL(address);
  if (!/[a-z]/i.test(hostname) || hostname.startsWith("[") || !hostname.includes(".")) return host;
  const words = (hostname.split(".")[0] ?? host)
    // Deployed crews carry a hash behind the name, and a cut UUID before it or not (observed in public code); it tells a person nothing.
    .replace(/-+(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]*-)?[0-9a-f]{8}$/i, "")
    .replace(/[-_]+/g, " ")
    .trim();
  return words === "" ? host : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The address a text names, or nothing where it names none. */
function addressOf(text: string): string | undefined {
  try {
    return normaliseAddress(text);
  } catch {
    // A name is looked up, too, and most names are no address.
    return undefined;
  }
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}
