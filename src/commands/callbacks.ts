import * as vscode from "vscode";
import type { CallbackTest, Callbacks } from "../callbacks/callbacks.ts";
import { hasFlowRequest, readPasted } from "../callbacks/pasted.ts";
import type { Payload } from "../callbacks/payload.ts";
import { type ErrorAction, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { booleanOf, isProgram, oneOf, recordOf, stringOf, targetOf } from "../editor/arguments.ts";
import { plainMessage, runAction, showError } from "../editor/messages.ts";
import { machineSettings } from "../editor/settings.ts";
import { type Execution, type ExecutionSummary, hasEnded, keyOf } from "../executions/model.ts";
import { chooseExecution, findExecution } from "./choose.ts";
import type { ExecutionParts } from "./executions.ts";
import { offeringSettings, type FlowEntries } from "./flows.ts";
import type { CommandParts, Commands, Run } from "./table.ts";
import { track as trackExecution } from "./track.ts";

/**
 * `testCallbacks` takes `{crew?, isNewPort?}`, reports by which way callbacks come to this machine, and proves it.
 * `{crew?, entry}` is one of its further entries: the flows' `address` or `secret`, or `more`, which asks for one.
 * `pasteCallback` takes `{text, crew?, kickoffId?}` and returns the execution that the callback belongs to.
 */
export function callbackCommands(
  parts: ExecutionParts & {
    readonly callbacks: () => Promise<Pick<Callbacks, "test" | "take">>;
    readonly forms: Pick<CommandParts["forms"], "advise">;
  },
  flows: FlowEntries,
): Commands {
  const { callbacks, crews, documents, forms, clock } = parts;
  const pasteCallback: Run = async (argument) => {
    const given = isProgram(argument) ? (stringOf(recordOf(argument), "text") ?? "") : undefined;
    const payload = await pasted(given, clock.now());
    if (payload === undefined) return undefined;
    const execution = await executionOf(parts, payload, argument);
    if (execution === undefined) return undefined;
    (await callbacks()).take(execution.localId, payload);
    if (!isProgram(argument)) await documents.show(execution);
    return { crew: execution.crew.name, kickoffId: keyOf(execution) };
  };
  const askForMore = async (argument: unknown) => {
    const items = [
      { label: vscode.l10n.t("Copy Feedback Webhook Address"), run: flows.address },
      { label: vscode.l10n.t("Set Feedback Secret…"), run: flows.secret },
      { label: vscode.l10n.t("Paste Received Callback…"), run: () => pasteCallback() },
    ];
    const title = vscode.l10n.t("Callbacks");
    await (await vscode.window.showQuickPick(items, { title }))?.run(argument);
  };
  return {
    pasteCallback,
    async testCallbacks(argument) {
      const entry = oneOf(recordOf(argument), "entry", ["address", "secret", "more"]);
      if (entry !== undefined)
        return await (entry === "more" ? askForMore : flows[entry])(argument);
      const { crew: wanted } = targetOf(argument);
      const isNewPort = booleanOf(recordOf(argument), "isNewPort") ?? false;
      const crew = wanted === undefined ? undefined : crews.get(wanted);
      const receiver = await callbacks();
      const more = {
        title: vscode.l10n.t("More…"),
        command: "crewdeck.testCallbacks",
        arguments: [{ kind: "message", ...defined({ crew: wanted }), entry: "more" }],
      };
      const result = await offeringSettings(() => receiver.test(crew, { isNewPort }), more);
      // It may have asked for what was missing.
      await forms.advise();
      if (!isProgram(argument)) void show(result, crew?.name ?? "", more).catch(showError);
      return result;
    },
  };
}

/** The one that the callback names. A person may track it, or choose one whose ID isn't known. */
async function executionOf(
  parts: ExecutionParts,
  { kickoffId }: Payload,
  argument: unknown,
): Promise<Execution | undefined> {
  const { store, crews } = parts;
  const known = findExecution(store, crews, defined({ kickoffId }));
  if (known !== undefined) return known;
  const choose = (target: unknown, fits: (each: ExecutionSummary) => boolean) =>
    chooseExecution(store, crews, target, (each) => !hasEnded(each) && fits(each));
  if (kickoffId === undefined || targetOf(argument).kickoffId !== undefined)
    return await choose(argument, () => true);
  if (isProgram(argument)) return await choose({ ...recordOf(argument), kickoffId }, () => true);
  const track = vscode.l10n.t("Track It");
  const other = vscode.l10n.t("Choose an Execution");
  const mayBeIt = ({ kickoffIds, resumes }: ExecutionSummary) =>
    kickoffIds.length === 0 || resumes.some(({ outcome }) => outcome === "unanswered");
  const isOther = store.list().some((each) => !hasEnded(each) && mayBeIt(each));
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("The callback is of “{0}”, which is not tracked here.", shortName(kickoffId)),
    {
      modal: true,
      detail: isOther
        ? vscode.l10n.t("Track it in its crew, or choose an execution whose ID is not known.")
        : vscode.l10n.t("Track it in its crew to see the callback."),
    },
    ...[track, ...(isOther ? [other] : [])],
  );
  if (chosen === other) return await choose(argument, mayBeIt);
  if (
    chosen !== track ||
    (await trackExecution(parts, { kind: "callback", kickoffId })) === undefined
  )
    return undefined;
  return findExecution(store, crews, { kickoffId });
}

