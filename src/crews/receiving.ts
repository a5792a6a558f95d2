import * as vscode from "vscode";
import { Callbacks, type CallbacksOptions } from "../callbacks/callbacks.ts";
import { forwardedRoute, publicUrlRoute, Relay } from "../callbacks/routes.ts";
import { Paths } from "../callbacks/paths.ts";
import { action, type ErrorAction, type UserError } from "../base/errors.ts";
import { textSetting } from "../editor/manifest.ts";
import { askFor, showActions } from "../editor/messages.ts";
import type { Database } from "../store/database.ts";
import { fetch } from "./clients.ts";

interface Parts extends Omit<CallbacksOptions, "routes" | "storage" | "onRefused" | "onBroken"> {
  readonly database: Database;
  readonly secrets: vscode.SecretStorage;
  readonly userAgent: string;
}

/** Receives callbacks by the routes on which crews can reach this machine, in the order in which they are tried. */
export function receiveCallbacks({ secrets, userAgent, ...parts }: Parts): Callbacks {
  const { database, clock, log } = parts;
  const tell = teller();
  const testCallbacks = "crewdeck.testCallbacks";
  const onRefused: CallbacksOptions["onRefused"] = ({ id, name }, why) =>
    void tell(
      vscode.l10n.t(
        "A flow of “{0}” asks a person, but its request was refused. {1} The deployment doesn't send it again: look for it in the dashboard.",
        name,
        why,
      ),
      action(vscode.l10n.t("Set Feedback Secret…"), testCallbacks, { crew: id, entry: "secret" }),
    );
  const test = action(vscode.l10n.t("Test Callbacks"), testCallbacks);
  const onBroken = ({ message, actions }: UserError) => void tell(message, test, ...actions);
  const forwarded = forwardedRoute(
    () => ["codespaces", "tunnel"].includes(vscode.env.remoteName ?? ""),
    async (address) => (await vscode.env.asExternalUri(vscode.Uri.parse(address))).toString(true),
    new Paths(database, clock),
  );
  const relay = new Relay({
    ...{ database, clock, log, secrets, userAgent, fetch, askToken, onBroken },
    read: () => textSetting("callbacks.relay"),
    onDidChange: (listener) =>
      vscode.Disposable.from(
        vscode.workspace.onDidChangeConfiguration((change) => {
          if (change.affectsConfiguration("crewdeck.callbacks.relay")) listener(undefined);
        }),
        // Another window may have created or deleted the channel.
        secrets.onDidChange(listener),
      ),
  });
  const routes = [publicUrlRoute(() => textSetting("callbacks.publicUrl")), forwarded, relay];
  return new Callbacks({ ...parts, routes, storage: secrets, onRefused, onBroken });
}

/** Tells a person, and again once they have closed the notification. */
function teller() {
  const open = new Set<string>();
  return async (text: string, ...actions: readonly ErrorAction[]) => {
    if (open.has(text)) return;
    open.add(text);
    await showActions("Warning", text, actions);
    open.delete(text);
  };
}

async function askToken(address: string): Promise<string | undefined> {
  const token = await askFor((text) => text.trim(), {
    title: vscode.l10n.t("Connect to the Relay"),
    prompt: vscode.l10n.t(
      "The token of the relay at {0}, which creates a channel for this machine. It is in the file that the relay named when it started. You are asked once.",
      address,
    ),
    password: true,
  });
  return token || undefined;
}
