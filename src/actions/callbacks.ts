import * as vscode from "vscode";
import type { CallbackTest, Callbacks } from "../callbacks/callbacks.ts";
import { readPasted, type Payload } from "../callbacks/payload.ts";
import { actionsOf, type ErrorAction, isUnforeseen, messageOf, UserError } from "../base/errors.ts";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { flag, oneOf, read, readTarget, text } from "../editor/arguments.ts";
import {
  askFor,
  confirm,
  filled,
  machineSettings,
  showActions,
  showStatus,
} from "../editor/messages.ts";
import { type Execution, hasEnded } from "../executions/model.ts";
import type { KickoffRoom } from "../kickoff/register.ts";
import { type Asker, person } from "./asker.ts";
import type { Pages } from "../views/page/register.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface CallbackParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "get">;
  readonly page: Pick<Pages, "open">;
  readonly trackExecution: (argument: unknown) => Promise<unknown>;
  readonly callbacks: () => Promise<
    Pick<Callbacks, "forFlows" | "take" | "test"> & {
      readonly flows: Pick<Callbacks["flows"], "setSecret">;
    }
  >;
  readonly forms: Pick<KickoffRoom["forms"], "advise">;
  readonly clock: Pick<Clock, "now">;
}

const testMembers = { crew: text, isNewPort: flag, entry: oneOf(["address", "secret", "more"]) };

/**
 * `testCallbacks` takes `{crew?, isNewPort?}`, reports by which way callbacks come to this machine, and proves it.
 * `{crew?, entry}` is one of its further entries: the flows' `address` or `secret`, or `more`, which asks for one.
 * `pasteCallback` takes `{text, crew?, kickoffId?}` and returns the execution that the callback belongs to.
 */
export function callbackVerbs(parts: CallbackParts) {
  const { callbacks, crews, page, forms, clock } = parts;
  const flows = flowEntries(parts);
  const pasteCallback = async (argument: unknown, by: Asker) => {
    const { text: given = "" } = read({ text }, argument);
    const payload = await pasted(by.isPerson ? undefined : given, clock.now());
    if (payload === undefined) return undefined;
    const execution = await executionOf(parts, payload, argument, by);
    if (execution === undefined) return undefined;
    (await callbacks()).take(execution.localId, payload);
    if (by.isPerson) await page.open(execution);
    return namesOf(execution);
  };
  const askForMore = async (argument: unknown, by: Asker) => {
    const items = [
      { label: vscode.l10n.t("Copy Feedback Webhook Address"), run: flows.address },
      { label: vscode.l10n.t("Set Feedback Secret…"), run: flows.secret },
      {
        label: vscode.l10n.t("Paste Received Callback…"),
        run: () => pasteCallback(undefined, person),
      },
    ];
    const title = vscode.l10n.t("Callbacks");
    await (await vscode.window.showQuickPick(items, { title }))?.run(argument, by);
  };
  return {
    pasteCallback,
    async testCallbacks(argument: unknown, by: Asker) {
      const { entry, crew: wanted, isNewPort = false } = read(testMembers, argument);
      if (entry !== undefined)
        return await (entry === "more" ? askForMore : flows[entry])(argument, by);
      const crew = wanted === undefined ? undefined : crews.get(wanted);
      const receiver = await callbacks();
      const more = entryAction(vscode.l10n.t("More…"), "more", wanted);
      const result = await offeringSettings(() => receiver.test(crew, { isNewPort }), more);
      // It may have asked for what was missing.
      await forms.advise();
      const text = textOf(result, crew?.name ?? "");
      // Without a button, VS Code would show only one line of it.
      if (by.isPerson)
        void showActions("Information", text, [machineSettings("crewdeck.callbacks"), more]);
      return result;
    },
  };
}

/** The one that the callback names. A person may track it, or choose one whose ID isn't known. */
async function executionOf(
  { targets, trackExecution }: CallbackParts,
  { kickoffId }: Payload,
  argument: unknown,
  by: Asker,
): Promise<Execution | undefined> {
  const known = targets.find(defined({ kickoffId }));
  if (known !== undefined) return known;
  const target = readTarget(argument);
  const isNamed = kickoffId === undefined || target.kickoffId !== undefined;
  if (isNamed || !by.isPerson)
    return await targets.execution(
      isNamed ? argument : { ...target, kickoffId },
      (each) => !hasEnded(each),
    );
  const isTracked =
    (await confirm(
      vscode.l10n.t("The callback is of “{0}”, which is not tracked here.", shortName(kickoffId)),
      vscode.l10n.t("Track it in its crew to see the callback."),
      vscode.l10n.t("Track It"),
    )) && (await trackExecution({ kickoffId })) !== undefined;
  return isTracked ? targets.find({ kickoffId }) : undefined;
}

