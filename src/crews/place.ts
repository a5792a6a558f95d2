import * as l10n from "@vscode/l10n";
import { hostOf, shortAddress } from "../api/address.ts";
import { givenCallbacks } from "../api/callbacks.ts";
import { type Execution, isLocalCrew } from "../executions/model.ts";

export function crewAndPlace({ crew }: Pick<Execution, "crew">): string {
  return isLocalCrew(crew)
    ? l10n.t("“{0}” (local, on this machine)", crew.name)
    : `“${crew.name}” (${shortAddress(crew.url)})`;
}

/** Crews don't keep callbacks for a resume (specification). Hosts only: a path can be a secret. */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const labels = {
    taskWebhookUrl: l10n.t("task"),
    stepWebhookUrl: l10n.t("step"),
    crewWebhookUrl: l10n.t("crew"),
    humanInputWebhookUrl: l10n.t("human input"),
    webhooks: l10n.t("events"),
  };
  const given = givenCallbacks(request?.callbacks ?? {});
  return given.map(({ name, address }) => `${labels[name]} → ${hostOf(address)}`);
}
