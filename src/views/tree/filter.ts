import * as l10n from "@vscode/l10n";
import type { Execution } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { standingInWords, standingOf, type Standing } from "./standing.ts";

/** Which executions a person wants to see. */
export interface Filter {
  /** Words that must all be found; empty for any. */
  readonly text: string;
  /** Empty for all. */
  readonly states: readonly Standing[];
}

/** Everything is seen. */
export const noFilter: Filter = { text: "", states: [] };

/** Characters of one input's value that are looked through. */
const searched = 10_000;

/** Whether a filter may hide anything. */
export function isSet({ text, states }: Filter): boolean {
  return text.trim() !== "" || states.length > 0;
}

/** Makes the question whether an execution passes: its state is among the wanted, and title, crew, ids and input values hold every word, whatever its case. */
export function passes({ text, states }: Filter): (execution: Execution) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (execution) => {
    if (states.length > 0 && !states.includes(standingOf(execution))) return false;
    if (words.length === 0) return true;
    // A title may become another one because of other executions.
    const searchable = `${titleOf(execution).toLowerCase()}\n${searchableOf(execution)}`;
    return words.every((word) => searchable.includes(word));
  };
}

/** A filter in words: `Failed, Stopped · “tea”`. */
export function filterInWords({ text, states }: Filter): string {
  const quoted = text.trim() === "" ? [] : [l10n.t("“{0}”", text.trim())];
  return [...(states.length === 0 ? [] : [states.map(standingInWords).join(", ")]), ...quoted].join(
    " · ",
  );
}

/** An execution is never changed, only replaced, so that what can be found in it is put together once. */
const known = new WeakMap<Execution, string>();

function searchableOf(execution: Execution): string {
  const found = known.get(execution);
  if (found !== undefined) return found;
  const values = Object.values(execution.request?.inputs ?? {}).map((value) =>
    (typeof value === "string" ? value : JSON.stringify(value)).slice(0, searched),
  );
  const made = [execution.crew.name, execution.localId, ...execution.kickoffIds, ...values]
    .join("\n")
    .toLowerCase();
  known.set(execution, made);
  return made;
}
