import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { pieceOf } from "../../base/text.ts";
import type { Activity } from "../../executions/activity.ts";
import {
  interruptedAt,
  lastTimeIn,
  taskTime,
  taskWait,
  wholeTime,
} from "../../executions/times.ts";
import { type ExecutionSummary, isLocalCrew, mayWait } from "../../executions/model.ts";
import { costOf, spanTokenUses } from "../../executions/tokens.ts";
import { titleOf } from "../../executions/title.ts";
import type { Circumstances } from "../../view/actions.ts";
import { formatAmount, stateLabel } from "../../view/words.ts";
import type { Mark, Span } from "./messages.ts";

/** Of a span's text; a tooltip shows the first lines (characters). */
const longest = 600;

export function timelineContent(
  execution: ExecutionSummary,
  activity: Activity,
  now: number,
  { prices = [], isInterrupted = false }: Circumstances = {},
) {
  const { spans, marks, left } = activity;
  const uses = prices.length === 0 ? undefined : spanTokenUses(spans);
  const ownMarks = Map.groupBy(marks, ({ parentId }) => parentId);
  const ofTask = Map.groupBy(spans, ({ taskId }) => taskId);
  const waiting = waitingIn(spans);
  const last = waiting.size > 0 ? undefined : lastSeen(execution, activity, isInterrupted);
  const whole = wholeTime(execution);
  const costIn = (id: string) => {
    const cost = costOf(uses?.get(id), prices);
    return cost && formatAmount(cost);
  };
  return {
    localId: execution.localId,
    title: titleOf(execution),
    crew: execution.crew.name,
    state: execution.state,
    stateLabel: stateLabel(execution),
    /** The extension host's clock (milliseconds since 1970). */
    now,
    /** Whether its tasks are defined in a project on this machine. */
    isLocal: isLocalCrew(execution.crew),
    spans: spans.map((span): Span => ({
      ...shortened(span),
      ...(waiting.has(span.id) && { state: "waiting" }),
      ...(span.end === undefined &&
        last !== undefined && {
          end: Math.max(span.start, last),
          state: isInterrupted ? "interrupted" : "unknown",
        }),
      ...(span.kind === "crew" && whole?.isByCrew === true && { worked: whole }),
      ...((span.kind === "task" || span.kind === "attempt") && {
        pauses: pausesIn(span, ofTask.get(span.taskId) ?? []),
      }),
      ...(span.kind === "task" && timesOf(span.taskId, execution, ofTask.get(span.taskId) ?? [])),
      ...defined({
        cost: costIn(span.id),
        marks: ownMarks.get(span.id)?.map(shortened),
      }),
    })),
    ...(left > 0 && {
      note: l10n.t("Not shown: {0} older events, because there are too many.", left),
    }),
  };
}

function waitingIn(spans: Activity["spans"]): ReadonlySet<string> {
  const waiting = new Set<string>();
  for (const { id, kind, parentId, end } of spans.toReversed())
    if (parentId !== undefined && ((kind === "wait" && end === undefined) || waiting.has(id)))
      waiting.add(parentId);
  return waiting;
}

/** When something of it was last seen, if what it does now isn't known (milliseconds since 1970). */
function lastSeen(execution: ExecutionSummary, activity: Activity, isInterrupted: boolean) {
  // It is still seen, but does nothing.
  if (isInterrupted) return interruptedAt(execution, activity);
  const { state, startedAt, seenAt = startedAt, history } = execution;
  if (!mayWait(execution) && state !== "unconfirmed") return undefined;
  const change = history?.at(-1);
  const seen = [startedAt, seenAt, change?.notBefore ?? change?.at ?? startedAt].map(Date.parse);
  return Math.max(lastTimeIn(activity) ?? -Infinity, ...seen);
}

function timesOf(
  taskId: string | undefined,
  execution: ExecutionSummary,
  own: Activity["spans"],
): Pick<Span, "worked" | "waited"> {
  const isAll = own.filter(({ kind }) => kind === "task").length === 1;
  const task = isAll ? execution.tasks.find((each) => each.taskId === taskId) : undefined;
  return task === undefined
    ? {}
    : defined({ worked: taskTime(task, execution), waited: taskWait(task, execution) });
}

/** An attempt that was approved ends with what follows the approval. */
function pausesIn({ start, end = Infinity }: Activity["spans"][number], own: Activity["spans"]) {
  const inside = own.filter(
    (each) => each.kind === "wait" && start <= each.start && each.start < end,
  );
  return inside.map((wait) => ({
    start: wait.start,
    ...defined({ end: wait.end && Math.min(wait.end, end) }),
  }));
}

function shortened<T extends Pick<Mark, "arguments" | "thought" | "text" | "error">>(each: T): T {
  const own = (["arguments", "thought", "text", "error"] as const).flatMap((name) => {
    const { text, next } = pieceOf(each[name] ?? "", 0, longest);
    return next === undefined ? [] : [[name, `${text.trimEnd()} …`] as const];
  });
  return { ...each, ...Object.fromEntries(own) };
}
