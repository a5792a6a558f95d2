import * as vscode from "vscode";
import { curlCommand } from "./curl.ts";
import type { Prefill } from "./values.ts";

/** Puts a kickoff on the clipboard as a command for a shell, and says which variables it needs. @param address the crew's base address */
export async function copyCurl(address: string, values: Prefill): Promise<void> {
  const { command, variables } = curlCommand(address, values);
  await vscode.env.clipboard.writeText(command);
  void vscode.window.showInformationMessage(vscode.l10n.t("Copied for a POSIX shell. Set {0} before you run it.", variables.join(", ")));
}
