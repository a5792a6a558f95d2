import * as l10n from "@vscode/l10n";
import { hostOf, normaliseAddress, shortAddress } from "../api/address.ts";
import { givenCallbacks } from "../api/callbacks.ts";
import type { Disposable, Event } from "../base/events.ts";
import { type Execution, isLocalCrew } from "../executions/model.ts";
import type { Crew } from "./types.ts";

export function idOfAddress(address: string): string {
  return `url:${address}`;
}

export function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

/** By id, name or address; an exact name wins. The id of a local folder means the first of its crews. */
export function findCrew(crews: readonly Crew[], nameOrUrlOrId: string): Crew | undefined {
  return (
    // Before names: a link can suggest another crew's address as a name.
    crews.find(({ id, url }) => id === nameOrUrlOrId || url === nameOrUrlOrId) ??
    crews.find((crew) => crew.name === nameOrUrlOrId) ??
    crews.find((crew) => isSameName(crew.name, nameOrUrlOrId)) ??
    crews.find((crew) => crew.url === addressOf(nameOrUrlOrId)) ??
    crews.find((crew) => crew.id.startsWith(`${nameOrUrlOrId}#`))
  );
}

export function uniqueName(wanted: string, taken: readonly string[]): string {
  const used = new Set(taken.map(fold));
  if (!used.has(fold(wanted))) return wanted;
  let number = 2;
  while (used.has(fold(`${wanted} ${number}`))) number += 1;
  return `${wanted} ${number}`;
}

/** "https://my-crew.crewai.com" and "https://crews.example.com/my_crew" give "My crew". */
export function suggestName(address: string): string {
  const { hostname, host, pathname } = new URL(address);
  const path = pathname.split("/").findLast((part) => /^[a-z][\w-]*$/i.test(part));
  const isOfServer = path !== undefined && !/^(api|v\d+)$/i.test(path);
  if (
    !isOfServer &&
    (!/[a-z]/i.test(hostname) || hostname.startsWith("[") || !hostname.includes("."))
  )
    return host;
  const words = (isOfServer ? path : (hostname.split(".")[0] ?? host))
    // After the name: a hash, sometimes with part of a UUID (observed in public code).
    .replace(/(?<!-)-+(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{0,40}-)?[0-9a-f]{8}$/i, "")
    .replace(/[-_]+/g, " ")
    .trim();
  return words === "" ? host : words.charAt(0).toUpperCase() + words.slice(1);
}

function addressOf(text: string): string | undefined {
  try {
    return normaliseAddress(text);
  } catch {
    return undefined;
  }
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}

/** Reports crews that become reachable: connected, started or moved. */
export function watchArrivals(
  crews: { list(): readonly Crew[]; readonly onDidChange: Event<void> },
  onArrival: (crewId: string) => void,
): Disposable {
  const addresses = () => {
    const reachable = crews.list().filter(({ local }) => local?.running !== false);
    return new Map(reachable.map(({ id, url }) => [id, url]));
  };
  let before = addresses();
  return crews.onDidChange(() => {
    const now = addresses();
    const arrived = [...now].filter(([id, url]) => before.get(id) !== url);
    before = now;
    for (const [id] of arrived) onArrival(id);
  });
}

export function crewAndPlace({ crew }: Pick<Execution, "crew">): string {
  return isLocalCrew(crew)
    ? l10n.t("“{0}” (local, on this machine)", crew.name)
    : `“${crew.name}” (${shortAddress(crew.url)})`;
}

/** Crews don't keep callbacks for a resume (specification). Hosts only: a path can be a secret. */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const labels = {
    taskWebhookUrl: l10n.t("task"),
    stepWebhookUrl: l10n.t("step"),
    crewWebhookUrl: l10n.t("crew"),
    humanInputWebhookUrl: l10n.t("human input"),
    webhooks: l10n.t("events"),
  };
  const given = givenCallbacks(request?.callbacks ?? {});
  return given.map(({ name, address }) => `${labels[name]} → ${hostOf(address)}`);
}
