import * as l10n from "@vscode/l10n";
import { normaliseAddress } from "../api/address.ts";
import { messageOf } from "../base/errors.ts";
import { asArray, asObject, defined, textAt } from "../base/json.ts";
import { idOfAddress, uniqueName } from "./identity.ts";
import type { Crew } from "./types.ts";

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

export interface AddedCrew {
  readonly crew: Crew;
  /** All ids in the setting after it was added. */
  readonly ids: readonly string[];
}

/** Whether it was overwritten: it is gone and there is a new one. @param now all ids in the setting */
export function isOverwritten({ crew, ids }: AddedCrew, now: readonly string[]): boolean {
  return !now.includes(crew.id) && now.some((id) => !ids.includes(id));
}
