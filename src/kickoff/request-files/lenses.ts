import * as vscode from "vscode";

/** The actions over a request file. What they do is said by the commands, which check the file when it is used. */
export class RequestFileLenses implements vscode.CodeLensProvider {
  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const range = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string, tooltip: string) =>
      new vscode.CodeLens(range, {
        title,
        command: `crewdeck.${command}`,
        tooltip,
        arguments: [{ file: uri.toString(), fromLens: true }],
      });
    return [
      lens(
        vscode.l10n.t("Kick off"),
        "kickoffFile",
        vscode.l10n.t("Starts an execution with these inputs, as they stand in the editor"),
      ),
      lens(
        vscode.l10n.t("Open in form"),
        "openFileInForm",
        vscode.l10n.t("Fills these values into the crew's form; nothing is sent yet"),
      ),
      lens(
        vscode.l10n.t("Copy as cURL"),
        "copyAsCurl",
        vscode.l10n.t("The same kickoff as a command for a shell, without the token"),
      ),
    ];
  }
}
