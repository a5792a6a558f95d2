import * as vscode from "vscode";
import { shortName, formatSize } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { activeDocument } from "../editor/environment.ts";
import { UserError } from "../base/errors.ts";
import { parsePartUri } from "../editor/execution-uri.ts";
import { plainLabel, showStatus } from "../editor/messages.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { OutputsRoom } from "../views/document/register.ts";
import { outputsOf, type Output } from "../views/document/outputs.ts";
import { isProgram, recordOf, targetOf } from "./arguments.ts";
import { chooseExecution } from "./choose.ts";
import type { Command } from "./table.ts";

/** What the commands about outputs work with. */
export interface OutputParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly outputs: OutputsRoom;
}

/** Commands about single outputs. Each takes `{crew, kickoffId, taskId?, attempt?}`, without a task it means the result, and returns the address of what it made. */
export function outputCommands({ crews, store, outputs }: OutputParts): readonly Command[] {
  const on = (
    id: string,
    action: (execution: Execution, output: Output) => Promise<vscode.Uri | undefined>,
  ): Command => ({
    id,
    async run(given) {
      const argument = given ?? activePart();
      const execution = await chooseExecution(store, crews, argument, hasOutput);
      const output = execution && (await chooseOutput(execution, argument));
      const made = output && (await action(execution, output));
      return made?.toString();
    },
  });
  return [
    on("openOutput", (execution, output) => outputs.open(execution, output)),
    on("saveOutput", async (execution, output) => {
      const file = await outputs.save(execution, output);
      if (file !== undefined) showStatus(vscode.l10n.t("The output is saved."));
      return file;
    }),
  ];
}

function hasOutput({ output, tasks }: ExecutionSummary): boolean {
  return output !== undefined || tasks.some(({ attempts }) => attempts.some((each) => each.output));
}

/** The address of the output that the active editor shows; nothing where it shows none. */
function activePart(): vscode.Uri | undefined {
  const uri = activeDocument();
  return uri !== undefined && parsePartUri(uri) !== undefined ? uri : undefined;
}

/** The output an argument names, else the only one, else the one the person chooses. @throws UserError where it is not known */
async function chooseOutput(execution: Execution, argument: unknown): Promise<Output | undefined> {
  const all = outputsOf(execution);
  const { taskId, attempt } = wantedOf(argument);
  const result = all.find(({ part }) => part.kind === "result");
  if (taskId !== undefined) {
    const found = all.findLast(
      ({ part }) =>
        part.kind === "attempt" &&
        part.taskId === taskId &&
        (attempt === undefined || part.attempt === attempt),
    );
    if (found === undefined)
      throw new UserError(
        vscode.l10n.t("The crew has not told an output of the task “{0}”.", shortName(taskId)),
      );
    return found;
  }
  if (isResult(argument)) {
    if (result === undefined)
      throw new UserError(
        vscode.l10n.t("The execution has no result yet. Name the task whose output you mean."),
      );
    return result;
  }
  if (all.length === 0)
    throw new UserError(vscode.l10n.t("The crew has not told any output of this execution yet."));
  if (all.length === 1) return all[0];
  const items = all.map((output) => ({ ...words(output), output }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Which output?"),
    matchOnDescription: true,
  });
  return chosen?.output;
}

function wantedOf(argument: unknown): { readonly taskId?: string; readonly attempt?: number } {
  const target = targetOf(argument);
  if (argument instanceof vscode.Uri) return target;
  const attempt = recordOf(argument)["attempt"];
  return typeof attempt === "number" ? { ...target, attempt } : target;
}

/** Whether an argument without a task means the result: a program's and a lens's do, a document and a row of the tree mean any output. */
function isResult(argument: unknown): boolean {
  if (argument instanceof vscode.Uri) return parsePartUri(argument)?.part.kind === "result";
  return isProgram(argument) || recordOf(argument)["result"] === true;
}

function words({ part, output }: Output): vscode.QuickPickItem {
  const size = formatSize(Buffer.byteLength(output));
  if (part.kind === "result") return { label: vscode.l10n.t("Result"), description: size };
  return {
    label: plainLabel(shortName(part.taskId)),
    description: `${vscode.l10n.t("attempt {0}", part.attempt)} · ${size}`,
  };
}
