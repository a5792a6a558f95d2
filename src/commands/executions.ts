import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { showStatus } from "../editor/messages.ts";
import {
  hasEnded,
  isLocalCrew,
  without,
  type Execution,
  type ExecutionSummary,
} from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { Tracker } from "../executions/tracker.ts";
import { canBeAsked } from "../executions/watched.ts";
import { isProgram, targetOf } from "./arguments.ts";
import { chooseExecution, findExecution } from "./choose.ts";
import type { Command } from "./table.ts";
import { track } from "./track.ts";

/** What the commands about tracked executions work with. */
export interface ExecutionParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly tracker: Tracker;
  readonly clock: Clock;
  readonly show: (execution: ExecutionSummary, taskId?: string) => Promise<unknown>;
}

/** Commands about tracked executions. */
export function executionCommands(parts: ExecutionParts): readonly Command[] {
  const { crews, store, tracker, show } = parts;
  const on = (
    id: string,
    action: (execution: Execution, argument: unknown) => unknown,
    fits?: (execution: ExecutionSummary) => boolean,
  ): Command => ({
    id,
    async run(argument) {
      const execution = await chooseExecution(store, crews, argument, fits);
      return execution && action(execution, argument);
    },
  });
  return [
    { id: "trackExecution", run: (argument) => track(parts, argument) },
    on("untrackExecution", async (execution, argument) => {
      if (isProgram(argument) || (await confirmRemoval(execution))) store.remove(execution.localId);
    }),
    on("openExecution", async (execution, argument) => {
      await show(execution, targetOf(argument).taskId);
    }),
    on("openPreview", async (execution) => {
      const { document } = await showAsText(show, execution);
      await vscode.commands.executeCommand("markdown.showPreviewToSide", document.uri);
    }),
    on("renameExecution", (execution) => rename(store, execution)),
    on(
      "copyExecutionId",
      async (execution) => {
        await vscode.env.clipboard.writeText(execution.kickoffIds.at(-1) ?? "");
        showStatus(vscode.l10n.t("The execution's ID is copied."));
      },
      (execution) => execution.kickoffIds.length > 0,
    ),
    on(
      "copyOutput",
      async (execution, argument) => {
        await vscode.env.clipboard.writeText(outputOf(execution, targetOf(argument).taskId));
        showStatus(vscode.l10n.t("The output is copied."));
      },
      ({ output, waiting }) => (output ?? waiting?.output ?? "") !== "",
    ),
    on(
      "watchAgain",
      async (execution) => {
        tracker.watchAgain(execution.localId);
        await tracker.pollNow(execution.localId);
      },
      (execution) => execution.watchingStoppedAt !== undefined,
    ),
    { id: "clearEnded", run: (argument) => clearEnded(store, crews, argument) },
    { id: "refresh", run: (argument) => refresh(parts, argument) },
  ];
}

async function confirmRemoval(execution: ExecutionSummary): Promise<boolean> {
  const remove = vscode.l10n.t("Remove from List");
  const [kickoffId] = execution.kickoffIds;
  const detail = [
    ...(kickoffId !== undefined
      ? []
      : isLocalCrew(execution.crew)
        ? [
            vscode.l10n.t(
              "No answer came to its kickoff. If it started, it goes on at the local crew.",
            ),
          ]
        : [
            vscode.l10n.t(
              "No answer came to its kickoff. If it started, it goes on at the crew; to track it then, you need its ID from the crew's dashboard.",
            ),
          ]),
    ...(kickoffId === undefined || hasEnded(execution)
      ? []
      : [
          vscode.l10n.t(
            "It goes on at the crew, since the API has no cancel, but is no longer watched here.",
          ),
        ]),
    vscode.l10n.t("Its title, inputs, outputs and your feedback are removed from this machine."),
    ...(kickoffId === undefined ? [] : [vscode.l10n.t("Its ID is {0}.", kickoffId)]),
  ].join(" ");
  return (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("Remove “{0}” from the list?", titleOf(execution)),
      { modal: true, detail },
      remove,
    )) === remove
  );
}

