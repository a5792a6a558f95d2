import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { asArray, defined, type UnknownObject } from "../base/json.ts";
import { connectCrew } from "../crews/connect.ts";
import { editCrew, hasDashboard, openDashboard } from "../crews/edit.ts";
import { setToken } from "../crews/set-token.ts";
import { examine, testCrew } from "../crews/test-crew.ts";
import type { Crew, LocalEngine } from "../crews/types.ts";
import { folderOf, idOf } from "../local/known-crews.ts";
import { booleanOf, isProgram, oneOf, recordOf, stringOf, targetOf } from "../editor/arguments.ts";
import { log } from "../editor/log.ts";
import { viewId } from "../editor/manifest.ts";
import { confirm, plainMessage, showError, showStatus } from "../editor/messages.ts";
import { chooseCrew, findExecution, onCrew } from "./choose.ts";
import type { CommandParts, Commands } from "./table.ts";

interface CrewParts extends Pick<CommandParts, "crews" | "models"> {
  readonly locals: Pick<
    CommandParts["locals"],
    | "changeEngine"
    | "decideInterrupted"
    | "lacksCrewai"
    | "remove"
    | "setUp"
    | "showLog"
    | "start"
    | "stop"
  >;
  readonly store: Pick<CommandParts["store"], "find" | "refresh">;
}

export function crewCommands(parts: CrewParts): Commands {
  const { crews, locals, models } = parts;
  const isDeployed = ({ local }: Crew) => local === undefined;
  const isLocal = ({ local }: Crew) => local !== undefined;
  const onLocal = (action: (crew: Crew, argument: unknown) => unknown) =>
    onCrew(
      parts,
      (crew, argument) => {
        if (isLocal(crew)) return action(crew, argument);
        throw new UserError(vscode.l10n.t("“{0}” is deployed, not a local crew.", crew.name));
      },
      isLocal,
    );
  /** All interrupted executions of the crew, or those that are named. @throws NothingToDo if no named one is interrupted now */
  const chosenIn = (crew: Crew, argument: unknown) => {
    const target = targetOf(argument);
    const interrupted = crew.local?.interrupted ?? [];
    const shown = asArray(recordOf(argument)["kickoffIds"]).map(String);
    if (target.kickoffId === undefined && shown.length === 0) return interrupted;
    const ids = findExecution(parts.store, crews, target)?.kickoffIds ?? shown;
    const left = interrupted.filter((id) => ids.includes(id));
    if (left.length > 0) return left;
    throw new NothingToDo(
      vscode.l10n.t("Nothing was done: what was interrupted is decided already."),
    );
  };
  return {
    addCrew: (argument) => connectCrew(crews, argument),
    editCrew: onCrew(parts, (crew) => editCrew(crews, crew), isDeployed),
    setToken: onCrew(parts, (crew, argument) => setToken(crews, crew, argument), isDeployed),
    testCrew: onCrew(parts, async (crew, argument) => {
      const ready = await crews.ready(crew);
      return isProgram(argument) ? (await examine(crews, ready)).report : testCrew(crews, ready);
    }),
    async openDashboard(argument) {
      if (targetOf(argument).crew === undefined && !crews.list().some(hasDashboard))
        throw new NothingToDo(
          vscode.l10n.t("No crew has a dashboard address yet. Add one to a crew first."),
          [{ title: vscode.l10n.t("Edit Crew"), command: "crewdeck.editCrew" }],
        );
      const crew = await chooseCrew(crews, argument, hasDashboard);
      return crew && openDashboard(crew);
    },
    removeCrew: onCrew(parts, (crew) => removeCrew(parts, crew)),
    startLocalCrew: (argument) => startLocal(parts, argument),
    stopLocalCrew: (argument) => locals.stop(folderIn(parts, recordOf(argument))),
    copyToken: onLocal((crew) => copyToken(parts, crew)),
    changeEngine: onLocal((crew, argument) => {
      const given = recordOf(argument);
      return booleanOf(given, "setUp") === true
        ? locals.setUp(crew.id)
        : locals.changeEngine(crew.id, engineOf(given));
    }),
    continueExecution: onLocal((crew, argument) =>
      locals.decideInterrupted(crew.id, "continue", chosenIn(crew, argument)),
    ),
    discardExecution: onLocal(async (crew, argument) => {
      const chosen = chosenIn(crew, argument);
      return isProgram(argument) || (await confirmDiscard(crew, chosen.length))
        ? locals.decideInterrupted(crew.id, "discard", chosen)
        : undefined;
    }),
    chooseModel: onLocal(async (crew, argument) => {
      const { chooseModel } = await import("../models/choose-model.ts");
      // The crews of a folder have one service, and its model.
      const ofService = { ...crew, id: idOf(folderOf(crew.id)) };
      return await chooseModel(await models(), ofService, argument);
    }),
    showLog(argument) {
      const { crew } = targetOf(argument);
      const ofLocal =
        crew === undefined ? booleanOf(recordOf(argument), "local") : isLocal(crews.get(crew));
      if (ofLocal === true) locals.showLog();
      else log.show();
    },
  };
}

