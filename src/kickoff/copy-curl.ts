import * as vscode from "vscode";
import { runAction } from "../editor/messages.ts";
import { isLocalCrew, type CrewRef } from "../executions/model.ts";
import { curlCommand } from "./curl.ts";
import type { Prefill } from "./form/values.ts";

/** Puts a kickoff on the clipboard as a command for a shell, and says which variables it needs. A local crew's token is nowhere to be read, so that it can be copied next. */
export async function copyCurl(crew: Pick<CrewRef, "id" | "url">, values: Prefill): Promise<void> {
  const { command, variables } = curlCommand(crew.url, values);
  await vscode.env.clipboard.writeText(command);
  const copyToken = vscode.l10n.t("Copy Token");
  const message = vscode.l10n.t(
    "Copied for a POSIX shell. Set {0} before you run it.",
    variables.join(", "),
  );
  const shown = vscode.window.showInformationMessage(
    message,
    ...(isLocalCrew(crew) ? [copyToken] : []),
  );
  void shown.then(async (chosen) => {
    if (chosen === copyToken)
      await runAction({
        title: copyToken,
        command: "crewdeck.copyToken",
        arguments: [{ crew: crew.id, kind: "message" }],
      });
  });
}
