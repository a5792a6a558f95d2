import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { setTokenAction } from "./actions.ts";
import { isWebAddress } from "./entries.ts";
import { idOfAddress, isSameName } from "./identity.ts";
import type { Crew } from "./types.ts";

/** What a person says of a crew; the address is normalised, and the dashboard's is empty where there is none. */
export interface CrewWords {
  readonly name: string;
  readonly url: string;
  readonly dashboardUrl: string;
}

/** The crew that goes by these words beside the others. @throws UserError when its name or address is taken, it has no name, or its dashboard's address is none */
export function checkedCrew({ name, url, dashboardUrl }: CrewWords, others: readonly Crew[]): Crew {
  const crew: Crew = {
    id: idOfAddress(url),
    name: name.trim(),
    url,
    ...(dashboardUrl === "" ? {} : { dashboardUrl }),
  };
  if (crew.name === "") throw new UserError(vscode.l10n.t("The crew needs a name."));
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
      vscode.l10n.t("The dashboard's address must begin with https:// or http://."),
    );
  }
  return crew;
}

/** @throws UserError for a crew that is served on this machine: it is not in the settings, and can't be changed there */
export function refuseLocal(crew: Crew): void {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” runs on this machine and is not in the settings. Stop the local crew instead.",
        crew.name,
      ),
    );
}
