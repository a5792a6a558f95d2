import * as vscode from "vscode";
import { wait } from "../base/clock.ts";
import { messageOf, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { isProgram, oneOf, recordOf } from "../editor/arguments.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage, showStatus, withCancel } from "../editor/messages.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Sending } from "../sending/sending.ts";
import { clearLocalData, countLocalData, type LocalDataCounts } from "./local-data.ts";
import type { CommandParts } from "./table.ts";
import type { ClearScope } from "../executions/store.ts";
import type { Unremoved } from "./remove-whole.ts";
import { pendingResume } from "../executions/resumes.ts";

export interface DeleteParts extends Pick<CommandParts, "database" | "clock"> {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "globalStorageUri">;
  readonly crews: Pick<Crews, "list" | "idsWithTokens" | "clear">;
  readonly executions: Pick<Executions, "store" | "clear">;
  readonly sending: Pick<Sending, "now" | "secrets" | "sends">;
  readonly locals: Pick<LocalCrews, "count" | "removeAll">;
  readonly forms: Pick<CommandParts["forms"], "closeAll">;
  readonly tree: Pick<CommandParts["tree"], "choices">;
  /** How long deleting waits for requests in progress (ms). */
  readonly longestWaitMs?: number;
}

/** Longer than the timeout of a kickoff or a resume. */
const usualWaitMs = 90_000;
const lookMs = 250;

/**
 * Deletes the extension's data from this machine. A person is asked; a program passes `{what: "data"}`, or `{what: "everything"}`
 * to delete connected crews and their tokens, too. Returns the numbers of what was deleted and, as `notDeleted`, what could not be.
 */
export async function deleteLocalData(parts: DeleteParts, argument: unknown): Promise<unknown> {
  const counts = countLocalData(parts);
  const scope = isProgram(argument) ? scopeIn(argument) : await ask(counts, parts);
  if (scope === undefined || !(await nothingIsSent(parts))) return undefined;
  const left = await clearLocalData(parts, scope);
  if (!isProgram(argument)) report(left);
  return {
    ...counts,
    crews: scope === "everything" ? counts.crews : 0,
    notDeleted: left.map(({ path, error }) => ({ path, reason: messageOf(error) })),
  };
}

function scopeIn(argument: unknown): ClearScope | undefined {
  return oneOf({ what: "", ...recordOf(argument) }, "what", ["data", "everything"]);
}

/** Waits for requests in progress, whose outcome must be stored first. False if the person cancels. @throws UserError if it takes too long */
async function nothingIsSent(parts: DeleteParts): Promise<boolean> {
  const { sending, clock, longestWaitMs = usualWaitMs } = parts;
  const [first] = sending.now();
  if (first === undefined) return true;
  const until = clock.now() + longestWaitMs;
  const title = vscode.l10n.t(
    "Waiting to delete local data: “{0}” is being sent to “{1}”",
    titleOf(first),
    first.crew.name,
  );
  const isOver = await withCancel(title, async (signal) => {
    for (let [execution] = sending.now(); execution !== undefined; [execution] = sending.now()) {
      if (clock.now() >= until)
        throw new UserError(
          vscode.l10n.t(
            "“{0}” is still being sent to “{1}”, and the outcome must be stored. Nothing was deleted; try again later.",
            titleOf(execution),
            execution.crew.name,
          ),
        );
      await wait(clock, lookMs, signal);
      signal.throwIfAborted();
    }
    return true;
  });
  return isOver === true;
}

async function ask(counts: LocalDataCounts, parts: DeleteParts): Promise<ClearScope | undefined> {
  const data = vscode.l10n.t("Delete, Keep Connected Crews");
  const everything = vscode.l10n.t("Delete Everything");
  const detail = [
    vscode.l10n.t("This is deleted, for all windows:"),
    [
      ...describe(counts),
      vscode.l10n.t("• everything else in {0}", parts.context.globalStorageUri.fsPath),
    ].join("\n"),
    vscode.l10n.t(
      "“{0}” also removes the connected crews ({1}) from your settings and deletes their tokens.",
      everything,
      counts.crews,
    ),
    vscode.l10n.t(
      "Executions at deployed crews continue there, and are no longer tracked here. This can't be undone.",
    ),
    ...(parts.executions.store.list().some(isUnsure)
      ? [
          vscode.l10n.t(
            "A kickoff or feedback may have been sent without a response: the record that prevents sending it a second time is deleted, too.",
          ),
        ]
      : []),
  ].join("\n\n");
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete Crewdeck's data from this machine?"),
    { modal: true, detail },
    data,
    everything,
  );
  return chosen === data ? "data" : chosen === everything ? "everything" : undefined;
}

function describe(counts: LocalDataCounts): readonly string[] {
  const lines: readonly (readonly [number, string])[] = [
    [
      counts.executions,
      vscode.l10n.t("• executions with their inputs and outputs: {0}", counts.executions),
    ],
    [counts.presets, vscode.l10n.t("• presets: {0}", counts.presets)],
    [counts.drafts, vscode.l10n.t("• drafts of feedback: {0}", counts.drafts)],
    [counts.forms, vscode.l10n.t("• forms with remembered values: {0}", counts.forms)],
    [
      counts.localCrews,
      vscode.l10n.t(
        "• local crews: {0}. They are stopped, and their executions end and are deleted (the projects stay)",
        counts.localCrews,
      ),
    ],
  ];
  return lines.flatMap(([count, line]) => (count === 0 ? [] : [line]));
}

function isUnsure(execution: ExecutionSummary): boolean {
  return execution.state === "unconfirmed" || pendingResume(execution) !== undefined;
}

function report(left: readonly Unremoved[]): void {
  for (const { path, error } of left) logProblem("Deleting local data", error, path);
  if (left.length === 0) {
    showStatus(vscode.l10n.t("Crewdeck's data on this machine is deleted."));
    return;
  }
  const lines = left.map(({ path, error }) =>
    messageOf(error).includes(path) ? messageOf(error) : `${path}: ${messageOf(error)}`,
  );
  const text = vscode.l10n.t(
    "Not everything could be deleted; the rest is gone. {0}",
    lines.join(" "),
  );
  void vscode.window.showWarningMessage(plainMessage(text));
}
