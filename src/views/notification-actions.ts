import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import { viewId } from "../editor/manifest.ts";
import { showStatus } from "../editor/messages.ts";
import { keyOf, toReview, type ExecutionSummary } from "../executions/model.ts";
import { answersTo, may, type Verb } from "../view/actions.ts";
import type { EventKind } from "./events.ts";
import { failedAtModel, present } from "../view/words.ts";

/** More answers of a flow, or longer ones, are in a list: VS Code would shorten the buttons. */
const most = { answers: 3, letters: 36 };

export interface NotificationAction {
  readonly title: string;
  readonly run: () => PromiseLike<unknown>;
}

export function actionsOn(
  execution: ExecutionSummary,
  kind: EventKind,
): readonly NotificationAction[] {
  const { waiting } = execution;
  const command = (title: string, id: string, more = {}): NotificationAction => ({
    title,
    run: () => vscode.commands.executeCommand(id, { ...targetOf(execution), ...more }),
  });
  const answers = kind === "waiting" && waiting ? answersTo(execution) : [];
  const answer = (title: string, verb: Verb, more = {}) =>
    answers.some((each) => each.verb === verb) && command(title, `crewdeck.${verb}`, more);
  const options = waiting?.options;
  const open = command(vscode.l10n.t("Open"), "crewdeck.openExecution");
  // VS Code tells a button by its title.
  const titles = new Set([open.title, ...(options ?? []).map(shortName)]);
  const isChoice =
    options !== undefined &&
    options.length > 0 &&
    options.length <= most.answers &&
    options.length === titles.size - 1 &&
    options.join("").length <= most.letters;
  return present<NotificationAction>(
    open,
    ...(options === undefined
      ? [answer(vscode.l10n.t("Approve"), "approve"), answer(vscode.l10n.t("Reject…"), "reject")]
      : isChoice
        ? options.map((feedback) => answer(shortName(feedback), "answer", { feedback }))
        : [answer(vscode.l10n.t("Answer…"), "answer")]),
    kind === "failed" &&
      failedAtModel(execution) &&
      command(vscode.l10n.t("Choose Model…"), "crewdeck.chooseModel"),
    kind === "failed" &&
      may(execution, "runAgain") &&
      command(vscode.l10n.t("Run Again…"), "crewdeck.runAgain"),
    // It leaves no room for a flow's answers.
    !isChoice && dontShowAgain(kind),
  );
}

export function actionsOnMany(
  kind: EventKind,
  executions: () => readonly ExecutionSummary[],
): readonly NotificationAction[] {
  const openFirst = async () => {
    const [first] = toReview(executions());
    if (first === undefined) showStatus(vscode.l10n.t("Nothing waits for you any more."));
    else await vscode.commands.executeCommand("crewdeck.openExecution", targetOf(first));
  };
  const showAll = async () => {
    await vscode.commands.executeCommand(`${viewId}.focus`);
    await vscode.commands.executeCommand("list.focusFirst");
  };
  return [
    ...(kind === "waiting" ? [{ title: vscode.l10n.t("Open First"), run: openFirst }] : []),
    { title: vscode.l10n.t("Show All"), run: showAll },
    dontShowAgain(kind),
  ];
}

/** As from a tree row, so that errors are shown; `attempt` prevents answering another output. */
function targetOf({ crew, localId, kickoffIds, waiting }: ExecutionSummary): object {
  return {
    by: "person",
    crew: crew.id,
    localId,
    kickoffId: keyOf({ kickoffIds, localId }),
    ...(waiting && { taskId: waiting.taskId, attempt: waiting.attempt }),
  };
}

const section = "crewdeck.notifications";

function dontShowAgain(kind: EventKind): NotificationAction {
  return { title: vscode.l10n.t("Don't Show Again"), run: () => turnOff(kind) };
}

/** In the workspace if it has its own value, which takes precedence. */
async function turnOff(kind: EventKind): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(section);
  const { Workspace, Global } = vscode.ConfigurationTarget;
  const isInWorkspace = configuration.inspect(kind)?.workspaceValue !== undefined;
  await configuration.update(kind, false, isInWorkspace ? Workspace : Global);
  const setting = `${section}.${kind}`;
  const message = vscode.l10n.t(
    "You will no longer be notified of this; the view still shows it. The setting {0} turns it on again.",
    setting,
  );
  const open = vscode.l10n.t("Open Settings");
  if ((await vscode.window.showInformationMessage(message, open)) === open)
    await vscode.commands.executeCommand("workbench.action.openSettings", setting);
}
