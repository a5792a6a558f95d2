import * as vscode from "vscode";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import { callbackNames, type CallbackName } from "./callback-names.ts";

/** What a crew is asked to send somewhere, by the callback's name in the request. */
type Report = CallbackName | "webhooks";

/** Key in VS Code's global state: hosts on this machine, not in settings, which travel to others. */
const key = "crewdeck.callbackHosts";

/**
 * Which hosts a person has let request files name. A file comes with a workspace, and a callback takes a crew's outputs elsewhere:
 * each host is asked for once on this machine, whichever file names it.
 */
export class CallbackHosts {
  readonly #state: Pick<vscode.Memento, "get" | "update">;

  constructor(state: Pick<vscode.Memento, "get" | "update">) {
    this.#state = state;
  }

  /** Asks for each host that was not confirmed yet, one after the other. False as soon as one is not. */
  async confirm(crewName: string, callbacks: CallbackUrls & PlainCallbacks): Promise<boolean> {
    for (const [host, names] of hostsOf(callbacks)) {
      if (this.#confirmed().includes(host)) continue;
      if (!(await ask(crewName, host, names))) return false;
      await this.#state.update(key, [...this.#confirmed(), host]);
    }
    return true;
  }

  #confirmed(): readonly unknown[] {
    const kept: unknown = this.#state.get(key);
    return Array.isArray(kept) ? kept : [];
  }
}

/** The hosts that callbacks go to, with their ports, and which callbacks each gets. Plain http is another host: what it carries can be read on the way. */
export function hostsOf({ humanInputWebhook, webhooks, ...urls }: CallbackUrls & PlainCallbacks): ReadonlyMap<string, readonly Report[]> {
  const hosts = new Map<string, Report[]>();
  const addresses: readonly (readonly [Report, string | undefined])[] = [...callbackNames.map((name) => [name, urls[name]] as const), ["humanInputWebhookUrl", humanInputWebhook?.url], ["webhooks", webhooks?.url]];
  for (const [name, address] of addresses) {
    if (address === undefined || address === "") continue;
    const { protocol, host, origin } = new URL(address);
    const shown = protocol === "https:" ? host : origin;
    hosts.set(shown, [...(hosts.get(shown) ?? []), name]);
  }
  return hosts;
}

async function ask(crewName: string, host: string, names: readonly Report[]): Promise<boolean> {
  const allow = vscode.l10n.t("Allow This Host");
  const detail = [
    vscode.l10n.t("The request file asks the crew to send there: {0}.", names.map(inWords).join("; ")),
    vscode.l10n.t("Allow it only if you know who reads there. You are asked once for each host."),
  ].join("\n\n");
  return (await vscode.window.showWarningMessage(vscode.l10n.t("May {0} report to {1}?", crewName, host), { modal: true, detail }, allow)) === allow;
}

function inWords(name: Report): string {
  switch (name) {
    case "taskWebhookUrl":
      return vscode.l10n.t("the output of each task");
    case "stepWebhookUrl":
      return vscode.l10n.t("each step of an agent, with its thoughts and tools");
    case "crewWebhookUrl":
      return vscode.l10n.t("the result");
    case "humanInputWebhookUrl":
      return vscode.l10n.t("each output that waits for a person");
    case "webhooks":
      return vscode.l10n.t("the events of the execution as they happen");
  }
}
