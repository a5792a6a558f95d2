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
    modes: {
      text: vscode.l10n.t("Text"),
      json: vscode.l10n.t("JSON"),
      empty: vscode.l10n.t("Empty text"),
      null: vscode.l10n.t("null"),
      omit: vscode.l10n.t("Leave out"),
    },
    controls: {
      number: vscode.l10n.t("Number"),
      integer: vscode.l10n.t("Whole number"),
      boolean: vscode.l10n.t("True or false"),
      choice: vscode.l10n.t("Choice"),
    },
    sentAs: {
      empty: vscode.l10n.t('Sent as an empty text: "".'),
      null: vscode.l10n.t("Sent as null."),
      omit: vscode.l10n.t("Left out: not sent."),
      blank: vscode.l10n.t("Not sent while it is blank."),
      blankDefault: vscode.l10n.t("Not sent while it is blank: the crew uses its default."),
    },
    choose: vscode.l10n.t("Choose…"),
    reset: vscode.l10n.t("Reset to default"),
    resetFor: vscode.l10n.t("Reset to default: {0}"),
    view: vscode.l10n.t("View"),
    views: { form: vscode.l10n.t("Form"), json: vscode.l10n.t("JSON") },
    jsonView: {
      label: vscode.l10n.t("Kickoff as JSON"),
      hint: vscode.l10n.t(
        "The same values as in the form: inputs, meta and callbacks. What is not named here is left out.",
      ),
    },
    secretsMoved: vscode.l10n.t(
      "This text is kept on disk, so what is secret in it was moved to its place below.",
    ),
    discardJson: vscode.l10n.t("Go back to what could be read last"),
    faultAt: vscode.l10n.t("Line {0}, column {1}: {2}"),
    jsonFaults: {
      notAnObject: vscode.l10n.t('an object is expected, such as {"inputs": {}}.'),
      noInputs: vscode.l10n.t("“inputs” must be here, and be an object."),
      tooDeep: vscode.l10n.t("this is nested too deeply."),
      otherMember: vscode.l10n.t(
        "a kickoff has no “{0}”. What the crew asks for stands in “inputs”.",
      ),
      otherPart: vscode.l10n.t("“{0}” does not belong here."),
      wrongStrategy: vscode.l10n.t("“strategy” must be one of these: {0}."),
      sameCallback: vscode.l10n.t(
        "“humanInputWebhookUrl” and “humanInputWebhook” are one callback. Keep one of them.",
      ),
      missingPart: vscode.l10n.t("“{0}” is missing here."),
      twice: vscode.l10n.t("“{0}” is here twice."),
    },
    jsonTypes: {
      text: vscode.l10n.t("“{0}” must be a text."),
      object: vscode.l10n.t("“{0}” must be an object."),
      names: vscode.l10n.t("“{0}” must be a list of names without spaces and commas."),
      trueOrFalse: vscode.l10n.t("“{0}” must be true or false."),
    },
    jsonMissing: vscode.l10n.t(
      "These required inputs have no value here: {0}. Give them one, or leave them out in the form.",
    ),
    advanced: vscode.l10n.t("Advanced"),
    secrets: vscode.l10n.t("Secrets of callbacks"),
    meta: {
      label: vscode.l10n.t("Meta"),
      hint: vscode.l10n.t("A JSON object of your own. The crew returns it with every callback."),
    },
    callbacks: {
      taskWebhookUrl: {
        label: vscode.l10n.t("Task callback"),
        hint: vscode.l10n.t("Address that is called after each task."),
      },
      stepWebhookUrl: {
        label: vscode.l10n.t("Step callback"),
        hint: vscode.l10n.t("Address that is called after each step of an agent."),
      },
      crewWebhookUrl: {
        label: vscode.l10n.t("Crew callback"),
        hint: vscode.l10n.t("Address that is called when the execution has ended."),
      },
      humanInputWebhookUrl: {
        label: vscode.l10n.t("Human input callback"),
        hint: vscode.l10n.t("Address that is called when a task waits for a person."),
      },
    },
    authentication: {
      ofHumanInput: vscode.l10n.t("the human input callback"),
      strategy: vscode.l10n.t("Authentication of {0}"),
      strategies: {
        none: vscode.l10n.t("None"),
        bearer: vscode.l10n.t("Bearer token"),
        basic: vscode.l10n.t("User name and password"),
      },
      username: vscode.l10n.t("User name for {0}"),
      token: vscode.l10n.t("Token for {0}"),
      password: vscode.l10n.t("Password for {0}"),
      secretHint: vscode.l10n.t(
        "Goes to this machine's secret storage with the kickoff and is sent again with each resume. It is not kept with the draft.",
      ),
      held: vscode.l10n.t("Entered; type to replace it"),
    },
    streaming: {
      heading: vscode.l10n.t("event streaming"),
      hint: vscode.l10n.t("Address that gets the events of the execution as they happen."),
      url: vscode.l10n.t("Event streaming"),
      events: {
        label: vscode.l10n.t("Events"),
        hint: vscode.l10n.t(
          "Names of events, such as task_started or crew_kickoff_completed, one in each line.",
        ),
      },
      realtime: vscode.l10n.t("Send each event at once"),
    },
    kickOff: vscode.l10n.t("Kick Off"),
    sending: vscode.l10n.t("Kicking off…"),
    shortcut: vscode.l10n.t("or press {0}"),
    notKept: vscode.l10n.t(
      "What you type here will not be kept: Crewdeck can't read or write its file. The log says why.",
    ),
    clear: vscode.l10n.t("Clear"),
    undo: vscode.l10n.t("Undo"),
    notices: {
      draft: vscode.l10n.t("Draft restored: these values are as you left them."),
      cutDraft: vscode.l10n.t(
        "Draft restored, but for the JSON as it was typed last: it could not be read and may hold a secret, so it was not kept.",
      ),
      started: vscode.l10n.t(
        "These values are as you left them after a kickoff that started. Kick Off starts another execution.",
      ),
      last: vscode.l10n.t("Filled in with the values sent last."),
      given: vscode.l10n.t("Filled in with given values."),
      cleared: vscode.l10n.t("Cleared."),
      taken: vscode.l10n.t("{0} was filled in from {1}."),
    },
    tools: {
      presets: vscode.l10n.t("Presets…"),
      saveAsRequestFile: vscode.l10n.t("Save as Request File…"),
      copyAsCurl: vscode.l10n.t("Copy as cURL"),
    },
    take: vscode.l10n.t("Fill in from…"),
    takeFor: vscode.l10n.t("Fill in from…: {0}"),
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
      exactNumber: vscode.l10n.t(
        "this number has more digits than can be sent exactly. Put it in double quotes to send it as a text.",
      ),
      other: vscode.l10n.t("this can't be read."),
    },
    faults: {
      missing: vscode.l10n.t(
        "This input is required. Choose “Empty text”, “null” or “Leave out” where that is meant.",
      ),
      notAnObject: vscode.l10n.t('Meta must be a JSON object, such as {"ticket": 7}.'),
      notAnAddress: vscode.l10n.t("Enter a whole address, such as https://example.com/callback."),
      notHttp: vscode.l10n.t("The address must begin with https:// or http://."),
      notANumber: vscode.l10n.t("Enter a number, such as 12.5."),
      notAnInteger: vscode.l10n.t("Enter a whole number, such as 12."),
      noAddress: vscode.l10n.t("Enter the address that gets the events, or remove the events."),
      noEvents: vscode.l10n.t("Enter at least one event, or remove the address."),
      noUsername: vscode.l10n.t("Enter the user name."),
      otherSecret: vscode.l10n.t(
        "Enter it for this address: what was entered before was for another host or another authentication.",
      ),
      noSecret: vscode.l10n.t("Enter it. Secrets are not kept with the form."),
      credentials: vscode.l10n.t("Leave out the name and password: this address is kept on disk."),
    },
    refusedAsMissing: vscode.l10n.t("The crew says that this input is missing."),
    checkFields: vscode.l10n.t("Nothing was sent. Check the marked fields."),
    mendFirst: vscode.l10n.t("Correct what is marked first: it can't be read."),
    openExecution: vscode.l10n.t("Show Execution"),
    kickOffAgain: vscode.l10n.t("Kick Off Again"),
  };
}
