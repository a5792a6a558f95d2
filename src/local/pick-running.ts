import * as vscode from "vscode";
import { NothingToDo } from "../base/errors.ts";
import type { Crew } from "../crews/types.ts";
import { plainLabel } from "../editor/messages.ts";
import type { Folders } from "./folders.ts";

/** Asks which running local crew to stop, if there are several. @returns the name in {@link Folders} */
export async function pickRunning(
  locals: readonly Crew[],
  folders: Folders,
): Promise<string | undefined> {
  const items = locals.flatMap(({ name, url, local }) =>
    local?.running === true
      ? [{ label: plainLabel(name), description: url, folder: folders.nameOf(local.folder) }]
      : [],
  );
  if (items.length === 0) throw new NothingToDo(vscode.l10n.t("No local crew is running."));
  if (items.length === 1) return items[0]?.folder;
  const placeHolder = vscode.l10n.t("Stop which local crew?");
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.folder;
}
