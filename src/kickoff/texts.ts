import * as l10n from "@vscode/l10n";
import type { GivenCallback } from "../api/callbacks.ts";
import type { JsonObject, JsonValue } from "../api/types.ts";
import { oneLine, shortened } from "../base/text.ts";

/** The form fills in `{0}` and `{1}`. */
export type FormTexts = ReturnType<typeof formTexts>;

export function formTexts() {
  return {
    title: l10n.t("Kick off {0}"),
    loading: l10n.t("Asking the crew for its inputs…"),
    tryAgain: l10n.t("Try Again"),
    noInputs: l10n.t("This crew asks for no inputs."),
    oddInput: l10n.t("1 input that crewAI doesn't fill in"),
    oddInputs: l10n.t("{0} inputs that crewAI doesn't fill in"),
    oddInputsHint: l10n.t(
      "The crew lists everything between braces in its texts as an input. crewAI fills in only names of the letters A to Z, digits, “_” and “-”; these are sent empty.",
    ),
    required: l10n.t("required"),
    optional: l10n.t("optional"),
    unlisted: l10n.t("not listed by the crew"),
    unnamed: l10n.t("(no name)"),
    sendAs: l10n.t("Send {0} as"),
    modes: {
      text: l10n.t("Text"),
      json: l10n.t("JSON"),
      empty: l10n.t("Empty text"),
      null: l10n.t("null"),
      omit: l10n.t("Leave out"),
    },
    controls: {
      number: l10n.t("Number"),
      integer: l10n.t("Whole number"),
      boolean: l10n.t("True or false"),
      choice: l10n.t("Choice"),
    },
    sentAs: {
      empty: l10n.t('Sent as an empty text: "".'),
      null: l10n.t("Sent as null."),
      omit: l10n.t("Left out: not sent."),
      blank: l10n.t("Not sent while it is blank."),
      blankDefault: l10n.t("Not sent while it is blank: the crew uses its default."),
    },
    choose: l10n.t("Choose…"),
    reset: l10n.t("Reset to default"),
    resetFor: l10n.t("Reset to default: {0}"),
    view: l10n.t("View"),
    views: { form: l10n.t("Form"), json: l10n.t("JSON") },
    jsonView: {
      label: l10n.t("Kickoff as JSON"),
      hint: l10n.t("Same values as in the form. Anything not listed here is not sent."),
    },
    secretsMoved: l10n.t("Secrets were moved to the fields below: this text is saved on disk."),
    extraMoved: l10n.t(
      "Members that Crewdeck doesn't know were moved to “extra”, from where they are sent as they are.",
    ),
    discardJson: l10n.t("Revert to the last valid JSON"),
    faultAt: l10n.t("Line {0}, column {1}: {2}"),
    jsonFaults: {
      notAnObject: l10n.t('an object is expected, such as {"inputs": {}}.'),
      noInputs: l10n.t("“inputs” is missing."),
      tooDeep: l10n.t("this is nested too deeply."),
      otherMember: l10n.t(
        "a kickoff has no “{0}”. The crew's inputs belong in “inputs”, and members that Crewdeck doesn't know in “extra”.",
      ),
      requestFileMember: l10n.t(
        "“{0}” belongs only in request files. Remove it: this form's crew is already chosen.",
      ),
      otherPart: l10n.t("“{0}” does not belong here."),
      wrongStrategy: l10n.t("“strategy” must be one of these: {0}."),
      sameCallback: l10n.t("keep only one of “humanInputWebhookUrl” and “humanInputWebhook”."),
      missingPart: l10n.t("“{0}” is missing."),
      twice: l10n.t("“{0}” is given twice."),
    },
    jsonTypes: {
      text: l10n.t("“{0}” must be a string."),
      object: l10n.t("“{0}” must be an object."),
      names: l10n.t("“{0}” must be a list of names without spaces and commas."),
      trueOrFalse: l10n.t("“{0}” must be true or false."),
    },
    jsonMissing: l10n.t("Enter these required inputs, or leave them out in the form: {0}."),
    advanced: l10n.t("Advanced"),
    secrets: l10n.t("Secrets of callbacks"),
    meta: {
      label: l10n.t("Meta"),
      hint: l10n.t("A JSON object of your own. The crew returns it with every callback."),
    },
    callbacks: {
      taskWebhookUrl: {
        label: l10n.t("Task callback"),
        hint: l10n.t("URL called after each task."),
      },
      stepWebhookUrl: {
        label: l10n.t("Step callback"),
        hint: l10n.t("URL called after each step of an agent."),
      },
      crewWebhookUrl: { label: l10n.t("Crew callback"), hint: l10n.t("URL called at the end.") },
      humanInputWebhookUrl: {
        label: l10n.t("Human input callback"),
        hint: l10n.t("URL called when a task waits for a person."),
      },
    },
    authentication: {
      ofHumanInput: l10n.t("the human input callback"),
      strategy: l10n.t("Authentication of {0}"),
      strategies: {
        none: l10n.t("None"),
        bearer: l10n.t("Bearer token"),
        basic: l10n.t("User name and password"),
      },
      username: l10n.t("User name for {0}"),
      token: l10n.t("Token for {0}"),
      password: l10n.t("Password for {0}"),
      secretHint: l10n.t(
        "Stored in this machine's secret storage with the kickoff and sent again with each resume. Not saved with the draft.",
      ),
      held: l10n.t("Entered; type to replace it"),
    },
    streaming: {
      heading: l10n.t("event streaming"),
      hint: l10n.t("URL that receives the execution's events as they happen."),
      url: l10n.t("Event streaming"),
      events: {
        label: l10n.t("Events"),
        hint: l10n.t("Names of events, one per line, such as task_started."),
      },
      realtime: l10n.t("Send each event at once"),
    },
    from: {
      title: l10n.t("Run {0} again"),
      intro: l10n.t("Runs “{0}” again from the task “{1}”."),
      introKept: l10n.t(
        "Runs “{0}” again from the task “{1}”. The tasks before it do not run: their outputs, below, are kept.",
      ),
      outputs: l10n.t("Kept outputs"),
      edited: l10n.t("Edited: used in place of the task's own output."),
      runAgain: l10n.t("Run Again"),
    },
    kickOff: l10n.t("Kick Off"),
    sending: l10n.t("Kicking off…"),
    shortcut: l10n.t("or press {0}"),
    hints: {
      mayNeedPerson: l10n.t(
        "If a task waits for you, this crew reports it only by callback, and no callback can reach this machine.",
      ),
      hasWaited: l10n.t(
        "This crew has waited for a person before. It reports that only by callback, and no callback can reach this machine.",
      ),
    },
    hintActions: {
      setUpCallbacks: l10n.t("Set Up Callbacks…"),
      testCallbacks: l10n.t("Test Callbacks"),
      hideHint: l10n.t("Don't Show Again"),
    },
    showAdvice: l10n.t("Show"),
    notKept: l10n.t("What you type here can't be saved. See the log for details."),
    clear: l10n.t("Clear"),
    undo: l10n.t("Undo"),
    notices: {
      draft: l10n.t("Draft restored."),
      cutDraft: l10n.t(
        "Draft restored, except for the last JSON text: it was invalid and may have contained a secret, so it was not saved.",
      ),
      started: l10n.t("Values of a kickoff that started. Kick Off starts another execution."),
      last: l10n.t("Filled in with the last sent values."),
      given: l10n.t("Filled in with the chosen values."),
      cleared: l10n.t("Cleared."),
      taken: l10n.t("{0} was filled in from {1}."),
    },
    tools: {
      presets: l10n.t("Presets…"),
      saveAsRequestFile: l10n.t("Save as Request File…"),
      copyAsCurl: l10n.t("Copy as cURL"),
    },
    take: l10n.t("Fill in from…"),
    takeFor: l10n.t("Fill in from…: {0}"),
    notJson: l10n.t("Not JSON: line {0}, column {1}: {2}"),
    expected: {
      value: l10n.t("a value is expected."),
      propertyName: l10n.t("a property name in double quotes is expected."),
      colon: l10n.t("a colon is expected."),
      comma: l10n.t("a comma is expected."),
      closeBrace: l10n.t("a closing brace is expected."),
      closeBracket: l10n.t("a closing bracket is expected."),
      endOfString: l10n.t("the text has no closing quote."),
      quotes: l10n.t("texts and names need double quotes."),
      nothing: l10n.t("nothing more is expected."),
      exactNumber: l10n.t("this number is too long. Put it in double quotes to send it as text."),
      other: l10n.t("this can't be read."),
    },
    faults: {
      missing: l10n.t(
        "This input is required. Choose “Empty text”, “null” or “Leave out” to send it without a value.",
      ),
      notAnObject: l10n.t('Meta must be a JSON object, such as {"ticket": 7}.'),
      notAnAddress: l10n.t("Enter a whole address, such as https://example.com/callback."),
      notHttp: l10n.t("The address must begin with https:// or http://."),
      notANumber: l10n.t("Enter a number, such as 12.5."),
      notAnInteger: l10n.t("Enter a whole number, such as 12."),
      noAddress: l10n.t("Enter the address that receives the events, or remove the events."),
      noEvents: l10n.t("Enter at least one event, or remove the address."),
      noUsername: l10n.t("Enter the user name."),
      otherSecret: l10n.t("Enter it again: the earlier one was for another host or strategy."),
      noSecret: l10n.t("Enter it. Secrets are not saved with the form."),
      credentials: l10n.t("Remove the name and password: this address is saved on disk."),
    },
    refusedAsMissing: l10n.t("The crew reports that this input is missing."),
    checkFields: l10n.t("Nothing was sent. Check the marked fields."),
    fixFirst: l10n.t("Fix the marked error first."),
    openExecution: l10n.t("Open Execution"),
    kickOffAgain: l10n.t("Kick Off Again"),
  };
}

