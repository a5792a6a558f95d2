import * as vscode from "vscode";
import type { Crews } from "./crews.ts";
import type { Crew } from "./types.ts";

/**
 * Removes a crew and its tokens, after asking. @returns whether it was removed
 * @throws UserError for a local crew
 */
export async function removeCrew(crews: Crews, crew: Crew): Promise<boolean> {
  const remove = vscode.l10n.t("Remove");
  const detail = vscode.l10n.t(
    "Its tokens are deleted from this machine's secret storage. Executions that are tracked here stay and can be read, but are no longer followed. Nothing changes at {0}.",
    crew.url,
  );
  if (
    crew.local === undefined &&
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("Remove the crew “{0}”?", crew.name),
      { modal: true, detail },
      remove,
    )) !== remove
  )
    return false;
  await crews.remove(crew);
  return true;
}
