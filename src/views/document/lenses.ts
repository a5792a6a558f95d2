import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import { formatSize } from "../../base/text.ts";
import { present } from "../labels.ts";
import {
  canBeStopped,
  isLocalCrew,
  isStopping,
  keyOf,
  type Execution,
} from "../../executions/model.ts";
import { isLarge, outputsOf, type Output } from "./outputs.ts";
import type { RenderCircumstances } from "./render.ts";
import { attemptSection, isOnlyAttempt, resultSection, sectionOf } from "./sections.ts";
import { taskSection, type Rendered } from "./sections.ts";
import { attemptPairs, taskIn } from "../../executions/tasks.ts";

interface DocumentLens {
  readonly line: number;
  readonly command: vscode.Command;
}

/** At the top, what to do next; above attempts, the comparison; above outputs, "Open Output". */
export function documentLenses(
  execution: Execution,
  rendered: Rendered,
  { isKickingOff = false, isInterrupted = false }: RenderCircumstances,
  canStop = false,
): readonly DocumentLens[] {
  const target = { crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true };
  const above = (section: string, title: string, command: string, more: object) => {
    const line = sectionOf(rendered, section)?.start;
    const lens = commandOf(title, command, { ...target, ...more });
    return line === undefined ? [] : [{ line, command: lens }];
  };
  const next = isKickingOff
    ? []
    : isInterrupted
      ? interruptedCommands(target)
      : nextCommands(execution, target, canStop);
  return [
    ...next.map((command) => ({ line: 0, command })),
    ...attemptPairs(execution).flatMap(({ taskId, previous, attempt }) =>
      above(
        attemptSection(taskId, attempt),
        l10n.t("Compare with Attempt {0}", previous),
        "compareAttempts",
        { taskId, attempt },
      ),
    ),
    ...outputsOf(execution).flatMap(({ part, output }) =>
      above(
        sectionOfOutput(part, execution),
        isLarge(output)
          ? l10n.t("Open Whole Output ({0})", formatSize(Buffer.byteLength(output)))
          : l10n.t("Open Output"),
        "openOutput",
        part.kind === "result" ? { result: true } : { taskId: part.taskId, attempt: part.attempt },
      ),
    ),
  ];
}

function interruptedCommands(target: object): readonly vscode.Command[] {
  return [
    commandOf(l10n.t("Continue"), "continueExecution", target),
    commandOf(l10n.t("Discard…"), "discardExecution", target),
  ];
}

function nextCommands(execution: Execution, target: object, canStop: boolean) {
  const { state, crew, request, waiting } = execution;
  const isUnconfirmed = state === "unconfirmed";
  const hasFailed = state === "failed" || state === "stopped";
  const track = { crew: crew.id, fromLens: true };
  return present<vscode.Command>(
    state === "waiting" &&
      waiting &&
      commandOf(`$(arrow-down)\u00a0${l10n.t("Go to Output")}`, "openExecution", target),
    isUnconfirmed && commandOf(l10n.t("Track by Its ID…"), "trackExecution", track),
    (isUnconfirmed || hasFailed) && request && commandOf(l10n.t("Run Again…"), "runAgain", target),
    hasFailed && request && commandOf(l10n.t("Run Again in Form…"), "runAgainInForm", target),
    isUnconfirmed && commandOf(l10n.t("Remove from List"), "untrackExecution", target),
    canStop && canBeStopped(execution) && stopCommand(execution, target),
  );
}

function stopCommand(execution: Execution, target: object): vscode.Command {
  if (isStopping(execution)) return { title: l10n.t("Stopping…"), command: "" };
  return isLocalCrew(execution.crew)
    ? commandOf(l10n.t("Stop…"), "stop", target)
    : commandOf(l10n.t("Try to Stop…"), "tryToStop", target);
}

function commandOf(title: string, command: string, argument: object): vscode.Command {
  return { title, command: `crewdeck.${command}`, arguments: [argument] };
}

function sectionOfOutput(part: Output["part"], execution: Execution): string {
  if (part.kind === "result") return resultSection;
  const task = taskIn(execution.tasks, part.taskId);
  const attempt = task?.attempts.find(({ number }) => number === part.attempt);
  return task && attempt && isOnlyAttempt(attempt, task, execution)
    ? taskSection(part.taskId)
    : attemptSection(part.taskId, part.attempt);
}