export function keepChangedText(): string {
  return l10n.t(
    "If you run it anyway, the outputs of changed tasks are kept, and those of tasks that no longer run before it are left out.",
  );
}

export function callbacksText(callbacks: readonly GivenCallback[]): string {
  const sent = {
    taskWebhookUrl: l10n.t("the output of each task"),
    stepWebhookUrl: l10n.t("each step of an agent, with its thoughts and tools"),
    crewWebhookUrl: l10n.t("the result"),
    humanInputWebhookUrl: l10n.t("each output that waits for a person"),
    webhooks: l10n.t("the events of the execution as they happen"),
  };
  return callbacks
    .map(({ name, address }) => `• ${l10n.t("{0}, to {1}", sent[name], shown(address))}`)
    .join("\n");
}

/** Escapes characters that look like others, or hide or reorder others. */
function shown(address: string): string {
  const plain = address.replace(
    /[^\x21-\x7e]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  // A dialog grows with its text.
  return shortened(plain, 300);
}

/** On one line; a blank text in quotes. */
export function valueInShort(value: JsonValue, longest = 80): string {
  const line = typeof value === "string" ? oneLine(value, longest) : "";
  return line === "" ? oneLine(JSON.stringify(value), longest) : line;
}

export function inputsInShort(inputs: JsonObject, most = 12): readonly string[] {
  const lines = Object.entries(inputs).map(
    ([name, value]) => `${valueInShort(name, 40)}: ${valueInShort(value)}`,
  );
  return lines.length <= most ? lines : [...lines.slice(0, most), "…"];
}
