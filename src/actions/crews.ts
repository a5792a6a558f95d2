import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { action, actionsOf, messageOf, UserError } from "../base/errors.ts";
import { asObject, defined } from "../base/json.ts";
import { connectCrew, editCrew, openDashboard, setToken } from "../crews/connect.ts";
import { editCrewAction, MissingTokenError } from "../crews/errors.ts";
import { tokenTypeName } from "../crews/token-format.ts";
import type { Crew } from "../crews/types.ts";
import { confirmDiscard, pickAddition } from "../local/questions.ts";
import { folderOf, idOf } from "../local/records.ts";
import { flag, oneOf, read, readTarget, text } from "../editor/arguments.ts";
import { log } from "../editor/log.ts";
import { viewId } from "../editor/manifest.ts";
import { confirm, showActions, showError, showStatus, withProgress } from "../editor/messages.ts";
import type { Crews } from "../crews/crews.ts";
import type { LocalCrews } from "../local/local-crews.ts";
import type { Models } from "../models/models.ts";
import { type Asker, person } from "./asker.ts";
import type { Targets } from "./targets.ts";

export interface CrewParts {
  readonly targets: Targets;
  readonly crews: Crews;
  readonly models: () => Promise<Models>;
  readonly kickoff: (argument: unknown, by: Asker) => Promise<unknown>;
  readonly locals: Pick<
    LocalCrews,
    "changeEngine" | "decideInterrupted" | "remove" | "setUp" | "showLog" | "start" | "stop"
  >;
}

const engine = oneOf(["rehearsal", "crewai"]);

export function crewVerbs(parts: CrewParts) {
  const { targets, crews, locals, models } = parts;
  const isDeployed = ({ local }: Crew) => local === undefined;
  const isLocal = ({ local }: Crew) => local !== undefined;
  const onLocal = <Made>(run: (crew: Crew, argument: unknown, by: Asker) => Made) =>
    targets.onCrew((crew, argument, by) => {
      if (isLocal(crew)) return run(crew, argument, by);
      throw new UserError(vscode.l10n.t("“{0}” is deployed, not a local crew.", crew.name));
    }, isLocal);
  /** Undefined for all that are interrupted. */
  const chosenIn = (argument: unknown) => {
    const target = readTarget(argument);
    if (target.kickoffId === undefined) return undefined;
    return targets.find(target)?.kickoffIds ?? [];
  };
  return {
    async addCrew(argument: unknown, by: Asker) {
      // A view's title passes the row that has focus.
      const given = by.isPerson && asObject(argument)["url"] === undefined ? undefined : argument;
      const { deployed } = read({ deployed: flag }, argument);
      const isOpen = given === undefined && deployed !== true;
      const folder = isOpen ? await pickAddition(crews) : "";
      if (folder === "") return await connectCrew(crews, given);
      return folder && (await startLocal(parts, { folder, here: true }, by));
    },
    editCrew: targets.onCrew((crew) => editCrew(crews, crew), isDeployed),
    setToken: targets.onCrew((crew, argument) => setToken(crews, crew, argument), isDeployed),
    testCrew: targets.onCrew(async (crew, _argument, by) =>
      testCrew(crews, await crews.ready(crew), by.isPerson),
    ),
    openDashboard: targets.onCrew(
      (crew) => openDashboard(crew),
      ({ dashboardUrl }) => dashboardUrl !== undefined,
    ),
    removeCrew: targets.onCrew((crew) => removeCrew(parts, crew)),
    startLocalCrew: (argument: unknown, by: Asker) => startLocal(parts, argument, by),
    async stopLocalCrew(argument: unknown) {
      const none = vscode.l10n.t("No local crew is running.");
      const isRunning = ({ local }: Crew) => local?.running === true;
      const choose = async () => (await targets.crew(argument, isRunning, none))?.local?.folder;
      const folder = read({ folder: text }, argument).folder ?? (await choose());
      return folder && (await locals.stop({ folder }));
    },
    copyToken: onLocal((crew) => copyToken(parts, crew)),
    changeEngine: onLocal((crew, argument) => {
      const { setUp, engine: wanted } = read({ setUp: flag, engine }, argument);
      return setUp === true ? locals.setUp(crew.id) : locals.changeEngine(crew.id, wanted);
    }),
    continueExecution: onLocal((crew, argument) =>
      locals.decideInterrupted(crew.id, "continue", chosenIn(argument)),
    ),
    discardExecution: onLocal(async (crew, argument, by) => {
      const chosen = chosenIn(argument);
      const held = crew.local?.interrupted ?? [];
      const count = held.filter((id) => chosen?.includes(id) ?? true).length;
      // The decision itself says why there is nothing to discard here.
      return count === 0 || !by.isPerson || (await confirmDiscard(crew.name, count))
        ? locals.decideInterrupted(crew.id, "discard", chosen)
        : undefined;
    }),
    chooseModel: onLocal(async (crew, argument, by) => {
      const { chooseModel } = await import("../models/choose-model.ts");
      // The crews of a folder have one service, and its model.
      const ofService = { ...crew, id: idOf(folderOf(crew.id)) };
      return await chooseModel(await models(), ofService, argument, by.isPerson, () =>
        locals.changeEngine(crew.id),
      );
    }),
    showLog(argument: unknown) {
      const { crew, local } = read({ crew: text, local: flag }, argument);
      if (crew === undefined ? local === true : isLocal(crews.get(crew))) locals.showLog();
      else log.show();
    },
  };
}

