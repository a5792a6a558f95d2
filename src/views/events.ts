import * as l10n from "@vscode/l10n";
import { oneLine, shortName } from "../base/text.ts";
import { hasEnded, type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";

/** What a person may want to be told of, or not: each has a setting, `crewdeck.notifications.<kind>`. */
export type EventKind = "waiting" | "failed" | "completed";

/** Something that a person is told of once. */
export interface ExecutionEvent {
  readonly kind: EventKind;
  /** The same for the same event, in every window and after every start. */
  readonly key: string;
  readonly message: string;
}

/** Milliseconds for which an end is news. */
const news = 10 * 60_000;
/** Milliseconds in which the first answer comes to who tracks an execution: what had ended then, ended before. */
const firstAnswer = 10_000;
/** Characters of a failure's reason in a notification; the execution's document has all of it. */
const longestReason = 160;

/** What there is to tell of an execution as it stands at `now` (milliseconds since 1970). */
export function eventsOf(execution: ExecutionSummary, now: number): readonly ExecutionEvent[] {
  const { localId, crew, state, waiting, kickoffIds, resumes } = execution;
  if (state === "waiting" && waiting !== undefined) {
    const isAnswered = resumes.some(
      (resume) =>
        resume.taskId === waiting.taskId &&
        resume.attempt === waiting.attempt &&
        resume.outcome !== "refused",
    );
    if (isAnswered) return [];
    const key = `waiting-${localId}-${waiting.taskId}-${waiting.attempt}`;
    const parts = [titleOf(execution), crew.name, shortName(waiting.taskId)] as const;
    const message =
      waiting.attempt > 1
        ? l10n.t(
            "“{0}” of “{1}” waits for you at task “{2}”, attempt {3}.",
            ...parts,
            waiting.attempt,
          )
        : l10n.t("“{0}” of “{1}” waits for you at task “{2}”.", ...parts);
    return [{ kind: "waiting", key, message }];
  }
  if (waitsForPerson(execution)) {
    const key = `maybe-${localId}-${kickoffIds.at(-1) ?? ""}-${resumes.length}`;
    return [
      {
        kind: "waiting",
        key,
        message: l10n.t(
          "“{0}” of “{1}” may be waiting for you: the crew no longer shows it.",
          titleOf(execution),
          crew.name,
        ),
      },
    ];
  }
  return hasEnded(execution) && isNews(execution, now) ? [endOf(execution)] : [];
}

/** `endedAt` is when the end was first seen here. What had ended before it was tracked, or was seen to end long ago, is no news. */
function isNews({ origin, startedAt, endedAt }: ExecutionSummary, now: number): boolean {
  if (endedAt === undefined || now - Date.parse(endedAt) > news) return false;
  return origin === "kickoff" || Date.parse(endedAt) - Date.parse(startedAt) > firstAnswer;
}

function endOf(execution: ExecutionSummary): ExecutionEvent {
  const { localId, crew, state, kickoffIds, error } = execution;
  const title = titleOf(execution);
  // A resume may bring a new id, under which it goes on and ends again.
  const key = `ended-${localId}-${kickoffIds.length}`;
  if (state === "completed")
    return {
      kind: "completed",
      key,
      message: l10n.t("“{0}” of “{1}” is completed.", title, crew.name),
    };
  if (state === "stopped")
    return {
      kind: "failed",
      key,
      message: l10n.t("“{0}” of “{1}” was stopped before its end.", title, crew.name),
    };
  const reason = oneLine(error ?? "", longestReason);
  if (reason === "")
    return { kind: "failed", key, message: l10n.t("“{0}” of “{1}” failed.", title, crew.name) };
  return {
    kind: "failed",
    key,
    message: l10n.t("“{0}” of “{1}” failed: {2}", title, crew.name, reason),
  };
}
