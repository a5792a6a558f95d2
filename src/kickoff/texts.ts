import * as vscode from "vscode";
import type { FormTexts } from "./form-texts.ts";

/** The words of the form in the person's language. */
export function formTexts(): FormTexts {
  return {
    title: vscode.l10n.t("Kick off {0}"),
    loading: vscode.l10n.t("Asking the crew for its inputs…"),
    tryAgain: vscode.l10n.t("Try Again"),
    noInputs: vscode.l10n.t("This crew asks for no inputs."),
    rehearsal: vscode.l10n.t("Rehearsal engine: no model is called."),
    required: vscode.l10n.t("required"),
    optional: vscode.l10n.t("optional"),
    unlisted: vscode.l10n.t("not named by the crew"),
    unnamed: vscode.l10n.t("(no name)"),
    sendAs: vscode.l10n.t("Send {0} as"),
    modes: { text: vscode.l10n.t("Text"), json: vscode.l10n.t("JSON"), omit: vscode.l10n.t("Leave out") },
    leftOut: vscode.l10n.t("Not sent."),
    advanced: vscode.l10n.t("Advanced"),
    meta: { label: vscode.l10n.t("Meta"), hint: vscode.l10n.t("A JSON object of your own. The crew returns it with every callback.") },
    callbacks: {
      taskWebhookUrl: { label: vscode.l10n.t("Task callback"), hint: vscode.l10n.t("Address that is called after each task.") },
      stepWebhookUrl: { label: vscode.l10n.t("Step callback"), hint: vscode.l10n.t("Address that is called after each step of an agent.") },
      crewWebhookUrl: { label: vscode.l10n.t("Crew callback"), hint: vscode.l10n.t("Address that is called when the execution has ended.") },
      humanInputWebhookUrl: { label: vscode.l10n.t("Human input callback"), hint: vscode.l10n.t("Address that is called when a task waits for a person.") },
    },
    kickOff: vscode.l10n.t("Kick Off"),
    sending: vscode.l10n.t("Kicking off…"),
    shortcut: vscode.l10n.t("or press {0}"),
    clear: vscode.l10n.t("Clear"),
    undo: vscode.l10n.t("Undo"),
    notices: {
      draft: vscode.l10n.t("Draft restored: these values were not sent yet."),
      last: vscode.l10n.t("Filled in with the values sent last."),
      given: vscode.l10n.t("Filled in with given values."),
      cleared: vscode.l10n.t("Cleared."),
    },
    notJson: vscode.l10n.t("Not JSON: line {0}, column {1}: {2}"),
    expected: {
      value: vscode.l10n.t("a value is expected."),
      propertyName: vscode.l10n.t("a property name in double quotes is expected."),
      colon: vscode.l10n.t("a colon is expected."),
      comma: vscode.l10n.t("a comma is expected."),
      closeBrace: vscode.l10n.t("a closing brace is expected."),
      closeBracket: vscode.l10n.t("a closing bracket is expected."),
      endOfString: vscode.l10n.t("the text has no closing quote."),
      quotes: vscode.l10n.t("texts and names need double quotes."),
      nothing: vscode.l10n.t("nothing more is expected."),
      other: vscode.l10n.t("this can't be read."),
    },
    faults: {
      missing: vscode.l10n.t("This input is required. For an empty text choose JSON and enter \"\"; to send nothing choose “Leave out”."),
      notAnObject: vscode.l10n.t("Meta must be a JSON object, such as {\"ticket\": 7}."),
      notAnAddress: vscode.l10n.t("Enter a whole address, such as https://example.com/callback."),
      notHttp: vscode.l10n.t("The address must begin with https:// or http://."),
      credentials: vscode.l10n.t("Leave out the name and password: this address is kept on disk."),
    },
    refusedAsMissing: vscode.l10n.t("The crew says that this input is missing."),
    checkFields: vscode.l10n.t("Nothing was sent. Check the marked fields."),
    openExecution: vscode.l10n.t("Show Execution"),
    kickOffAgain: vscode.l10n.t("Kick Off Again"),
  };
}
