import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import { formatSize } from "../../base/text.ts";
import { attemptPairs } from "../../executions/attempts.ts";
import { keyOf, type Execution } from "../../executions/model.ts";
import { isLarge, outputsOf, type Output } from "./outputs.ts";
import {
  attemptSection,
  isOnlyAttempt,
  resultSection,
  sectionOf,
  taskSection,
  type Rendered,
} from "./sections.ts";

/** A lens of an execution's document, above a line. */
export interface DocumentLens {
  readonly line: number;
  readonly command: vscode.Command;
}

/** The lenses of an execution's document. */
export function documentLenses(
  execution: Execution,
  rendered: Rendered,
  isKickingOff: boolean,
): readonly DocumentLens[] {
  return [
    ...nextCommands(execution, isKickingOff).map((command) => ({ line: 0, command })),
    ...compareLenses(execution, rendered),
    ...outputLenses(execution, rendered),
  ];
}

/** What to do next with an execution that failed or was stopped, or of which nobody knows whether it started. */
function nextCommands(execution: Execution, isKickingOff: boolean): readonly vscode.Command[] {
  const { state, crew, request } = execution;
  if (isKickingOff) return [];
  const command = (title: string, id: string, argument = targetOf(execution)): vscode.Command => ({
    title,
    command: `crewdeck.${id}`,
    arguments: [argument],
  });
  const again = request === undefined ? [] : [command(l10n.t("Run again…"), "runAgain")];
  switch (state) {
    case "failed":
    case "stopped":
      return again.length === 0
        ? []
        : [...again, command(l10n.t("Run again in form…"), "runAgainInForm")];
    case "unconfirmed":
      return [
        command(l10n.t("Track by its ID…"), "trackExecution", { crew: crew.id, fromLens: true }),
        ...again,
        command(l10n.t("Remove from list…"), "untrackExecution"),
      ];
    default:
      return [];
  }
}

/** Above every attempt after a rejection: what the feedback changed. */
function compareLenses(execution: Execution, rendered: Rendered): readonly DocumentLens[] {
  return attemptPairs(execution).flatMap(({ taskId, previous, attempt }) => {
    const section = sectionOf(rendered, attemptSection(taskId, attempt));
    if (section === undefined) return [];
    const command: vscode.Command = {
      title: l10n.t("Compare with attempt {0}", previous),
      command: "crewdeck.compareAttempts",
      tooltip: l10n.t("Shows what your feedback changed"),
      arguments: [{ ...targetOf(execution), taskId, attempt }],
    };
    return [{ line: section.start, command }];
  });
}

/** "Open output" above each output. */
function outputLenses(execution: Execution, rendered: Rendered): readonly DocumentLens[] {
  return outputsOf(execution).flatMap(({ part, output }) => {
    const section = sectionOf(rendered, sectionOfOutput(part, execution));
    if (section === undefined) return [];
    const name =
      part.kind === "result" ? { result: true } : { taskId: part.taskId, attempt: part.attempt };
    const command: vscode.Command = {
      title: isLarge(output)
        ? l10n.t("Open all of this output ({0})", formatSize(Buffer.byteLength(output)))
        : l10n.t("Open output"),
      command: "crewdeck.openOutput",
      tooltip: l10n.t("Shows this output in its own editor"),
      arguments: [{ ...targetOf(execution), ...name }],
    };
    return [{ line: section.start, command }];
  });
}

/** The section with the heading above an output. */
function sectionOfOutput(part: Output["part"], execution: Execution): string {
  if (part.kind === "result") return resultSection;
  const task = execution.tasks.find(({ taskId }) => taskId === part.taskId);
  const attempt = task?.attempts.find(({ number }) => number === part.attempt);
  return task !== undefined && attempt !== undefined && isOnlyAttempt(attempt, task, execution)
    ? taskSection(part.taskId)
    : attemptSection(part.taskId, part.attempt);
}

function targetOf(execution: Execution): object {
  return { crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true };
}
