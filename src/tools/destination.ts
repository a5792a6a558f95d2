import * as l10n from "@vscode/l10n";
import type { Crew, CrewAddress } from "../crews/types.ts";
import { crewAndHost } from "../feedback/destination.ts";

/** Where something goes, for a person: the crew's name and its host, or this machine, where a crew changes its port. */
export function crewAndPlace(crew: CrewAddress & Pick<Crew, "local">): string {
  return crew.local === undefined
    ? crewAndHost({ crew })
    : l10n.t("“{0}” (local, on this machine)", crew.name);
}
