import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { defined } from "../base/json.ts";
import { actionsOf, messageOf, UserError } from "../base/errors.ts";
import { showActions, showError, withCancel } from "../editor/messages.ts";
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
  const brought = actionsOf(error);
  // Without other actions, the address may be wrong.
  const remedies =
    brought.length > 0 || crew.local !== undefined ? brought : [editCrewAction(crew)];
  const log = { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLog" };
  await (error === undefined
    ? showActions("Information", textOf(report), [log])
    : showActions("Error", textOf(report), [...remedies, log]));
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
    return { report: { ...about, ok: true, milliseconds, inputs: fields.length } };
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
  if (error instanceof MissingTokenError) return error.isLocked ? "tokenLocked" : "noToken";
  if (error instanceof UserError) return "other";
  if (!(error instanceof CrewApiError) || error.kind === "aborted") return undefined;
  return error.reason ?? error.kind;
}

function textOf(report: CrewReport): string {
  const { crew, url, milliseconds, inputs = 0, tokenType, ok, problem = "" } = report;
  const token = tokenType === undefined ? "–" : tokenTypeName(tokenType);
  if (!ok) return l10n.t("“{0}” at {1}: {2} Token: {3}.", crew, url, problem, token);
  return l10n.t(
    "“{0}” answers at {1} in {2} ms. Inputs: {3}. Token: {4}.",
    ...[crew, url, milliseconds, inputs, token],
  );
}
