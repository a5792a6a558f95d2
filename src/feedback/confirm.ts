import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import type { Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndHost } from "./destination.ts";
import { approved } from "../executions/resumes.ts";

/** How much of an output a question shows: a dialog grows with its text, and would grow out of the window. */
const longest = { lines: 12, characters: 700 };

/** Asks before an output is approved that is not on the screen: the question shows how it begins. False when the person does not want to. */
export async function confirmApproval(execution: Execution, taskId: string): Promise<boolean> {
  const approve = vscode.l10n.t("Approve");
  const question = vscode.l10n.t("Approve “{0}” of “{1}”?", shortName(taskId), titleOf(execution));
  const goesTo = vscode.l10n.t(
    "“{0}” is sent to {1}: the crew goes on with this output, and later tasks read that as your feedback.",
    approved,
    crewAndHost(execution),
  );
  const detail = `${beginningOf(outputOf(execution, taskId))}\n\n${goesTo}`;
  return (
    (await vscode.window.showInformationMessage(question, { modal: true, detail }, approve)) ===
    approve
  );
}

/** An output's first lines, with a mark where there is more. Plain text, as a dialog shows it. */
function beginningOf(output: string | undefined): string {
  if (output === undefined) return vscode.l10n.t("The crew has not told this output.");
  const whole = output.trim();
  if (whole === "") return vscode.l10n.t("The output is empty.");
  const lines = whole.split(/\r?\n/).slice(0, longest.lines).join("\n");
  const short = Array.from(lines.slice(0, 2 * longest.characters))
    .slice(0, longest.characters)
    .join("");
  return short.length < whole.length ? `${short.trimEnd()} …` : short;
}

function outputOf({ waiting, tasks }: Execution, taskId: string): string | undefined {
  const told = waiting?.taskId === taskId ? waiting.output : undefined;
  return told ?? tasks.find((task) => task.taskId === taskId)?.attempts.at(-1)?.output;
}