export async function testCrew(crews: Crews, crew: Crew, isPerson: boolean) {
  const { name, url } = crew;
  const state = await crews.tokenState(crew.id);
  const tokenType = state.kind === "stored" ? state.inUse : undefined;
  const token = tokenType === undefined ? "–" : tokenTypeName(tokenType);
  const log = action(vscode.l10n.t("Show Log"), "crewdeck.showLog");
  const begun = Date.now();
  /** `cause`: the kind of the error, or the reason why the crew can't be reached. */
  const reportOf = (of: { ok: boolean; inputs?: number; cause?: string; problem?: string }) => ({
    ...{ crew: name, url, milliseconds: Date.now() - begun },
    ...defined({ tokenType }),
    ...of,
  });
  const ask = async (signal?: AbortSignal) =>
    (await crews.inputs(crew, { fresh: true, ...defined({ signal }) })).fields.length;
  try {
    const title = vscode.l10n.t("Testing {0}", `“${name}”`);
    const inputs = await (isPerson ? withProgress(title, ask) : ask());
    const report = reportOf({ ok: true, inputs });
    const text = vscode.l10n.t(
      "“{0}” answers at {1} in {2} ms. Inputs: {3}. Token: {4}.",
      ...[name, url, report.milliseconds, inputs, token],
    );
    if (isPerson) void showActions("Information", text, [log]);
    return report;
  } catch (error) {
    if (error instanceof CrewApiError && error.kind === "aborted") return undefined;
    if (!(error instanceof CrewApiError || error instanceof UserError)) throw error;
    const refusal = error instanceof CrewApiError ? (error.reason ?? error.kind) : "other";
    const cause = error instanceof MissingTokenError ? "noToken" : refusal;
    const problem = messageOf(error);
    const text = vscode.l10n.t("“{0}” at {1}: {2} Token: {3}.", name, url, problem, token);
    const brought = actionsOf(error);
    // Without other actions, the address may be wrong.
    const remedies =
      brought.length > 0 || crew.local !== undefined ? brought : [editCrewAction(crew)];
    if (isPerson) void showActions("Error", text, [...remedies, log]);
    return reportOf({ ok: false, cause, problem });
  }
}

export async function removeCrew(
  parts: { [Part in "crews" | "locals"]: Pick<CrewParts[Part], "remove"> },
  crew: Crew,
): Promise<boolean> {
  const isDeployed = crew.local === undefined;
  const question = vscode.l10n.t("Remove the crew “{0}”?", crew.name);
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

async function startLocal(parts: CrewParts, argument: unknown, by: Asker) {
  const members = { crew: text, folder: text, class: text, engine, here: flag };
  const { crew: asked, folder, class: ofClass, engine: wanted, here } = read(members, argument);
  const named = asked === undefined ? undefined : parts.crews.get(asked).local;
  // A view's title passes the row that has focus, also of a crew that runs.
  const local = by.isPerson && named?.running === true ? undefined : named;
  const isChosen = local === undefined && (folder === undefined || by.isPerson);
  // Before the crew starts: seconds later the person may work elsewhere.
  if (isChosen) await vscode.commands.executeCommand(`${viewId}.focus`);
  const project = { folder: folder ?? local?.folder, crewClass: ofClass ?? local?.crewClass };
  const crew = await parts.locals.start(defined({ ...project, engine: wanted, here }));
  if (crew === undefined) return undefined;
  showStatus(vscode.l10n.t("“{0}” runs on this machine", crew.name));
  // Whoever serves a crew wants to see it work.
  if (isChosen && (here === true || folder === undefined))
    void parts.kickoff({ crew: crew.id, form: true }, person).catch(showError);
  return crew;
}

/** A deployed crew's token is never given out. */
async function copyToken({ crews }: CrewParts, { id, name }: Crew): Promise<void> {
  const stored = await crews.token(id);
  if (stored === undefined)
    throw new UserError(vscode.l10n.t("“{0}” has no token yet. Start it first.", name));
  await vscode.env.clipboard.writeText(stored.token);
  showStatus(
    vscode.l10n.t("The token of “{0}” is copied. It opens this crew on this machine only.", name),
  );
}