export async function removeCrew(
  parts: { [Part in "crews" | "locals"]: Pick<CrewParts[Part], "remove"> },
  crew: Crew,
): Promise<boolean> {
  const isDeployed = crew.local === undefined;
  const question = isDeployed
    ? vscode.l10n.t("Remove the crew “{0}”?", crew.name)
    : vscode.l10n.t("Remove the local crew “{0}”?", crew.name);
  const detail = isDeployed
    ? vscode.l10n.t(
        "Its tokens are deleted from this machine's secret storage. Tracked executions stay and can be read, but are no longer updated. Nothing changes at {0}.",
        crew.url,
      )
    : vscode.l10n.t(
        "Its service is stopped, and the service's data and tokens are deleted: executions that have not ended can't continue. The project's folder stays, and tracked executions can still be read.",
      );
  if (!(await confirm(question, detail, vscode.l10n.t("Remove")))) return false;
  await (isDeployed ? parts.crews.remove(crew) : parts.locals.remove(crew.id));
  return true;
}

async function startLocal(parts: CrewParts, argument: unknown): Promise<Crew | undefined> {
  const given = recordOf(argument);
  // Only for a person, and before the crew starts: seconds later the person may work elsewhere.
  const isPerson = given["folder"] === undefined || "kind" in given;
  const crew = await parts.locals.start({
    ...folderIn(parts, given),
    ...defined({
      crewClass: stringOf(given, "class"),
      engine: engineOf(given),
      here: booleanOf(given, "here"),
    }),
    ...(isPerson ? { onChosen: () => void vscode.commands.executeCommand(`${viewId}.focus`) } : {}),
  });
  if (crew === undefined) return undefined;
  showStatus(
    crew.local?.engine === "crewai"
      ? vscode.l10n.t("“{0}” runs on this machine with crewAI", crew.name)
      : vscode.l10n.t("“{0}” runs on this machine; no model is called", crew.name),
  );
  if (isPerson && parts.locals.lacksCrewai(crew.id))
    void offerSetUp(parts.locals, crew, crew.local?.engineNote ?? "").catch(showError);
  // Whoever serves the workspace's crew wants to see it work.
  if (given["here"] === true && isPerson) void kickOffFirst(crew).catch(showError);
  return crew;
}

async function kickOffFirst({ id }: Crew): Promise<void> {
  const given = { crew: id, form: true, kind: "welcome" };
  await vscode.commands.executeCommand("crewdeck.kickoff", given);
}

async function offerSetUp(
  locals: CrewParts["locals"],
  { id, name }: Crew,
  why: string,
): Promise<void> {
  const setUp = vscode.l10n.t("Set Up This Project…");
  const text = vscode.l10n.t("“{0}” is rehearsed, without a language model. {1}", name, why);
  if ((await vscode.window.showInformationMessage(plainMessage(text), setUp)) === setUp)
    await locals.setUp(id);
}

function engineOf(given: UnknownObject): LocalEngine | undefined {
  return oneOf(given, "engine", ["rehearsal", "crewai"]);
}

async function confirmDiscard({ name }: Crew, count: number): Promise<boolean> {
  // The decision itself says why there is nothing to discard here.
  if (count === 0) return true;
  const detail =
    count === 1
      ? vscode.l10n.t("1 execution ends here. The outputs of its tasks so far are kept.")
      : vscode.l10n.t(
          "{0} executions end here. The outputs of their tasks so far are kept.",
          count,
        );
  return await confirm(
    count === 1
      ? vscode.l10n.t("Discard the interrupted execution of “{0}”?", name)
      : vscode.l10n.t("Discard the interrupted executions of “{0}”?", name),
    detail,
    vscode.l10n.t("Discard"),
  );
}

function folderIn(
  { crews }: CrewParts,
  given: UnknownObject,
): { readonly folder?: string; readonly crewClass?: string } {
  const crew = stringOf(given, "crew");
  const { folder, crewClass } = (crew === undefined ? undefined : crews.get(crew).local) ?? {};
  return defined({ crewClass, folder: stringOf(given, "folder") ?? folder });
}

/** A deployed crew's token is never given out. */
async function copyToken({ crews }: CrewParts, crew: Crew): Promise<void> {
  const stored = await crews.token(crew.id);
  if (stored === undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” has no token yet. It is created when the crew is started for the first time.",
        crew.name,
      ),
    );
  await vscode.env.clipboard.writeText(stored.token);
  const { name } = crew;
  showStatus(
    vscode.l10n.t("The token of “{0}” is copied. It opens this crew on this machine only.", name),
  );
}
