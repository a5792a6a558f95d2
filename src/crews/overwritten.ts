import { readEntries } from "./entries.ts";
import type { Crew } from "./types.ts";

/** A crew that this window has just added to the setting, and whose entries the setting then had. */
export interface AddedCrew {
  readonly crew: Crew;
  /** Ids of all crews of the setting after the writing. */
  readonly ids: readonly string[];
}

/** The setting's crews by their ids. */
export function idsOf(raw: unknown): readonly string[] {
  return readEntries(raw).crews.map(({ id }) => id);
}

/**
 * Whether another window has overwritten an added crew: it wrote its own crew into the list as it knew it, without ours. A person who
 * removes the crew brings no other one at the same time.
 * @param raw the setting as it is now
 */
export function isOverwritten({ crew, ids }: AddedCrew, raw: unknown): boolean {
  const now = idsOf(raw);
  return !now.includes(crew.id) && now.some((id) => !ids.includes(id));
}
