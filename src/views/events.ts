import * as l10n from "@vscode/l10n";
import { oneLine, shortName } from "../base/text.ts";
import {
  type ExecutionSummary,
  hasEnded,
  isLocalCrew,
  waitsForPerson,
} from "../executions/model.ts";
import { resumesOf } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { actionsOf, answersTo, commandOn } from "../view/actions.ts";
import { failedAtModel, present, stateName } from "../view/words.ts";

/** Each has a setting, `crewdeck.notifications.<kind>`. */
export type EventKind = "waiting" | "failed" | "completed";
/** Older ends are not reported (ms). */
const newsTime = 10 * 60_000;
/** An execution that ends sooner had ended before it was tracked (ms). */
const firstResponse = 10_000;
/** More events of one kind share a notification. What happened while no window was open always does. */
const maxSingle = 3;

export type Event = NonNullable<ReturnType<typeof eventOf>>;
export interface News {
  readonly execution: ExecutionSummary;
  readonly event: Event;
}

/** `now`, and when the window was opened, in ms since 1970. The key is the same in every window and session. */
export function eventOf(
  execution: ExecutionSummary,
  now: number,
  openedAt = -Infinity,
): { kind: EventKind; key: string; message: string; isUnseen: boolean } | undefined {
  const { localId, crew, state, waiting, kickoffIds, resumes } = execution;
  const names = [titleOf(execution), crew.name] as const;
  if (state === "waiting" && waiting !== undefined) {
    const { taskId, attempt } = waiting;
    if (resumesOf(execution, waiting).length > 0) return undefined;
    const at = [...names, shortName(taskId)] as const;
    const message =
      waiting.call === undefined
        ? l10n.t("“{0}” of “{1}” waits for you at task “{2}”.", ...at)
        : l10n.t("“{0}” of “{1}” asks you before it goes on: {2}.", ...at);
    const key = `waiting-${localId}-${taskId}-${attempt}`;
    return { kind: "waiting", key, message, isUnseen: false };
  }
  if (waitsForPerson(execution)) {
    const key = `maybe-${localId}-${kickoffIds.at(-1) ?? ""}-${resumes.length}`;
    const may = l10n.t(
      "“{0}” of “{1}” may be waiting for you: the crew no longer shows it.",
      ...names,
    );
    return { kind: "waiting", key, message: may, isUnseen: false };
  }
  if (!hasEnded(execution) || !isNews(execution, now)) return undefined;
  const reason = oneLine(execution.error ?? "", 160);
  const end = present(stateName(state), reason !== "" && reason).join(" – ");
  return {
    kind: state === "completed" ? "completed" : "failed",
    // A resume may bring a new ID, under which the execution ends again.
    key: `ended-${localId}-${kickoffIds.length}`,
    message: l10n.t("“{0}” of “{1}”: {2}", ...names, end),
    isUnseen: endedUnseen(execution, openedAt),
  };
}

/** When its end was learned, in milliseconds since 1970. */
function learnedAt({ history, endedAt = "" }: ExecutionSummary): number {
  return Date.parse(history?.at(-1)?.at ?? endedAt);
}

/** While no window was open: of a local crew, whose service goes on then. */
function endedUnseen(execution: ExecutionSummary, openedAt: number): boolean {
  const { crew, endedAt = "" } = execution;
  return isLocalCrew(crew) && Date.parse(endedAt) < openedAt && learnedAt(execution) >= openedAt;
}

/** A person stopped or discarded it: on this machine, nobody else does. */
export function isPersons({ crew, state, stop }: ExecutionSummary): boolean {
  return state === "stopped" && (isLocalCrew(crew) || stop !== undefined);
}

function isNews(execution: ExecutionSummary, now: number): boolean {
  const { origin, startedAt, endedAt } = execution;
  if (endedAt === undefined || now - learnedAt(execution) > newsTime) return false;
  return origin === "kickoff" || Date.parse(endedAt) - Date.parse(startedAt) > firstResponse;
}

/** What a notification holds: one event, or several of a kind. */
export function reportsOf(news: readonly News[]): readonly (readonly [News, ...News[]])[] {
  return [...Map.groupBy(news, ({ event }) => event.kind).values()].flatMap((all) => {
    const [first, ...others] = all;
    if (first === undefined) return [];
    const single = all.some(({ event }) => event.isUnseen) ? 1 : maxSingle;
    return all.length > single ? [[first, ...others]] : all.map((one): [News] => [one]);
  });
}

export function countMessage(kind: EventKind, count: number): string {
  return {
    waiting: l10n.t("Executions that wait for you: {0}", count),
    failed: l10n.t("Executions that failed or were stopped: {0}", count),
    completed: l10n.t("Completed executions: {0}", count),
  }[kind];
}

export function buttonsOn(execution: ExecutionSummary, kind: EventKind) {
  const { waiting } = execution;
  const seen = waiting && { taskId: waiting.taskId, attempt: waiting.attempt };
  const button = (verb: string, title: string) => commandOn(execution, verb, title, seen);
  const open = button("openExecution", l10n.t("Open"));
  if (kind === "failed") {
    const again = actionsOf(execution).find(({ verb }) => verb === "runAgain");
    const model = failedAtModel(execution) && button("chooseModel", l10n.t("Choose Model…"));
    return present(open, model, again && button("runAgain", again.label));
  }
  const answers = kind === "waiting" && waiting !== undefined ? answersTo(execution) : [];
  // Who opens the page of a flow finds its answers there.
  const own = answers.filter(({ verb }) => verb !== "answer");
  return [open, ...own.flatMap(({ verb, label }) => (verb ? [button(verb, label)] : []))];
}
