import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import { formatSize } from "../../base/text.ts";
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
import { attemptPairs } from "../../executions/tasks.ts";

/** A lens of an execution's document, above a line. */
export interface DocumentLens {
  readonly line: number;
  readonly command: vscode.Command;
}

/** What to do next at the top, what the feedback changed above every attempt after a rejection, and "Open output" above each output. */
export function documentLenses(
  execution: Execution,
  rendered: Rendered,
  isKickingOff: boolean,
): readonly DocumentLens[] {
  const target = { crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true };
  const above = (section: string, title: string, command: string, more: object) => {
    const line = sectionOf(rendered, section)?.start;
    const lens = commandOf(title, command, { ...target, ...more });
    return line === undefined ? [] : [{ line, command: lens }];
  };
  return [
    ...(isKickingOff ? [] : nextCommands(execution, target)).map((command) => ({
      line: 0,
      command,
    })),
    ...attemptPairs(execution).flatMap(({ taskId, previous, attempt }) =>
      above(
        attemptSection(taskId, attempt),
        l10n.t("Compare with attempt {0}", previous),
        "compareAttempts",
        { taskId, attempt },
      ),
    ),
    ...outputsOf(execution).flatMap(({ part, output }) =>
      above(
        sectionOfOutput(part, execution),
        isLarge(output)
          ? l10n.t("Open all of this output ({0})", formatSize(Buffer.byteLength(output)))
          : l10n.t("Open output"),
        "openOutput",
        part.kind === "result" ? { result: true } : { taskId: part.taskId, attempt: part.attempt },
      ),
    ),
  ];
}

/** If an execution failed or was stopped, or nobody knows whether it started. */
function nextCommands(
  { state, crew, request }: Execution,
  target: object,
): readonly vscode.Command[] {
  const again = request === undefined ? [] : [commandOf(l10n.t("Run again…"), "runAgain", target)];
  switch (state) {
    case "failed":
    case "stopped":
      return again.length === 0
        ? []
        : [...again, commandOf(l10n.t("Run again in form…"), "runAgainInForm", target)];
    case "unconfirmed":
      return [
        commandOf(l10n.t("Track by its ID…"), "trackExecution", { crew: crew.id, fromLens: true }),
        ...again,
        commandOf(l10n.t("Remove from list…"), "untrackExecution", target),
      ];
    default:
      return [];
  }
}

function commandOf(title: string, command: string, argument: object): vscode.Command {
  return { title, command: `crewdeck.${command}`, arguments: [argument] };
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
