import * as vscode from "vscode";
import { actionsOf, type ErrorAction, isUnforeseen, messageOf, UserError } from "../base/errors.ts";
import type { Crew } from "../crews/types.ts";
import { recordOf, stringOf } from "../editor/arguments.ts";
import { showError, showStatus } from "../editor/messages.ts";
import { machineSettings } from "../editor/settings.ts";
import { onCrew } from "./choose.ts";
import type { CommandParts, Run } from "./table.ts";

/** What a deployment's settings need, so that its flows ask a person here. */
export type FlowEntries = Readonly<Record<"address" | "secret", Run>>;

/** `address` returns `{crew, url}`; `secret` takes `{crew?, secret?}`, and returns whether it was set. */
export function flowEntries(
  parts: Pick<CommandParts, "callbacks" | "crews" | "forms">,
): FlowEntries {
  const setSecret = async (crew: Crew, given?: string) => {
    const secret = given ?? (await askSecret(crew));
    if (secret === undefined) return false;
    const { flows } = await parts.callbacks();
    await flows.setSecret(crew.id, checked(secret));
    showStatus(vscode.l10n.t("The feedback secret of “{0}” is saved.", crew.name));
    return true;
  };
  return {
    secret: onCrew(parts, (crew, argument) =>
      setSecret(crew, stringOf(recordOf(argument), "secret")),
    ),
    address: onCrew(parts, async (crew) => {
      const callbacks = await parts.callbacks();
      const url = await offeringSettings(async () => {
        const found = await callbacks.forFlows(crew);
        if (found !== undefined) return found;
        throw new UserError(
          vscode.l10n.t(
            "“{0}” can't call this machine: the webhook needs a public address. Set up a tunnel or a relay in the settings, then copy the address.",
            crew.name,
          ),
        );
      });
      // It may have asked for what was missing.
      await parts.forms.advise();
      await vscode.env.clipboard.writeText(url);
      const hasSecret = await callbacks.flows.hasSecret(crew.id);
      tellNext(crew, hasSecret, () => setSecret(crew));
      return { crew: crew.name, url };
    }),
  };
}

/** Errors about how crews reach this machine lead to what solves them, else to its settings, and to `more`. */
export async function offeringSettings<T>(
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

async function askSecret({ name }: Crew): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    title: vscode.l10n.t("Feedback Secret of “{0}”", name),
    prompt: vscode.l10n.t(
      "The secret with which the deployment signs its feedback webhook. It is stored in this machine's secret storage, and sent nowhere.",
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? vscode.l10n.t("Enter the secret.") : undefined),
  });
}

/** The secret without spaces around it. The error never quotes it. @throws {UserError} */
function checked(secret: string): string {
  const text = secret.trim();
  if (text === "") throw new UserError(vscode.l10n.t("The feedback secret is empty."));
  return text;
}

/** Says what to do next. Doesn't wait: the notification may stay open. */
function tellNext(crew: Crew, hasSecret: boolean, setSecret: () => Promise<unknown>): void {
  if (hasSecret) {
    showStatus(vscode.l10n.t("The feedback webhook's address of “{0}” is copied.", crew.name));
    return;
  }
  const set = vscode.l10n.t("Set Feedback Secret…");
  const text = vscode.l10n.t(
    "The address is copied. Enter it in the deployment's settings, and set its secret here: without it, no request is accepted.",
  );
  void vscode.window.showInformationMessage(text, set).then((chosen) => {
    if (chosen === set) setSecret().catch(showError);
  });
}