async function rename(store: ExecutionStore, execution: ExecutionSummary): Promise<void> {
  const title = execution.label ?? titleOf(execution);
  const label = await vscode.window.showInputBox({
    title: vscode.l10n.t("Rename execution"),
    prompt: vscode.l10n.t("Your own title for it; empty gives it back its first one"),
    value: title,
    ignoreFocusOut: true,
  });
  if (label === undefined || label === title) return;
  store.update(execution.localId, (current) =>
    label.trim() === "" ? without(current, "label") : { ...current, label: label.trim() },
  );
}

async function clearEnded(store: ExecutionStore, crews: Crews, argument: unknown): Promise<void> {
  const { crew: name } = targetOf(argument);
  const crewId = name === undefined ? undefined : crews.get(name).id;
  const all = store
    .list()
    .filter(
      (execution) => hasEnded(execution) && (crewId === undefined || execution.crew.id === crewId),
    );
  const ended = all.filter(({ pinned }) => pinned !== true);
  if (ended.length === 0) {
    showStatus(
      all.length === 0
        ? vscode.l10n.t("There is no ended execution to clear.")
        : vscode.l10n.t("Only pinned executions have ended, and those stay."),
    );
    return;
  }
  const clear = vscode.l10n.t("Clear");
  const detail = [
    vscode.l10n.t(
      "Their inputs and outputs are removed from this machine. Nothing changes at the crews.",
    ),
    ...(ended.length === all.length ? [] : [vscode.l10n.t("Pinned executions stay.")]),
  ].join(" ");
  const question =
    ended.length === 1
      ? vscode.l10n.t("Clear 1 ended execution?")
      : vscode.l10n.t("Clear {0} ended executions?", ended.length);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, clear)) !== clear)
    return;
  for (const execution of ended) store.remove(execution.localId);
}

/** Asks anew for one execution, all of a crew, or all there are. A refused token is sent again only where its crew is named, and then once. */
async function refresh(
  { crews, store, tracker }: ExecutionParts,
  argument: unknown,
): Promise<void> {
  const target = targetOf(argument);
  const execution = findExecution(store, crews, target);
  if (target.kickoffId !== undefined && execution === undefined)
    throw new UserError(
      vscode.l10n.t("No execution with the ID “{0}” is tracked here.", target.kickoffId),
    );
  const crewId =
    execution?.crew.id ?? (target.crew === undefined ? undefined : crews.get(target.crew).id);
  store.refresh();
  if (execution !== undefined) await tracker.pollNow(execution.localId);
  else if (crewId !== undefined) await refreshCrew({ store, tracker }, crewId);
  else await tracker.pollNow();
  const refused = crewId === undefined ? undefined : tracker.parkedCrews().get(crewId);
  // The person asked this crew: the row alone, which looks as before, is no answer.
  if (refused !== undefined && !isProgram(argument)) throw refused;
}

async function refreshCrew(
  { store, tracker }: Pick<ExecutionParts, "store" | "tracker">,
  crewId: string,
): Promise<void> {
  const ids = store
    .list()
    .flatMap((each) =>
      each.crew.id === crewId && each.watchingStoppedAt === undefined && canBeAsked(each)
        ? [each.localId]
        : [],
    );
  // Nothing is left that could tell: the next request does.
  if (ids.length === 0) tracker.unpark(crewId);
  // One question tells whether the token is taken again.
  if (tracker.parkedCrews().has(crewId))
    await Promise.all(ids.splice(0, 1).map((localId) => tracker.pollNow(localId)));
  if (!tracker.parkedCrews().has(crewId))
    await Promise.all(ids.map((localId) => tracker.pollNow(localId)));
}

/** An execution's output, or one task's: what its last attempt brought. */
function outputOf(execution: Execution, taskId?: string): string {
  if (taskId === undefined) return execution.output ?? execution.waiting?.output ?? "";
  return execution.tasks.find((task) => task.taskId === taskId)?.attempts.at(-1)?.output ?? "";
}

async function showAsText(
  show: ExecutionParts["show"],
  execution: ExecutionSummary,
): Promise<vscode.TextEditor> {
  await show(execution);
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined)
    throw new UserError(vscode.l10n.t("The execution's document could not be opened."));
  return editor;
}
