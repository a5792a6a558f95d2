import * as vscode from "vscode";
import { CrewApiError } from "../api/errors.ts";
import { messageOf, UserError, type ErrorAction } from "../editor/errors.ts";
import { plainMessage } from "../editor/plain.ts";
import type { Crews } from "./crews.ts";
import { whileTesting } from "./progress.ts";
import { tokenTypeName } from "./token-words.ts";
import type { Crew, TestResult } from "./types.ts";

/**
 * Tests the connection to a crew and shows the report.
 * @returns the report, or nothing when the person stopped the test
 * @throws UserError with the cause, the remedy and buttons for it, when the test fails; its `cause` is the CrewApiError
 */
export async function testCrew(crews: Crews, crew: Crew): Promise<TestResult | undefined> {
  let result: TestResult;
  try {
    result = await whileTesting(crew.name, (signal) => crews.test(crew, signal));
  } catch (error) {
    if (!(error instanceof CrewApiError)) throw error;
    if (error.kind === "aborted") return undefined;
    const failure = new UserError(`${crew.name}: ${messageOf(error)}`, remediesFor(error, crew));
    failure.cause = error;
    throw failure;
  }
  // Not awaited: the report may stay as long as it likes.
  void vscode.window.showInformationMessage(plainMessage(describeResult(crew, result)));
  return result;
}

function remediesFor(error: CrewApiError, crew: Crew): readonly ErrorAction[] {
  const log = { title: vscode.l10n.t("Show Log"), command: "crewdeck.showLog" };
  const target = [{ crew: crew.id }];
  if (crew.local !== undefined) return [log];
  if (error.kind === "unauthorized" || error.kind === "forbidden") {
    return [{ title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken", arguments: target }, log];
  }
  return [{ title: vscode.l10n.t("Edit Crew"), command: "crewdeck.editCrew", arguments: target }, log];
}

function describeResult(crew: Crew, { url, milliseconds, inputs, tokenType }: TestResult): string {
  const asked = inputs === 1 ? vscode.l10n.t("one input") : vscode.l10n.t("{0} inputs", inputs);
  return vscode.l10n.t("{0} answers at {1} in {2} ms and asks for {3}. Token: {4}.", crew.name, url, milliseconds, asked, tokenTypeName(tokenType));
}