async function show(
  { via, url = "", roundTripMs = 0, problem }: CallbackTest,
  crew: string,
  more: ErrorAction,
): Promise<void> {
  const actions = [machineSettings("crewdeck.callbacks"), more];
  const arrived = vscode.l10n.t(
    "Callbacks work: a request to {0} came to this machine in {1} ms.",
    url,
    roundTripMs,
  );
  const texts: Readonly<Record<CallbackTest["via"], string>> = {
    none: vscode.l10n.t(
      "“{0}” can't call this machine: callbacks need a public address. Without one, a pause of this crew shows as “may be waiting for you”.",
      crew,
    ),
    loopback: vscode.l10n.t(
      "Callbacks work for crews on this machine: a request to {0} came back in {1} ms. Deployed crews need a public address.",
      url,
      roundTripMs,
    ),
    publicUrl: arrived,
    forwarded: arrived,
    relay: arrived,
  };
  // Without a button, VS Code would show only one line of it.
  const chosen = await vscode.window.showInformationMessage(
    plainMessage([texts[via], problem].filter(Boolean).join(" ")),
    ...actions.map(({ title }) => title),
  );
  const action = actions.find(({ title }) => title === chosen);
  if (action !== undefined) await runAction(action);
}

/** From a program, the clipboard, or a box. @throws UserError if a program's text has no callback */
async function pasted(given: string | undefined, now: number): Promise<Payload | undefined> {
  const read = (text: string) => readPasted(text, now);
  const none = (text: string) =>
    hasFlowRequest(text)
      ? vscode.l10n.t(
          "This is the request of a flow. It is accepted only with its signature: let the deployment send it to the address that “Crewdeck: Test Callbacks” gives.",
        )
      : vscode.l10n.t(
          "There is no callback of a crew in this text. Paste its body: JSON with “task_id” and “task_output”, for example.",
        );
  const text = given ?? (await vscode.env.clipboard.readText());
  const known = read(text);
  if (known === undefined && given !== undefined) throw new UserError(none(given));
  if (known !== undefined) return known;
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t("Paste a Received Callback"),
    prompt: hasFlowRequest(text)
      ? none(text)
      : vscode.l10n.t(
          "Its body as your webhook received it, or the line of a log that has it. The clipboard has no callback.",
        ),
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === "" || read(value) !== undefined ? undefined : none(value),
  });
  return typed === undefined ? undefined : read(typed);
}
