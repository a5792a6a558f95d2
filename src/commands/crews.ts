import { connectCrew } from "../crews/connect.ts";
import type { Crews } from "../crews/crews.ts";
import { editCrew } from "../crews/edit.ts";
import { removeCrew } from "../crews/remove.ts";
import { setToken } from "../crews/set-token.ts";
import { chooseCrewWithTwoTokens, switchToken } from "../crews/switch-token.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import { removeLocalCrew } from "../local/remove-local-crew.ts";
import { testCrew } from "../crews/test-crew.ts";
import type { Crew } from "../crews/types.ts";
import { targetOf } from "./arguments.ts";
import { chooseCrew } from "./choose.ts";
import type { Command } from "./table.ts";

/** Commands about connected crews. */
export function crewCommands(crews: Crews, locals: LocalCrews, wake: (crewId: string) => Promise<void>): readonly Command[] {
  const onCrew = (id: string, action: (crews: Crews, crew: Crew, argument: unknown) => unknown, remoteOnly = false): Command => ({
    id,
    async run(argument) {
      const crew = await chooseCrew(crews, argument, (candidate) => !remoteOnly || candidate.local === undefined);
      return crew && action(crews, crew, argument);
    },
  });
  return [
    { id: "addCrew", run: (argument) => connectCrew(crews, argument) },
    onCrew("editCrew", editCrew, true),
    onCrew("setToken", setToken, true),
    {
      id: "switchToken",
      async run(argument) {
        const crew = targetOf(argument).crew === undefined ? await chooseCrewWithTwoTokens(crews) : await chooseCrew(crews, argument);
        return crew && switchToken(crews, crew, argument);
      },
    },
    onCrew("testCrew", async (all, { id }) => {
      await wake(id);
      return await testCrew(all, all.get(id));
    }),
    onCrew("removeCrew", (all, crew) => (crew.local === undefined ? removeCrew(all, crew) : removeLocalCrew(locals, crew))),
  ];
}
