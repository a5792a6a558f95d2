import * as vscode from "vscode";
import type { Crew } from "../crews/types.ts";
import type { LocalCrews } from "./local-crews.ts";

/** Removes a local crew, after asking. @returns whether it was removed */
export async function removeLocalCrew(
  locals: Pick<LocalCrews, "remove">,
  crew: Crew,
): Promise<boolean> {
  const remove = vscode.l10n.t("Remove");
  const detail = vscode.l10n.t(
    "Its service is stopped, and the service's own data and tokens are deleted: executions that have not ended can't go on. The project's folder stays, and what is tracked here can still be read.",
  );
  if (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("Remove the local crew “{0}”?", crew.name),
      { modal: true, detail },
      remove,
    )) !== remove
  )
    return false;
  await locals.remove(crew.id);
  return true;
}
