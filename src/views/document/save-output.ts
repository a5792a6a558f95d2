import { homedir } from "node:os";
import * as vscode from "vscode";
import { partName } from "../../editor/execution-uri.ts";
import { withCancel } from "../../editor/messages.ts";
import { writeText } from "../../base/write-text.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { outputContent } from "./content.ts";
import { plainName } from "./file-name.ts";
import { isLarge, type Output } from "./outputs.ts";

/** Asks where an output is to be saved, and saves it as it came; JSON is laid out. @returns the file, or nothing where the person cancelled */
export async function saveOutput(
  execution: ExecutionSummary,
  { part, output }: Output,
): Promise<vscode.Uri | undefined> {
  const { extension, text } = outputContent(output);
  const name = `${plainName(titleOf(execution))} - ${plainName(partName(part))}.${extension}`;
  // The dialog itself asks before a file that is there is replaced.
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save Output"),
    defaultUri: vscode.Uri.joinPath(startingFolder(), name),
    filters:
      extension === "json"
        ? { JSON: ["json"] }
        : { Markdown: ["md"], [vscode.l10n.t("Text")]: ["txt"] },
  });
  if (target === undefined) return undefined;
  if (target.scheme !== "file")
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  else if (!isLarge(output)) await writeText(target.fsPath, text);
  else
    return await withCancel(
      vscode.l10n.t("Saving {0}", target.path.replace(/^.*\//, "")),
      async (doing) => {
        await writeText(target.fsPath, text, doing);
        return target;
      },
    );
  return target;
}

function startingFolder(): vscode.Uri {
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
}
