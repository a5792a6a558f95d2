import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { flag, read, readTarget } from "../editor/arguments.ts";
import { confirm, showStatus } from "../editor/messages.ts";
import { hasEnded, without, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { taskIn } from "../executions/tasks.ts";
import { titleOf } from "../executions/title.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";
import { canBeAsked } from "../executions/polls.ts";
import type { Pages } from "../views/page/register.ts";
import type { Asker } from "./asker.ts";
import type { Question } from "./question.ts";
import type { Targets } from "./targets.ts";

export interface ExecutionParts {
  readonly targets: Targets;
  readonly store: Pick<ExecutionStore, "find" | "list" | "refresh" | "remove" | "update">;
  readonly crews: Pick<Crews, "get">;
  readonly poller: Pick<Poller, "refusingCrews" | "pollNow" | "pollAgain">;
  readonly page: Pick<Pages, "open" | "switchTo">;
}

export function executionVerbs(parts: ExecutionParts) {
  const { targets, store, page } = parts;
  return {
    untrackExecution: targets.onExecution(async (execution, _argument, by) => {
      if (await by.agrees(removalQuestion(execution))) store.remove(execution.localId);
    }),
    openExecution: targets.onExecution(async (execution, argument) => {
      await page.open(execution, readTarget(argument).taskId);
    }),
    openAsPage: targets.onExecution((execution) => page.switchTo(execution, "page")),
    openAsText: targets.onExecution((execution) => page.switchTo(execution, "text")),
    renameExecution: targets.onExecution((execution) => rename(parts, execution)),
    copyExecutionId: targets.onExecution(
      async ({ kickoffIds }) => {
        await vscode.env.clipboard.writeText(kickoffIds.at(-1) ?? "");
        showStatus(vscode.l10n.t("The execution's ID is copied."));
      },
      ({ kickoffIds }) => kickoffIds.length > 0,
    ),
    copyOutput: targets.onExecution(
      async (execution, argument) => {
        await vscode.env.clipboard.writeText(outputOf(execution, readTarget(argument).taskId));
        showStatus(vscode.l10n.t("The output is copied."));
      },
      ({ output, waiting }) => (output ?? waiting?.output ?? "") !== "",
    ),
    // A person pins and unpins; a program says which.
    pinExecution: targets.onExecution(({ localId, pinned = false }, argument, by) => {
      const { pinned: wanted = !by.isPerson || !pinned } = read({ pinned: flag }, argument);
      store.update(localId, (current) =>
        wanted ? { ...current, pinned: true } : without(current, "pinned"),
      );
    }),
    clearEnded: (argument: unknown) => clearEnded(parts, argument),
    refresh: (argument: unknown, by: Asker) => refresh(parts, argument, by),
  };
}

function removalQuestion(execution: ExecutionSummary): Question {
  return {
    title: vscode.l10n.t("Remove “{0}” from the list?", titleOf(execution)),
    parts: [
      vscode.l10n.t(
        "Its title, inputs, outputs and your feedback are removed from this machine. Nothing changes at the crew: if it has not ended, it continues there. To track it again, you need its ID: {0}",
        execution.kickoffIds[0] ??
          vscode.l10n.t("not known here, because the kickoff got no response"),
      ),
    ],
    allow: vscode.l10n.t("Remove from List"),
  };
}

async function rename({ store }: ExecutionParts, execution: ExecutionSummary): Promise<void> {
  const title = execution.label ?? titleOf(execution);
  const label = await vscode.window.showInputBox({
    title: vscode.l10n.t("Rename Execution"),
    prompt: vscode.l10n.t("A title of your choice; leave it empty to restore the original one"),
    value: title,
    ignoreFocusOut: true,
  });
  if (label === undefined || label === title) return;
  store.update(execution.localId, (current) =>
    label.trim() === "" ? without(current, "label") : { ...current, label: label.trim() },
  );
}

async function clearEnded({ store, crews }: ExecutionParts, argument: unknown): Promise<void> {
  const { crew: name } = readTarget(argument);
  const crewId = name === undefined ? undefined : crews.get(name).id;
  const ended = store
    .list()
    .filter(hasEnded)
    .filter(({ crew, pinned }) => pinned !== true && (crewId === undefined || crew.id === crewId));
  if (ended.length === 0)
    throw new NothingToDo(vscode.l10n.t("There is no ended execution to clear; pinned ones stay."));
  const question = vscode.l10n.t("Clear ended executions? ({0})", ended.length);
  const detail = vscode.l10n.t(
    "Their inputs and outputs are removed from this machine. Nothing changes at the crews. Pinned executions stay.",
  );
  if (await confirm(question, detail, vscode.l10n.t("Clear")))
    for (const { localId } of ended) store.remove(localId);
}

/** Of one execution, which is watched again, of a crew or of all. Only a named crew gets a refused token again, and once. */
export async function refresh(
  parts: Pick<ExecutionParts, "crews" | "targets" | "poller"> & {
    readonly store: Pick<ExecutionStore, "list" | "refresh">;
  },
  argument: unknown,
  by: Asker,
): Promise<void> {
  const { targets, crews, store, poller } = parts;
  const target = readTarget(argument);
  const execution = targets.find(target);
  if (target.kickoffId !== undefined && execution === undefined)
    throw new UserError(
      vscode.l10n.t("No execution with the ID “{0}” is tracked here.", target.kickoffId),
    );
  const crewId =
    execution?.crew.id ?? (target.crew === undefined ? undefined : crews.get(target.crew).id);
  store.refresh();
  if (execution !== undefined) await poller.pollNow(execution.localId);
  else if (crewId !== undefined) await refreshCrew(parts, crewId);
  else await poller.pollNow();
  const refused = crewId === undefined ? undefined : poller.refusingCrews().get(crewId);
  // The person requested this crew, and its row looks the same.
  if (refused !== undefined && by.isPerson) throw refused;
}

async function refreshCrew(
  { store, poller }: Pick<Parameters<typeof refresh>[0], "store" | "poller">,
  crewId: string,
): Promise<void> {
  const [first, ...others] = store
    .list()
    .filter((each) => each.crew.id === crewId && canBeAsked(each));
  // With nothing to poll, the next request shows whether the token is accepted.
  if (first === undefined) {
    poller.pollAgain(crewId);
    return;
  }
  const wasRefusing = poller.refusingCrews().has(crewId);
  if (wasRefusing) await poller.pollNow(first.localId);
  if (!poller.refusingCrews().has(crewId))
    await Promise.all(
      (wasRefusing ? others : [first, ...others]).map(({ localId }) => poller.pollNow(localId)),
    );
}

function outputOf({ output, waiting, tasks }: Execution, taskId?: string): string {
  if (taskId === undefined) return output ?? waiting?.output ?? "";
  return taskIn(tasks, taskId)?.attempts.at(-1)?.output ?? "";
}
