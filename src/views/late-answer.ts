import * as l10n from "@vscode/l10n";
import { shortName } from "../base/text.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { stateInWords } from "./words.ts";

/**
 * Why an answer to an output comes too late, by what is known here: a notification stays on the screen after its output was answered, since
 * VS Code has no way to take it back. Undefined while the output waits. `shown` is the execution when the notification was shown, and
 * `name` its title then: nobody knows the title of what is no longer tracked.
 */
export function tooLateInWords(
  shown: ExecutionSummary,
  name: string,
  now: ExecutionSummary | undefined,
): string | undefined {
  if (now === undefined) return l10n.t("Nothing was sent: “{0}” is no longer tracked here.", name);
  const title = titleOf(now);
  if (hasEnded(now))
    return l10n.t(
      "Nothing was sent: “{0}” no longer waits for you. Its state is: {1}.",
      title,
      stateInWords(now),
    );
  const [asked, waits] = [shown.waiting, now.waiting];
  if (asked === undefined) return undefined;
  const isAnswered = now.resumes.some(
    ({ taskId, attempt, outcome }) =>
      taskId === asked.taskId && attempt === asked.attempt && outcome !== "refused",
  );
  if (isAnswered)
    return l10n.t(
      "Nothing was sent: “{0}” at task “{1}” was answered before.",
      title,
      shortName(asked.taskId),
    );
  if (waits === undefined)
    return l10n.t(
      "Nothing was sent: “{0}” no longer waits for you. Its state is: {1}.",
      title,
      stateInWords(now),
    );
  if (waits.taskId === asked.taskId && waits.attempt === asked.attempt) return undefined;
  return l10n.t(
    "Nothing was sent: “{0}” waits with another output now, at task “{1}”, attempt {2}. Read it first, then answer it.",
    title,
    shortName(waits.taskId),
    waits.attempt,
  );
}
