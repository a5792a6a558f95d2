import * as vscode from "vscode";
import { titleOf } from "../executions/title.ts";
import { keyOf, toReview, type ExecutionSummary } from "../executions/model.ts";
import type { Spot } from "../projects/inspect.ts";
import { may } from "../view/actions.ts";

/**
 * What a person can do at a place of a project.
 * @param folder the project's
 * @param executions of the project's local crew
 */
export function commandsAt(
  { crew, crewClass, tasks }: Spot,
  folder: vscode.Uri,
  executions: readonly ExecutionSummary[],
): vscode.Command[] {
  const newestFirst = executions.toSorted((one, other) =>
    other.startedAt.localeCompare(one.startedAt),
  );
  return [
    ...(crew === undefined ? [] : [kickOff(folder, crewClass)]),
    ...(crew === "whole" ? lastResult(newestFirst) : []),
    ...lastOutput(tasks, newestFirst),
    ...waiting(tasks, newestFirst),
  ];
}

function kickOff(folder: vscode.Uri, crewClass: string | undefined): vscode.Command {
  return {
    title:
      crewClass === undefined
        ? vscode.l10n.t("Kick Off…")
        : vscode.l10n.t("Kick Off {0}…", crewClass),
    command: "crewdeck.kickoff",
    tooltip: vscode.l10n.t("Starts this local crew if it doesn't run, and opens its kickoff form"),
    arguments: [
      {
        folder: folder.toString(),
        ...(crewClass !== undefined && { class: crewClass }),
        form: true,
        by: "person",
      },
    ],
  };
}

function lastResult(executions: readonly ExecutionSummary[]): vscode.Command[] {
  const newest = executions.find(({ output }) => output !== undefined);
  if (newest === undefined) return [];
  return [
    command(vscode.l10n.t("Last Result"), "openOutput", newest, {
      tooltip: vscode.l10n.t("Opens the result of “{0}”", titleOf(newest)),
      result: true,
    }),
  ];
}

function lastOutput(
  ids: readonly string[],
  executions: readonly ExecutionSummary[],
): vscode.Command[] {
  for (const execution of executions) {
    const task = execution.tasks.findLast(
      ({ taskId, attempts }) =>
        ids.includes(taskId) && attempts.some(({ output }) => output !== undefined),
    );
    if (task !== undefined)
      return [
        command(vscode.l10n.t("Last Output"), "openOutput", execution, {
          tooltip: vscode.l10n.t("Opens the newest output, of “{0}”", titleOf(execution)),
          taskId: task.taskId,
        }),
      ];
  }
  return [];
}

function waiting(
  ids: readonly string[],
  executions: readonly ExecutionSummary[],
): vscode.Command[] {
  const waits = executions.filter(
    ({ state, waiting }) =>
      state === "waiting" && waiting !== undefined && ids.includes(waiting.taskId),
  );
  const [longest] = toReview(waits);
  if (longest === undefined) return [];
  const title =
    waits.length === 1
      ? vscode.l10n.t("Waiting for You")
      : vscode.l10n.t("{0} Waiting for You", waits.length);
  const { taskId, attempt } = longest.waiting ?? {};
  const name = titleOf(longest);
  const open = vscode.l10n.t("Opens “{0}”, where you approve or reject", name);
  // With several, a person chooses first.
  const isOne = waits.length === 1;
  return [
    command(title, "openExecution", longest, { tooltip: open, taskId }),
    ...(isOne && may(longest, "approve")
      ? [
          command(vscode.l10n.t("Approve"), "approve", longest, {
            ...{ tooltip: vscode.l10n.t("Approves what waits of “{0}”", name), taskId, attempt },
          }),
          command(vscode.l10n.t("Reject…"), "reject", longest, {
            ...{ tooltip: vscode.l10n.t("Opens the feedback box of “{0}”", name), taskId, attempt },
          }),
        ]
      : []),
  ];
}

function command(
  title: string,
  id: string,
  execution: ExecutionSummary,
  { tooltip, ...more }: { readonly tooltip: string; readonly [name: string]: unknown },
): vscode.Command {
  const argument = { crew: execution.crew.id, kickoffId: keyOf(execution), by: "person" };
  return {
    title,
    command: `crewdeck.${id}`,
    tooltip,
    arguments: [{ ...argument, ...more }],
  };
}
