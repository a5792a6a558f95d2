import * as l10n from "@vscode/l10n";
import { shortName } from "../base/text.ts";
import { type ExecutionSummary, hasEnded } from "../executions/model.ts";
import { resumesOf } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { stateLabel } from "../view/words.ts";
import type { EventKind } from "./events.ts";

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

/**
 * VS Code can't withdraw a notification. Undefined while the output waits. `shown` and `name` are
 * from its notification.
 */
export function tooLateMessage(
  shown: ExecutionSummary,
  name: string,
  now: ExecutionSummary | undefined,
): string | undefined {
  if (now === undefined) return l10n.t("Nothing was sent: “{0}” is no longer tracked here.", name);
  const title = titleOf(now);
  const [asked, waits] = [shown.waiting, now.waiting];
  const isOver = hasEnded(now);
  const [askedTask, task] = [shortName(asked?.taskId ?? ""), shortName(waits?.taskId ?? "")];
  if (!isOver && asked !== undefined && resumesOf(now, asked).length > 0)
    return l10n.t("Nothing was sent: “{0}” at task “{1}” was answered before.", title, askedTask);
  if (isOver || waits === undefined)
    return l10n.t(
      "Nothing was sent: “{0}” no longer waits for you. Its state is: {1}.",
      title,
      stateLabel(now),
    );
  if (waits.taskId === asked?.taskId && waits.attempt === asked.attempt) return undefined;
  return l10n.t(
    "Nothing was sent: “{0}” waits with another output now, at task “{1}”, attempt {2}. Read it first, then answer it.",
    title,
    task,
    waits.attempt,
  );
}
