import * as l10n from "@vscode/l10n";
import type { ExecutionSummary } from "../../executions/model.ts";
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

/** Whether a filter may hide anything. */
export function isSet({ text, states }: Filter): boolean {
  return text.trim() !== "" || states.length > 0;
}

/** Local ids of the executions of which an input's value contains a text, in whatever case. */
export type FindsInput = (text: string) => ReadonlySet<string>;

/** Makes the question whether an execution passes: its state is among the wanted, and title, crew, ids and input values contain every word, whatever its case. */
export function passes(
  { text, states }: Filter,
  withInput: FindsInput,
): (execution: ExecutionSummary) => boolean {
  const found = new Map<string, ReadonlySet<string>>();
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (execution) => {
    if (states.length > 0 && !states.includes(standingOf(execution))) return false;
    if (words.length === 0) return true;
    const { crew, localId, kickoffIds } = execution;
    const searchable = [titleOf(execution), crew.name, localId, ...kickoffIds]
      .join("\n")
      .toLowerCase();
    return words.every((word) => {
      if (searchable.includes(word)) return true;
      const localIds = found.get(word) ?? withInput(word);
      found.set(word, localIds);
      return localIds.has(localId);
    });
  };
}

/** A filter in words: `Failed, Stopped · “tea”`. */
export function filterInWords({ text, states }: Filter): string {
  const quoted = text.trim() === "" ? [] : [l10n.t("“{0}”", text.trim())];
  return [...(states.length === 0 ? [] : [states.map(standingInWords).join(", ")]), ...quoted].join(
    " · ",
  );
}
