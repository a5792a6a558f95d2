import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import type { CrewInputs } from "../api/types.ts";
import type { Crews } from "../crews/crews.ts";
import type { CrewAddress } from "../crews/types.ts";
import { confirm, withProgress } from "../editor/messages.ts";

export function needsPython(error: unknown): boolean {
  return error instanceof CrewApiError && error.asksPython === true;
}

/** Asks the person, then the crew's Python. Undefined if the person says no. @throws CrewApiError */
export async function askPython(
  crews: Pick<Crews, "inputs">,
  crew: CrewAddress,
): Promise<CrewInputs | undefined> {
  const isAllowed = await confirm(
    vscode.l10n.t("Ask the Python of “{0}” for its inputs?", crew.name),
    vscode.l10n.t(
      "The project's files don't say all of them. To list them, the project's own Python loads the crew, which runs the project's code on this machine. No model is called. The answer is kept until the files change.",
    ),
    vscode.l10n.t("Ask Python"),
  );
  if (!isAllowed) return undefined;
  const title = vscode.l10n.t("Loading “{0}” in its Python", crew.name);
  return await withProgress(title, (signal) => crews.inputs(crew, { ask: true, signal }));
}
