import { chmod, rm, stat } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { ExecutionPart } from "../../editor/execution-uri.ts";
import { logProblem } from "../../editor/log.ts";
import { withCancel } from "../../editor/messages.ts";
import { writeText } from "../../base/write-text.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { uniqueName } from "./file-name.ts";

/** Large outputs as files, which VS Code opens piece by piece. They stay as long as their execution is tracked, so that their tabs come back. */
export class OutputFiles implements vscode.Disposable {
  readonly #folder: string;
  readonly #subscription: vscode.Disposable;

  /** @param folder Where they are kept: one folder in it for each execution. Nothing else may live there. */
  constructor(folder: string, store: Pick<ExecutionStore, "onDidChange">) {
    this.#folder = folder;
    this.#subscription = vscode.Disposable.from(
      store.onDidChange(({ removed }) => {
        for (const { localId } of removed) {
          rm(path.join(folder, localId), { recursive: true, force: true }).catch((error: unknown) =>
            logProblem("Removing the files of an execution's outputs", error),
          );
        }
      }),
    );
  }

  /** Writes a part of an execution to its file, unless it is there, and shows it. @returns its address, or nothing where the person cancelled */
  async open(
    { localId }: ExecutionSummary,
    part: ExecutionPart,
    { extension, text }: { readonly extension: string; readonly text: string },
  ): Promise<vscode.Uri | undefined> {
    const file = path.join(this.#folder, localId, `${uniqueName(part)}.${extension}`);
    if (!(await isThere(file, text))) {
      const written = await withCancel(
        vscode.l10n.t("Opening {0}", path.basename(file)),
        async (doing) => {
          await writeText(file, text, doing);
          return true;
        },
      );
      if (written === undefined) return undefined;
      await chmod(file, 0o444);
    }
    const uri = vscode.Uri.file(file);
    await vscode.commands.executeCommand("vscode.open", uri, { preview: true });
    await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession");
    return uri;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

/** Whether the file was written before. An attempt's output never changes, so that its size tells. */
async function isThere(file: string, text: string): Promise<boolean> {
  try {
    return (await stat(file)).size === Buffer.byteLength(text);
  } catch {
    // Not there yet, or not to be read: writing it says what is wrong.
    return false;
  }
}
