import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage, withCancel, showStatus } from "../editor/messages.ts";
import type { ClearScope } from "../executions/store.ts";
import { pendingResume } from "../executions/resumes.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { Unremoved } from "./remove-whole.ts";
import type { Sending } from "../sending/sending.ts";
import { titleOf } from "../executions/title.ts";
import { isProgram, recordOf } from "./arguments.ts";
import {
  countLocalData,
  deleteLocalData,
  type LocalDataCounts,
  type LocalDataParts,
} from "./local-data.ts";
import type { Command } from "./table.ts";

/** What the command works with. */
export interface DeletePart extends LocalDataParts {
  readonly executions: Pick<Executions, "store" | "clear">;
  readonly sending: Pick<Sending, "now" | "secrets" | "sends">;
  readonly clock: Clock;
  /** Milliseconds that deleting waits at most for what is being sent. */
  readonly longestWaitMs?: number;
}

/** A kickoff or feedback is given up after a minute. */
const usualWaitMs = 90_000;
const lookMs = 250;

/**
 * The command that deletes what is kept on this machine. A person is asked; a program says `{what: "data"}`, or `{what: "everything"}` for
 * connected crews and their tokens, too. Returns what was deleted in numbers and, as `notDeleted`, what could not be.
 */
export function deleteLocalDataCommand(parts: DeletePart): Command {
  return {
    id: "deleteLocalData",
    async run(argument) {
      const counts = countLocalData(parts);
      const scope = isProgram(argument) ? scopeIn(argument) : await ask(counts, parts);
      if (scope === undefined || !(await nothingIsSent(parts))) return undefined;
      const left = await deleteLocalData(parts, scope);
      if (!isProgram(argument)) tellDone(left);
      return {
        ...counts,
        crews: scope === "everything" ? counts.crews : 0,
        notDeleted: left.map(({ path, error }) => ({ path, reason: messageOf(error) })),
      };
    },
  };
}

/** Waits for what is just being sent, since what becomes of it must be written down first. False where the person cancelled. @throws UserError when it takes too long */
async function nothingIsSent({
  sending,
  clock,
  longestWaitMs = usualWaitMs,
}: DeletePart): Promise<boolean> {
  const find = () => sending.now()[0];
  const first = find();
  if (first === undefined) return true;
  const until = clock.now() + longestWaitMs;
  const title = vscode.l10n.t(
    "Waiting to delete local data: “{0}” is just being sent to “{1}”",
    titleOf(first),
    first.crew.name,
  );
  const isOver = await withCancel(title, async ({ signal }) => {
    for (
      let execution: ExecutionSummary | undefined = first;
      execution !== undefined;
      execution = find()
    ) {
      if (clock.now() >= until) throw stillSending(execution);
      await new Promise<void>((resolve) => clock.after(lookMs, resolve));
      signal.throwIfAborted();
    }
    return true;
  });
  return isOver === true;
}

function stillSending(execution: ExecutionSummary): UserError {
  return new UserError(
    vscode.l10n.t(
      "“{0}” is still being sent to “{1}”, and what becomes of it must be written down. Nothing was deleted; try again later.",
      titleOf(execution),
      execution.crew.name,
    ),
  );
}

function scopeIn(argument: unknown): ClearScope {
  const { what } = recordOf(argument);
  if (what === "data" || what === "everything") return what;
  throw new UserError(vscode.l10n.t("“{0}” must be one of {1}.", "what", "data, everything"));
}

async function ask(counts: LocalDataCounts, parts: DeletePart): Promise<ClearScope | undefined> {
  const data = vscode.l10n.t("Delete, Keep Connected Crews");
  const everything = vscode.l10n.t("Delete Everything");
  const detail = [
    vscode.l10n.t("This is deleted, for all windows:"),
    [
      ...countsInWords(counts),
      vscode.l10n.t("• whatever else is in {0}", parts.context.globalStorageUri.fsPath),
    ].join("\n"),
    vscode.l10n.t(
      "“{0}” also takes the connected crews ({1}) out of your settings and deletes their tokens.",
      everything,
      counts.crews,
    ),
    vscode.l10n.t(
      "What runs at deployed crews goes on there, and is no longer followed here. This can't be undone.",
    ),
    ...(parts.executions.store.list().some(isUnsure)
      ? [
          vscode.l10n.t(
            "A kickoff or feedback among them may have been sent, and no answer came: what guards it against being sent a second time is deleted, too.",
          ),
        ]
      : []),
  ].join("\n\n");
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete what Crewdeck keeps on this machine?"),
    { modal: true, detail },
    data,
    everything,
  );
  return chosen === data ? "data" : chosen === everything ? "everything" : undefined;
}

/** A line for each kind of which there is something. */
function countsInWords({
  executions,
  presets,
  drafts,
  forms,
  localCrews,
}: LocalDataCounts): readonly string[] {
  return [
    ...(executions === 0
      ? []
      : [vscode.l10n.t("• executions with their inputs and outputs: {0}", executions)]),
    ...(presets === 0 ? [] : [vscode.l10n.t("• presets: {0}", presets)]),
    ...(drafts === 0 ? [] : [vscode.l10n.t("• drafts of feedback: {0}", drafts)]),
    ...(forms === 0 ? [] : [vscode.l10n.t("• forms with remembered values: {0}", forms)]),
    ...(localCrews === 0
      ? []
      : [
          vscode.l10n.t(
            "• local crews: {0}. They are stopped, and their executions end and are deleted (the projects stay)",
            localCrews,
          ),
        ]),
  ];
}

/** Whether its kickoff or feedback may have arrived, and is kept from being sent once more unasked. */
function isUnsure(execution: ExecutionSummary): boolean {
  return execution.state === "unconfirmed" || pendingResume(execution) !== undefined;
}

function tellDone(left: readonly Unremoved[]): void {
  for (const { path, error } of left) logProblem("Deleting local data", error, path);
  if (left.length === 0) {
    showStatus(vscode.l10n.t("What Crewdeck kept on this machine is deleted."));
    return;
  }
  const lines = left.map(({ path, error }) =>
    messageOf(error).includes(path) ? messageOf(error) : `${path}: ${messageOf(error)}`,
  );
  void vscode.window.showWarningMessage(
    plainMessage(vscode.l10n.t("Not all could be deleted; the rest is gone. {0}", lines.join(" "))),
  );
}
