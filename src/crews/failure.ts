import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError } from "../base/errors.ts";
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

/** Tells why a crew could not be tested or saved, with the remedy, and asks what to do; what helps against the cause comes first. */
export async function askAfterFailure<Step>(
  error: unknown,
  title: string,
  edits: Edits<Step>,
): Promise<AfterFailure<Step>> {
  if (error instanceof CrewApiError && error.kind === "aborted") return { edit: edits.last };
  const edit = (label: string, step: Step | undefined): readonly Remedy<Step>[] =>
    step === undefined ? [] : [{ title: label, then: { edit: step } }];
  const again: readonly Remedy<Step>[] = [{ title: vscode.l10n.t("Try Again"), then: "again" }];
  const address = edit(vscode.l10n.t("Edit Address"), edits.address);
  const token = edit(vscode.l10n.t("Edit Token"), edits.token);
  const name = error instanceof UserError ? edit(vscode.l10n.t("Edit Name"), edits.name) : [];
  const untested: readonly Remedy<Step>[] =
    error instanceof CrewApiError && outOfReach.includes(error.kind)
      ? [{ title: vscode.l10n.t("Save Anyway"), then: "untested" }]
      : [];
  const choices = {
    token: [...token, ...address, ...again, ...name, ...untested],
    address: [...address, ...token, ...again, ...name, ...untested],
    passing: [...again, ...address, ...token, ...name, ...untested],
  }[helpedBy(error)];
  const chosen = await vscode.window.showErrorMessage(
    title,
    { modal: true, detail: messageOf(error) },
    ...choices.map((choice) => choice.title),
  );
  return choices.find((choice) => choice.title === chosen)?.then ?? "cancel";
}

interface Remedy<Step> {
  readonly title: string;
  readonly then: AfterFailure<Step>;
}

/** What is likely wrong. What passes by itself may be tried again as it is. */
function helpedBy(error: unknown): "token" | "address" | "passing" {
  if (!(error instanceof CrewApiError)) return "passing";
  if (error.kind === "unauthorized" || error.kind === "forbidden") return "token";
  return ["notFound", "badAnswer", "badRequest", "redirected"].includes(error.kind) ||
    error.reason === "dns"
    ? "address"
    : "passing";
}
