import * as vscode from "vscode";
import { connectCrew } from "../crews/connect.ts";
import type { Crews } from "../crews/crews.ts";
import { hasDashboard, openDashboard, editCrew, removeCrew } from "../crews/edit.ts";
import { examine, testCrew } from "../crews/test-crew.ts";
import { setToken, chooseCrewWithTwoTokens, switchToken } from "../crews/set-token.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import { removeLocalCrew } from "../local/remove-local-crew.ts";
import type { Crew } from "../crews/types.ts";
import { UserError } from "../base/errors.ts";
import { isProgram, targetOf } from "./arguments.ts";
import { chooseCrew } from "./choose.ts";
import type { Command } from "./table.ts";

/** Commands about connected crews. */
export function crewCommands(crews: Crews, locals: LocalCrews): readonly Command[] {
  const onCrew = (
    id: string,
    action: (crews: Crews, crew: Crew, argument: unknown) => unknown,
    remoteOnly = false,
  ): Command => ({
    id,
    async run(argument) {
      const crew = await chooseCrew(
        crews,
        argument,
        (candidate) => !remoteOnly || candidate.local === undefined,
      );
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
        const crew =
          targetOf(argument).crew === undefined
            ? await chooseCrewWithTwoTokens(crews)
            : await chooseCrew(crews, argument);
        return crew && switchToken(crews, crew, argument);
      },
    },
    onCrew("testCrew", async (all, crew, argument) => {
      const ready = await all.ready(crew);
      return isProgram(argument)
        ? (await examine(all, ready)).report
        : await testCrew(all, ready);
    }),
    {
      id: "openDashboard",
      async run(argument) {
        const isAsked = targetOf(argument).crew === undefined;
        if (isAsked && !crews.list().some(hasDashboard)) {
          throw new UserError(
            vscode.l10n.t("No crew has a dashboard address yet. Add one to a crew first."),
            [{ title: vscode.l10n.t("Edit Crew"), command: "crewdeck.editCrew" }],
          );
        }
        const crew = await chooseCrew(crews, argument, hasDashboard);
        return crew && openDashboard(crew);
      },
    },
    onCrew("removeCrew", (all, crew) =>
      crew.local === undefined ? removeCrew(all, crew) : removeLocalCrew(locals, crew),
    ),
  ];
}
