import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { actionsOf, type ErrorAction } from "../editor/errors.ts";
import { plainMessage, showStatus, runAction } from "../editor/messages.ts";
import { editCrewAction, showLogAction } from "./actions.ts";
import type { Crews } from "./crews.ts";
import { examine, type Examination } from "./examine.ts";
import { whileTesting } from "./progress.ts";
import { reportInFull, reportInWords } from "./report.ts";
import type { Crew, CrewReport } from "./types.ts";

/**
 * Tests the connection to a crew and shows the report, with buttons for the remedy and to copy it.
 * @returns the report, or nothing when the person stopped the test
 */
export async function testCrew(crews: Crews, crew: Crew): Promise<CrewReport | undefined> {
  let examination: Examination;
  try {
    examination = await whileTesting(`“${crew.name}”`, (signal) => examine(crews, crew, signal));
  } catch (error) {
    if (error instanceof CrewApiError && error.kind === "aborted") return undefined;
    throw error;
  }
  // Not awaited: the report may stay as long as it likes.
  void show(examination, crew);
  return examination.report;
}

async function show({ report, error }: Examination, crew: Crew): Promise<void> {
  const copy = vscode.l10n.t("Copy Report");
  const text = plainMessage(reportInWords(report));
  const actions = error === undefined ? [] : [...remediesFor(error, crew), showLogAction()];
  const titles = [...actions.map(({ title }) => title), copy];
  const chosen =
    error === undefined
      ? await vscode.window.showInformationMessage(text, ...titles)
      : await vscode.window.showErrorMessage(text, ...titles);
  if (chosen === copy) {
    await vscode.env.clipboard.writeText(reportInFull(report));
    showStatus(vscode.l10n.t("The report is copied."));
  }
  const action = actions.find(({ title }) => title === chosen);
  if (action !== undefined) await runAction(action);
}

/** What the error brings; where that is nothing, the address may be wrong. */
function remediesFor(error: Error, crew: Crew): readonly ErrorAction[] {
  const brought = actionsOf(error);
  return brought.length > 0 || crew.local !== undefined ? brought : [editCrewAction(crew)];
}
