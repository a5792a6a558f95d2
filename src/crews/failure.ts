import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError } from "../editor/errors.ts";
import type { AfterFailure } from "./conversation.ts";

/** Kinds after which a crew may well be right and only out of reach just now, so that saving it untested is offered. */
const outOfReach: readonly string[] = ["unreachable", "timeout", "gateway"];

/** Which questions can be asked again after a failed test. */
export interface Edits<Step> {
  readonly address?: Step;
  readonly token?: Step;
  /** Offered when it was not the crew that failed, but the saving: its name may have been taken meanwhile. */
  readonly name?: Step;
  /** Asked again without a word when the person stopped the test. */
  readonly last: Step;
}

/** Tells why a crew could not be tested or saved, with the remedy, and asks what to do. */
export async function askAfterFailure<Step>(error: unknown, title: string, edits: Edits<Step>): Promise<AfterFailure<Step>> {
  if (error instanceof CrewApiError && error.kind === "aborted") return { edit: edits.last };
  const choices: { readonly title: string; readonly then: AfterFailure<Step> }[] = [{ title: vscode.l10n.t("Try Again"), then: "again" }];
  if (edits.address !== undefined) choices.push({ title: vscode.l10n.t("Edit Address"), then: { edit: edits.address } });
  if (edits.token !== undefined) choices.push({ title: vscode.l10n.t("Edit Token"), then: { edit: edits.token } });
  if (edits.name !== undefined && error instanceof UserError) choices.push({ title: vscode.l10n.t("Edit Name"), then: { edit: edits.name } });
  if (error instanceof CrewApiError && outOfReach.includes(error.kind)) choices.push({ title: vscode.l10n.t("Save Anyway"), then: "untested" });
  const chosen = await vscode.window.showErrorMessage(title, { modal: true, detail: messageOf(error) }, ...choices.map((choice) => choice.title));
  return choices.find((choice) => choice.title === chosen)?.then ?? "cancel";
}