function textOf({ via, url = "", roundTripMs = 0 }: CallbackTest, crew: string): string {
  if (via === "none") return unreachable(crew);
  const works = vscode.l10n.t(
    "Callbacks work: a request to {0} came to this machine in {1} ms.",
    url,
    roundTripMs,
  );
  return via === "loopback"
    ? `${works} ${vscode.l10n.t("Deployed crews need a public address.")}`
    : works;
}

function unreachable(crew: string): string {
  return vscode.l10n.t(
    "“{0}” can't call this machine: callbacks need a public address. Without one, a pause of this crew shows as “may be waiting for you”. Set up a tunnel or a relay in the settings.",
    crew,
  );
}

/** From a program, the clipboard, or a box. @throws UserError if a program's text has no callback */
async function pasted(given: string | undefined, now: number): Promise<Payload | undefined> {
  const none = vscode.l10n.t(
    "There is no callback of a crew in this text. Paste its body: JSON with “task_id” and “task_output”, for example. The request of a flow is accepted only from its deployment, with a signature.",
  );
  const read = (text: string): Payload => {
    const payload = readPasted(text, now);
    if (payload === undefined) throw new UserError(none);
    return payload;
  };
  if (given !== undefined) return read(given);
  const title = vscode.l10n.t("Paste a Received Callback");
  const prompt = vscode.l10n.t(
    "Its body as your webhook received it. The clipboard has no callback.",
  );
  const copied = readPasted(await vscode.env.clipboard.readText(), now);
  return copied ?? (await askFor(read, { title, prompt }));
}

/** What a deployment's settings need, so that its flows ask a person here. `address` returns `{crew, url}`; `secret` takes `{crew?, secret?}`, and returns whether it was set. */
function flowEntries({ targets, callbacks, forms }: CallbackParts) {
  return {
    secret: targets.onCrew(async (crew, argument) => {
      const { secret: given } = read({ secret: text }, argument);
      const readSecret = filled(vscode.l10n.t("Enter the secret."));
      const secret = given === undefined ? await askSecret(crew, readSecret) : readSecret(given);
      if (secret === undefined) return false;
      await (await callbacks()).flows.setSecret(crew.id, secret);
      showStatus(vscode.l10n.t("The feedback secret of “{0}” is saved.", crew.name));
      return true;
    }),
    address: targets.onCrew(async (crew) => {
      const receiver = await callbacks();
      const url = await offeringSettings(async () => {
        const found = await receiver.forFlows(crew);
        if (found !== undefined) return found;
        throw new UserError(unreachable(crew.name));
      });
      // It may have asked for what was missing.
      await forms.advise();
      await vscode.env.clipboard.writeText(url);
      void showActions(
        "Information",
        vscode.l10n.t(
          "The address is copied. Enter it in the deployment's settings, and set its secret here: without it, no request is accepted.",
        ),
        [entryAction(vscode.l10n.t("Set Feedback Secret…"), "secret", crew.id)],
      );
      return { crew: crew.name, url };
    }),
  };
}

function entryAction(title: string, entry: "secret" | "more", crew?: string): ErrorAction {
  const command = "crewdeck.testCallbacks";
  return { title, command, arguments: [{ ...defined({ crew }), entry }] };
}

/** Errors about how crews reach this machine lead to what solves them, else to its settings, and to `more`. */
async function offeringSettings<T>(
  action: () => Promise<T>,
  ...more: readonly ErrorAction[]
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isUnforeseen(error)) throw error;
    const own = actionsOf(error);
    const actions = own.length > 0 ? own : [machineSettings("crewdeck.callbacks")];
    throw new UserError(messageOf(error), [...actions, ...more], { cause: error });
  }
}

async function askSecret({ name }: Crew, read: (text: string) => string) {
  return await askFor(read, {
    title: vscode.l10n.t("Feedback Secret of “{0}”", name),
    prompt: vscode.l10n.t(
      "The secret with which the deployment signs its feedback webhook. It is stored in this machine's secret storage, and sent nowhere.",
    ),
    password: true,
  });
}
