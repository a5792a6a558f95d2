import type { Crews } from "../crews/crews.ts";
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
        return await locals.start({ ...folderOf(given), ...optional("engine", stringOf(given, "engine")) });
      },
    },
    { id: "stopLocalCrew", run: (argument) => locals.stop(folderOf(recordOf(argument))) },
    { id: "showLocalLog", run: () => locals.showLog() },
  ];
}
