import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { editCrewAction } from "./actions.ts";
import { isWebAddress } from "./entries.ts";
import type { Crew } from "./types.ts";

/** Whether a crew has a page in a dashboard that a browser can open. */
export function hasDashboard({ dashboardUrl }: Crew): boolean {
  return dashboardUrl !== undefined && isWebAddress(dashboardUrl);
}

/**
 * Opens a crew's page in its dashboard in the browser.
 * @returns its address
 * @throws UserError where none is known
 */
export async function openDashboard(crew: Crew): Promise<string> {
  const { dashboardUrl } = crew;
  if (dashboardUrl === undefined || !isWebAddress(dashboardUrl)) {
    throw new UserError(
      vscode.l10n.t(
        "The dashboard's address of “{0}” is not known. Add it to the crew first.",
        crew.name,
      ),
      crew.local === undefined ? [editCrewAction(crew)] : [],
    );
  }
  await vscode.env.openExternal(vscode.Uri.parse(dashboardUrl, true));
  return dashboardUrl;
}
