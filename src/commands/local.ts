import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { viewId } from "../editor/ids.ts";
import { showStatus } from "../editor/messages.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import { booleanOf, optional, recordOf, stringOf } from "./arguments.ts";
import { chooseCrew } from "./choose.ts";
import type { Command } from "./table.ts";

/** Commands about crews that run on this machine. */
export function localCommands(crews: Crews, locals: LocalCrews): readonly Command[] {
  /** A folder, else the folder of the crew that a row of the tree names. */
  const folderOf = (given: Readonly<Record<string, unknown>>) => {
    const crew = stringOf(given, "crew");
    return optional(
      "folder",
      stringOf(given, "folder") ?? (crew === undefined ? undefined : crews.get(crew).local?.folder),
    );
  };
  const start = async (argument: unknown) => {
    const given = recordOf(argument);
    // A person wants to kick it off next; a program that named the folder leaves the focus where it is. The view is shown before the crew
    // starts: seconds later the person may be at work elsewhere, and would lose the focus there.
    const isPerson = given["folder"] === undefined || "kind" in given;
    const onChosen = () => void vscode.commands.executeCommand(`${viewId}.focus`);
    const crew = await locals.start({
      ...folderOf(given),
      ...optional("engine", stringOf(given, "engine")),
      ...optional("here", booleanOf(given, "here")),
      ...(isPerson ? { onChosen } : {}),
    });
    if (crew !== undefined)
      showStatus(vscode.l10n.t("“{0}” runs on this machine; no model is called", crew.name));
    return crew;
  };
  return [
    { id: "startLocalCrew", run: start },
    // On a stopped crew's row, where nothing is left to be asked.
    { id: "startCrew", run: start },
    { id: "stopLocalCrew", run: (argument) => locals.stop(folderOf(recordOf(argument))) },
    { id: "copyToken", run: (argument) => copyToken(crews, argument) },
    { id: "showLocalLog", run: () => locals.showLog() },
  ];
}

/** Copies the token by which a shell reaches a crew of this machine. That of a deployed crew is never given out. */
async function copyToken(crews: Crews, argument: unknown): Promise<void> {
  const crew = await chooseCrew(crews, argument, ({ local }) => local !== undefined);
  if (crew === undefined) return;
  if (crew.local === undefined)
    throw new UserError(
      vscode.l10n.t(
        "Only the token of a local crew can be copied, and “{0}” is deployed. You find its token in the crew's dashboard.",
        crew.name,
      ),
    );
  const kept = await crews.token(crew.id);
  if (kept === undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” has no token yet. It is made when the crew is started for the first time.",
        crew.name,
      ),
    );
  await vscode.env.clipboard.writeText(kept.token);
  showStatus(
    vscode.l10n.t(
      "The token of “{0}” is copied. It opens this crew on this machine only.",
      crew.name,
    ),
  );
}
