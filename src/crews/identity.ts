import * as l10n from "@vscode/l10n";
import { hostOf, normaliseAddress, shortAddress } from "../api/address.ts";
import { givenCallbacks } from "../api/callbacks.ts";
import { messageOf } from "../base/errors.ts";
import type { Disposable, Event } from "../base/events.ts";
import { asArray, asObject, defined, textAt } from "../base/json.ts";
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

/** Of the setting `crewdeck.crews`. */
export function readEntries(raw: unknown) {
  const crews: Crew[] = [];
  const problems: string[] = [];
  if (!Array.isArray(raw ?? [])) problems.push(notAList());
  for (const [index, value] of asArray(raw).entries()) {
    const { crew, why = "" } = readEntry(value);
    if (crew === undefined || crews.some(({ id }) => id === crew.id))
      problems.push(
        l10n
          .t(
            "Entry {0} of the setting crewdeck.crews was ignored: it needs a name, and a url that no other crew has. {1}",
            index + 1,
            why,
          )
          .trim(),
      );
    else {
      const taken = crews.map(({ name }) => name);
      crews.push({ ...crew, name: uniqueName(crew.name, taken) });
    }
  }
  return { crews, problems };
}

export function notAList(): string {
  return l10n.t(
    "The setting crewdeck.crews must be a list of crews, each with a name and a url. It was ignored.",
  );
}

function readEntry(value: unknown): { readonly crew?: Crew; readonly why?: string } {
  const entry = asObject(value);
  const [name = "", url = "", dashboard = ""] = ["name", "url", "dashboardUrl"].map((member) =>
    textAt(entry, member)?.trim(),
  );
  if (name === "" || url === "") return {};
  const dashboardUrl = isWebAddress(dashboard) ? dashboard : undefined;
  try {
    const address = normaliseAddress(url);
    const crew = { id: idOfAddress(address), name, url: address };
    return { crew: { ...crew, ...defined({ dashboardUrl }) } };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

/** Replaces the crew with `id`, or appends it. Keeps malformed entries and unknown properties. */
export function withCrew(entries: readonly unknown[], id: string, crew: Crew): readonly unknown[] {
  const index = entries.findIndex((entry) => idOfEntry(entry) === id);
  const { name, url, dashboardUrl } = crew;
  const entry = defined({ ...asObject(entries[index]), name, url, dashboardUrl });
  return index === -1 ? [...entries, entry] : entries.with(index, entry);
}

export function withoutCrew(entries: readonly unknown[], id: string): readonly unknown[] {
  return entries.filter((entry) => idOfEntry(entry) !== id);
}

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["https:", "http:"].includes(new URL(text).protocol);
}

function idOfEntry(entry: unknown): string | undefined {
  return readEntry(entry).crew?.id;
}
