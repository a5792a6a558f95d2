import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { setTokenAction } from "./actions.ts";
import { isWebAddress } from "./entries.ts";
import { idOfAddress, isSameName } from "./identity.ts";
import type { Crew } from "./types.ts";

/** A crew as a person entered it; `url` is normalised, `dashboardUrl` may be empty. */
export interface EnteredCrew {
  readonly name: string;
  readonly url: string;
  readonly dashboardUrl: string;
}

/** @throws UserError if the name or address is taken, or the name or the dashboard's address is invalid */
export function checkedCrew(
  { name, url, dashboardUrl }: EnteredCrew,
  others: readonly Crew[],
): Crew {
  const crew: Crew = {
    id: idOfAddress(url),
    name: name.trim(),
    url,
    ...(dashboardUrl === "" ? {} : { dashboardUrl }),
  };
  if (crew.name === "") throw new UserError(vscode.l10n.t("Enter a name for the crew."));
  const sameAddress = others.find((other) => other.id === crew.id || other.url === url);
  if (sameAddress !== undefined)
    throw new UserError(
      vscode.l10n.t("{0} is already connected, as “{1}”.", url, sameAddress.name),
      [setTokenAction(sameAddress)],
    );
  const sameName = others.find((other) => isSameName(other.name, crew.name));
  if (sameName !== undefined)
    throw new UserError(
      vscode.l10n.t("There is already a crew named “{0}”. Choose another name.", sameName.name),
    );
  if (dashboardUrl !== "" && !isWebAddress(dashboardUrl)) {
    throw new UserError(
      vscode.l10n.t("The dashboard's address must start with https:// or http://."),
    );
  }
  return crew;
}

/** @throws UserError for a local crew, which isn't in the settings */
export function refuseLocal(crew: Crew): void {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” runs on this machine and is not in the settings. Stop the local crew instead.",
        crew.name,
      ),
    );
}
