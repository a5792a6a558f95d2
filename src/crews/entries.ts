import { normaliseAddress } from "../api/address.ts";
import { idOfAddress, uniqueName } from "./identity.ts";
import type { Crew } from "./types.ts";

/** What can be wrong with one entry of the setting `crewdeck.crews`. */
export type EntryProblem =
  | { readonly kind: "notAList" }
  | {
      readonly kind: "notAnObject" | "noName" | "noUrl" | "badDashboardUrl";
      readonly index: number;
    }
  | { readonly kind: "badUrl"; readonly index: number; readonly detail: string }
  | { readonly kind: "sameAddress"; readonly index: number; readonly name: string };

/** The crews that the setting names, and what was ignored. */
export interface ReadEntries {
  readonly crews: readonly Crew[];
  readonly problems: readonly EntryProblem[];
}

/** Reads the value of the setting `crewdeck.crews`. A malformed entry is ignored and reported; the others are read. */
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

/**
 * The setting's value with this crew in the place of the one with `id`, or at the end.
 * Entries that cannot be read, and properties that nobody knows, stay as they are.
 */
export function withCrew(entries: readonly unknown[], id: string, crew: Crew): readonly unknown[] {
  const index = entries.findIndex((entry) => idOfEntry(entry) === id);
  const entry = {
    ...keptProperties(entries[index]),
    name: crew.name,
    url: crew.url,
    ...optional("dashboardUrl", crew.dashboardUrl),
  };
  return index === -1 ? [...entries, entry] : entries.with(index, entry);
}

/** The setting's value without the crew with this id; everything else stays as it is. */
export function withoutCrew(entries: readonly unknown[], id: string): readonly unknown[] {
  return entries.filter((entry) => idOfEntry(entry) !== id);
}

/** Whether a text is an address that a browser can open. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["https:", "http:"].includes(new URL(text).protocol);
}

function readEntry(entry: unknown, index: number): { crew?: Crew; problem?: EntryProblem } {
  if (!isRecord(entry)) return { problem: { kind: "notAnObject", index } };
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
  if (!isRecord(entry)) return {};
  const kept = { ...entry };
  delete kept.dashboardUrl;
  return kept;
}

function optional(key: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [key]: value };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
