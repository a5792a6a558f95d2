import * as l10n from "@vscode/l10n";
import { oneLine, shortName } from "../base/text.ts";
import { resumesOf } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { askLabel } from "../view/words.ts";
import {
  hasEnded,
  type ExecutionSummary,
  isLocalCrew,
  waitsForPerson,
} from "../executions/model.ts";

/** Each has a setting, `crewdeck.notifications.<kind>`. */
export type EventKind = "waiting" | "failed" | "completed";

/** Older ends are not reported (ms). */
const newsTime = 10 * 60_000;
/** An execution that ends sooner had ended before it was tracked (ms). */
const firstResponse = 10_000;
const maxReason = 160;

/** The key is the same in every window and session. */
interface ExecutionEvent {
  readonly kind: EventKind;
  readonly key: string;
  readonly message: string;
  /** It happened while no window was open. */
  readonly isUnseen?: true;
}

/** `now`, and when the window was opened, in milliseconds since 1970. */
export function eventOf(
  execution: ExecutionSummary,
  now: number,
  openedAt = -Infinity,
): ExecutionEvent | undefined {
  const { localId, crew, state, waiting, kickoffIds, resumes } = execution;
  const title = titleOf(execution);
  if (state === "waiting" && waiting !== undefined) {
    const { taskId, attempt } = waiting;
    if (resumesOf(execution, waiting).length > 0) return undefined;
    const parts = [title, crew.name, shortName(taskId)] as const;
    const again =
      attempt > 1
        ? l10n.t("“{0}” of “{1}” waits for you at task “{2}”, attempt {3}.", ...parts, attempt)
        : l10n.t("“{0}” of “{1}” waits for you at task “{2}”.", ...parts);
    const asks = askLabel(waiting);
    const message =
      asks === undefined ? again : l10n.t("“{0}” of “{1}” asks you at “{2}”: {3}.", ...parts, asks);
    return { kind: "waiting", key: `waiting-${localId}-${taskId}-${attempt}`, message };
  }
  if (waitsForPerson(execution)) {
    const message = l10n.t(
      "“{0}” of “{1}” may be waiting for you: the crew no longer shows it.",
      title,
      crew.name,
    );
    const key = `maybe-${localId}-${kickoffIds.at(-1) ?? ""}-${resumes.length}`;
    return { kind: "waiting", key, message };
  }
  if (!hasEnded(execution) || !isNews(execution, now)) return undefined;
  return {
    kind: state === "completed" ? "completed" : "failed",
    // A resume may bring a new ID, under which the execution ends again.
    key: `ended-${localId}-${kickoffIds.length}`,
    message: endMessage(execution, title),
    ...(endedUnseen(execution, openedAt) && { isUnseen: true }),
  };
}

/** When its end was learned, in milliseconds since 1970. */
function learnedAt({ history, endedAt = "" }: ExecutionSummary): number {
  return Date.parse(history?.at(-1)?.at ?? endedAt);
}

/** Of a local crew, whose service goes on without a window. */
function endedUnseen(execution: ExecutionSummary, openedAt: number): boolean {
  const { crew, endedAt = "" } = execution;
  return isLocalCrew(crew) && Date.parse(endedAt) < openedAt && learnedAt(execution) >= openedAt;
}

/** A person stopped or discarded it: on this machine, nobody else does. */
export function isPersons({ crew, state, stop }: ExecutionSummary): boolean {
  return state === "stopped" && (isLocalCrew(crew) || stop !== undefined);
}

/** False if it ended before it was tracked, or its end was learned long ago. */
function isNews(execution: ExecutionSummary, now: number): boolean {
  const { origin, startedAt, endedAt } = execution;
  if (endedAt === undefined || now - learnedAt(execution) > newsTime) return false;
  return origin === "kickoff" || Date.parse(endedAt) - Date.parse(startedAt) > firstResponse;
}

function endMessage({ crew, state, error }: ExecutionSummary, title: string): string {
  if (state === "completed") return l10n.t("“{0}” of “{1}” is completed.", title, crew.name);
  if (state === "stopped")
    return l10n.t("“{0}” of “{1}” was stopped before its end.", title, crew.name);
  const reason = oneLine(error ?? "", maxReason);
  return reason === ""
    ? l10n.t("“{0}” of “{1}” failed.", title, crew.name)
    : l10n.t("“{0}” of “{1}” failed: {2}", title, crew.name, reason);
}

export interface News {
  readonly execution: ExecutionSummary;
  readonly event: ExecutionEvent;
}

/** More events of one kind share a notification. What happened while no window was open always does. */
const maxSingle = 3;

type Report = { readonly one: News } | { readonly many: EventKind; readonly count: number };

export function reportsOf(news: readonly News[]): readonly Report[] {
  return [...new Set(news.map(({ event }) => event.kind))].flatMap((many): readonly Report[] => {
    const all = news.filter(({ event }) => event.kind === many);
    const most = all.some(({ event }) => event.isUnseen) ? 1 : maxSingle;
    return all.length > most ? [{ many, count: all.length }] : all.map((one) => ({ one }));
  });
}

export function countMessage(kind: EventKind, count: number): string {
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
