import * as l10n from "@vscode/l10n";
import type { ExecutionSummary } from "../executions/model.ts";
import { activeOf } from "./active.ts";
import type { EventKind, ExecutionEvent } from "./events.ts";

/** Events of one kind at about the same time that are shown one by one; more of them are shown as a number. */
const most = 3;

/** An event to report, and its execution as it is now. */
export interface News {
  readonly execution: ExecutionSummary;
  readonly event: ExecutionEvent;
}

/** What one notification reports: one event, or how many there were. */
export type Report = { readonly one: News } | { readonly many: EventKind; readonly count: number };

/** What came at about the same time, as notifications. */
export function gathered(news: readonly News[]): readonly Report[] {
  const kinds = [...new Set(news.map(({ event }) => event.kind))];
  return kinds.flatMap((kind): Report[] => {
    const all = news.filter(({ event }) => event.kind === kind);
    return all.length > most ? [{ many: kind, count: all.length }] : all.map((one) => ({ one }));
  });
}

/** Says how many executions something happened to. */
export function countInWords(kind: EventKind, count: number): string {
  switch (kind) {
    case "waiting":
      return count === 1
        ? l10n.t("1 execution waits for you.")
        : l10n.t("{0} executions wait for you.", count);
    case "failed":
      return l10n.t("{0} executions failed, or were stopped before their end.", count);
    case "completed":
      return l10n.t("{0} executions are completed.", count);
  }
}

/** The execution that has waited for a person longest, of several the one that was started first; undefined where none waits. */
export function longestWaiting(
  executions: readonly ExecutionSummary[],
): ExecutionSummary | undefined {
  const since = ({ waiting, startedAt }: ExecutionSummary) =>
    `${waiting?.since ?? startedAt} ${startedAt}`;
  return activeOf(executions).waiting.toSorted((a, b) => (since(a) < since(b) ? -1 : 1))[0];
}
