import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { action, actionsOf, messageOf, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { showActions, withCancel } from "../editor/messages.ts";
import type { Crews } from "./crews.ts";
import { editCrewAction, MissingTokenError } from "./errors.ts";
import { tokenTypeName } from "./token-format.ts";
import type { Crew, CrewReport } from "./types.ts";

/** Costs nothing. A person sees the report, and may cancel. */
export async function testCrew(
  crews: Crews,
  crew: Crew,
  isPerson: boolean,
): Promise<CrewReport | undefined> {
  const { name, url } = crew;
  const state = await crews.tokenState(crew.id);
  const tokenType = state.kind === "stored" ? state.inUse : undefined;
  const token = tokenType === undefined ? "–" : tokenTypeName(tokenType);
  const log = action(vscode.l10n.t("Show Log"), "crewdeck.showLog");
  const begun = Date.now();
  const about = () => ({
    ...{ crew: name, url, milliseconds: Date.now() - begun },
    ...defined({ tokenType }),
  });
  const ask = async (signal?: AbortSignal) =>
    (await crews.inputs(crew, { fresh: true, ...defined({ signal }) })).fields.length;
  try {
    const title = vscode.l10n.t("Testing {0}", `“${name}”`);
    const inputs = await (isPerson ? withCancel(title, ask) : ask());
    if (inputs === undefined) return undefined;
    const report = { ...about(), ok: true, inputs };
    const text = vscode.l10n.t(
      "“{0}” answers at {1} in {2} ms. Inputs: {3}. Token: {4}.",
      ...[name, url, report.milliseconds, inputs, token],
    );
    if (isPerson) void showActions("Information", text, [log]);
    return report;
  } catch (error) {
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
    return { ...about(), ok: false, cause, problem };
  }
}
