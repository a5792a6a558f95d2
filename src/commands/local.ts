import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { viewId } from "../editor/ids.ts";
import { said } from "../editor/said.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import { optional, recordOf, stringOf } from "./arguments.ts";
import type { Command } from "./table.ts";

/** Commands about crews that run on this machine. */
export function localCommands(crews: Crews, locals: LocalCrews): readonly Command[] {
  /** A folder, else the folder of the crew that a row of the tree names. */
  const folderOf = (given: Readonly<Record<string, unknown>>) => {
    const crew = stringOf(given, "crew");
    return optional("folder", stringOf(given, "folder") ?? (crew === undefined ? undefined : crews.get(crew).local?.folder));
  };
  return [
    {
      id: "startLocalCrew",
      async run(argument) {
        const given = recordOf(argument);
        // A person wants to kick it off next; a program that named the folder leaves the focus where it is. The view is shown before the crew
        // starts: seconds later the person may be at work elsewhere, and would lose the focus there.
        const isPerson = given["folder"] === undefined || "kind" in given;
        const onChosen = () => void vscode.commands.executeCommand(`${viewId}.focus`);
        const crew = await locals.start({ ...folderOf(given), ...optional("engine", stringOf(given, "engine")), ...(isPerson ? { onChosen } : {}) });
        if (crew !== undefined) said(vscode.l10n.t("{0} runs on this machine; no model is called", crew.name));
        return crew;
      },
    },
    { id: "stopLocalCrew", run: (argument) => locals.stop(folderOf(recordOf(argument))) },
    { id: "showLocalLog", run: () => locals.showLog() },
  ];
}
