import * as vscode from "vscode";
import { type ExecutionSummary, toReview } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { Spot } from "../projects/inspect.ts";
import { commandOn, may } from "../view/actions.ts";

/**
 * What a person can do at a place of a project.
 * @param folder the project's
 * @param executions of the project's local crew
 */
export function commandsAt(
  { crew, crewClass, tasks: ids }: Spot,
  folder: vscode.Uri,
  executions: readonly ExecutionSummary[],
): vscode.Command[] {
  const newestFirst = executions.toSorted((one, other) =>
    other.startedAt.localeCompare(one.startedAt),
  );
  const commands: vscode.Command[] = [];
  if (crew !== undefined) commands.push(kickOff(folder, crewClass));
  const ended = newestFirst.find(({ output }) => output !== undefined);
  if (crew === "whole" && ended !== undefined)
    commands.push({
      ...commandOn(ended, "openOutput", vscode.l10n.t("Last Result"), { result: true }),
      tooltip: vscode.l10n.t("Opens the result of “{0}”", titleOf(ended)),
    });
  for (const execution of newestFirst) {
    const task = execution.tasks.findLast(
      ({ taskId, attempts }) =>
        ids.includes(taskId) && attempts.some(({ output }) => output !== undefined),
    );
    if (task === undefined) continue;
    const { taskId } = task;
    commands.push({
      ...commandOn(execution, "openOutput", vscode.l10n.t("Last Output"), { taskId }),
      tooltip: vscode.l10n.t("Opens the newest output, of “{0}”", titleOf(execution)),
    });
    break;
  }
  return [...commands, ...waiting(ids, newestFirst)];
}

function kickOff(folder: vscode.Uri, crewClass: string | undefined): vscode.Command {
  const given = { folder: folder.toString(), form: true, by: "person" };
  return {
    title:
      crewClass === undefined
        ? vscode.l10n.t("Kick Off…")
        : vscode.l10n.t("Kick Off {0}…", crewClass),
    command: "crewdeck.kickoff",
    tooltip: vscode.l10n.t("Starts this local crew if it doesn't run, and opens its kickoff form"),
    arguments: [crewClass === undefined ? given : { ...given, class: crewClass }],
  };
}

function waiting(
  ids: readonly string[],
  executions: readonly ExecutionSummary[],
): vscode.Command[] {
  const waits = toReview(
    executions.filter(
      ({ state, waiting }) =>
        state === "waiting" && waiting !== undefined && ids.includes(waiting.taskId),
    ),
  );
  const [longest] = waits;
  if (longest === undefined) return [];
  const { taskId, attempt } = longest.waiting ?? {};
  const name = titleOf(longest);
  const isOne = waits.length === 1;
  const title = isOne
    ? vscode.l10n.t("Waiting for You")
    : vscode.l10n.t("{0} Waiting for You", waits.length);
  const open: vscode.Command = {
    ...commandOn(longest, "openExecution", title, { taskId }),
    tooltip: vscode.l10n.t("Opens “{0}”, where you approve or reject", name),
  };
  // With several, a person chooses first.
  if (!isOne || !may(longest, "approve")) return [open];
  const shown = { taskId, attempt };
  return [
    open,
    {
      ...commandOn(longest, "approve", vscode.l10n.t("Approve"), shown),
      tooltip: vscode.l10n.t("Approves what waits of “{0}”", name),
    },
    {
      ...commandOn(longest, "reject", vscode.l10n.t("Reject…"), shown),
      tooltip: vscode.l10n.t("Opens the feedback box of “{0}”", name),
    },
  ];
}
