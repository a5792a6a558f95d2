import { normaliseAddress } from "../api/address.ts";
import { asObject, defined, isObject } from "../base/json.ts";
import { idOfAddress, uniqueName } from "./identity.ts";
import type { Crew } from "./types.ts";

/** A problem with the setting `crewdeck.crews`. */
export type EntryProblem =
  | { readonly kind: "notAList" }
  | {
      readonly kind: "notAnObject" | "noName" | "noUrl" | "badDashboardUrl";
      readonly index: number;
    }
  | { readonly kind: "badUrl"; readonly index: number; readonly detail: string }
  | { readonly kind: "sameAddress"; readonly index: number; readonly name: string };

export interface ReadEntries {
  readonly crews: readonly Crew[];
  readonly problems: readonly EntryProblem[];
}

/** Reads the setting `crewdeck.crews`. Malformed entries are ignored and reported. */
export function readEntries(raw: unknown): ReadEntries {
  if (raw === undefined || raw === null) return { crews: [], problems: [] };
  if (!Array.isArray(raw)) return { crews: [], problems: [{ kind: "notAList" }] };
  const crews: Crew[] = [];
  const problems: EntryProblem[] = [];
  for (const [index, entry] of raw.entries()) {
    const { crew, problem } = readEntry(entry, index);
    if (problem !== undefined) problems.push(problem);
    if (crew === undefined) continue;
    const twin = crews.find((other) => other.id === crew.id);
    if (twin !== undefined) problems.push({ kind: "sameAddress", index, name: twin.name });
    else
      crews.push({
        ...crew,
        name: uniqueName(
          crew.name,
          crews.map((other) => other.name),
        ),
      });
  }
  return { crews, problems };
}

/** The setting with this crew in place of the one with `id`, or at the end. Malformed entries and unknown properties are kept. */
export function withCrew(entries: readonly unknown[], id: string, crew: Crew): readonly unknown[] {
  const index = entries.findIndex((entry) => idOfEntry(entry) === id);
  const entry = {
    ...keptProperties(entries[index]),
    name: crew.name,
    url: crew.url,
    ...defined({ dashboardUrl: crew.dashboardUrl }),
  };
  return index === -1 ? [...entries, entry] : entries.with(index, entry);
}

export function withoutCrew(entries: readonly unknown[], id: string): readonly unknown[] {
  return entries.filter((entry) => idOfEntry(entry) !== id);
}

/** Whether a browser can open an address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["https:", "http:"].includes(new URL(text).protocol);
}

function readEntry(entry: unknown, index: number): { crew?: Crew; problem?: EntryProblem } {
  if (!isObject(entry)) return { problem: { kind: "notAnObject", index } };
  const { name, url, dashboardUrl } = entry;
  if (typeof url !== "string" || url.trim() === "") return { problem: { kind: "noUrl", index } };
  if (typeof name !== "string" || name.trim() === "") return { problem: { kind: "noName", index } };
  let address: string;
  try {
    address = normaliseAddress(url);
  } catch (error) {
    return {
      problem: {
        kind: "badUrl",
        index,
        detail: error instanceof Error ? error.message : String(error),
      },
    };
  }
  const crew = { id: idOfAddress(address), name: name.trim(), url: address };
  if (dashboardUrl === undefined || dashboardUrl === "") return { crew };
  if (typeof dashboardUrl === "string" && isWebAddress(dashboardUrl))
    return { crew: { ...crew, dashboardUrl } };
  return { crew, problem: { kind: "badDashboardUrl", index } };
}

function idOfEntry(entry: unknown): string | undefined {
  return readEntry(entry, 0).crew?.id;
}

function keptProperties(entry: unknown): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...asObject(entry) };
  delete kept["dashboardUrl"];
  return kept;
}

export interface AddedCrew {
  readonly crew: Crew;
  /** All ids in the setting after it was added. */
  readonly ids: readonly string[];
}

export function idsOf(raw: unknown): readonly string[] {
  return readEntries(raw).crews.map(({ id }) => id);
}

/**
 * Whether another window overwrote an added crew when it added its own: a person who removes a crew doesn't add one at the same time.
 * @param raw the setting's current value
 */
export function isOverwritten({ crew, ids }: AddedCrew, raw: unknown): boolean {
  const now = idsOf(raw);
  return !now.includes(crew.id) && now.some((id) => !ids.includes(id));
}
