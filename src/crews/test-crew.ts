import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { defined } from "../base/json.ts";
import { actionsOf, messageOf, UserError } from "../base/errors.ts";
import { plainMessage, runAction, showError, showStatus, withCancel } from "../editor/messages.ts";
import type { Crews } from "./crews.ts";
import { editCrewAction, MissingTokenError } from "./errors.ts";
import { tokenTypeName } from "./token-format.ts";
import type { Crew, CrewReport } from "./types.ts";

export async function testCrew(crews: Crews, crew: Crew): Promise<CrewReport | undefined> {
  const title = vscode.l10n.t("Testing {0}", `“${crew.name}”`);
  const examination = await withCancel(title, (signal) => examine(crews, crew, signal));
  if (examination === undefined) return undefined;
  show(examination, crew).catch(showError);
  return examination.report;
}

async function show({ report, error }: Examination, crew: Crew): Promise<void> {
  const copy = vscode.l10n.t("Copy Report");
  const text = plainMessage(linesOf(report).join(" "));
  const log = { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLog" };
  const brought = actionsOf(error);
  // Without other actions, the address may be wrong.
  const remedies =
    brought.length > 0 || crew.local !== undefined ? brought : [editCrewAction(crew)];
  const actions = error === undefined ? [] : [...remedies, log];
  const titles = [...actions.map(({ title }) => title), copy];
  const chosen =
    error === undefined
      ? await vscode.window.showInformationMessage(text, ...titles)
      : await vscode.window.showErrorMessage(text, ...titles);
  if (chosen === copy) {
    await vscode.env.clipboard.writeText(linesOf(report).join("\n"));
    showStatus(vscode.l10n.t("Report copied."));
  }
  const action = actions.find(({ title }) => title === chosen);
  if (action !== undefined) await runAction(action);
}

interface Examination {
  readonly report: CrewReport;
  readonly error?: Error;
}

/** Costs nothing. @throws CrewApiError of kind `aborted`; other failures are in the report */
export async function examine(
  crews: Crews,
  crew: Crew,
  signal?: AbortSignal,
): Promise<Examination> {
  const state = await crews.tokenState(crew.id);
  const tokenType = state.kind === "stored" ? state.inUse : undefined;
  const about = { crew: crew.name, url: crew.url, ...defined({ tokenType }) };
  const begun = Date.now();
  try {
    const { fields } = await crews.inputs(crew, { fresh: true, ...defined({ signal }) });
    const milliseconds = Date.now() - begun;
    const statusPath = await (await crews.client(crew)).findStatusPath(defined({ signal }));
    const report = { ...about, ok: true, milliseconds, inputs: fields.length };
    return { report: { ...report, ...defined({ statusPath }) } };
  } catch (error) {
    const cause = causeOf(error);
    if (cause === undefined || !(error instanceof Error)) throw error;
    const milliseconds = Date.now() - begun;
    const report = { ...about, ok: false, milliseconds, cause, problem: messageOf(error) };
    return { report, error };
  }
}

/** Undefined for a cancelled test and unexpected errors. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof MissingTokenError) return error.why === "none" ? "noToken" : "tokenLost";
  if (error instanceof UserError) return "other";
  if (!(error instanceof CrewApiError) || error.kind === "aborted") return undefined;
  return error.reason ?? error.kind;
}

function linesOf(report: CrewReport): readonly string[] {
  const { crew, url, milliseconds, inputs = 0, tokenType, statusPath, ok, problem = "" } = report;
  const token = tokenType === undefined ? [] : [l10n.t("Token: {0}.", tokenTypeName(tokenType))];
  if (!ok) return [l10n.t("“{0}” at {1}:", crew, url), problem, ...token];
  const found = inputs === 1 ? l10n.t("one input") : l10n.t("{0} inputs", inputs);
  return [
    l10n.t("“{0}” answers at {1} in {2} ms and has {3}.", crew, url, milliseconds, found),
    ...token,
    statusPath === undefined
      ? l10n.t("Its status path is not known yet.")
      : l10n.t("Status path: {0}.", statusPath),
  ];
}
