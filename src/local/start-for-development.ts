import * as vscode from "vscode";
import { viewId } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import type { LocalCrews } from "./local-crews.ts";

/**
 * `npm start` names a crew's folder in the environment variable CREWDECK_START_LOCAL: that crew is served and connected from
 * the beginning. Only who starts VS Code can set it, no workspace.
 */
export function startForDevelopment(locals: Pick<LocalCrews, "start">): void {
  const folder = process.env["CREWDECK_START_LOCAL"];
  if (folder === undefined || folder === "") return;
  // Whoever runs that wants to see the crew, not the files.
  const started = locals
    .start({ folder })
    .then(() => vscode.commands.executeCommand(`${viewId}.focus`));
  started.catch((error: unknown) => {
    logProblem("Starting the crew that CREWDECK_START_LOCAL names", error);
  });
}
