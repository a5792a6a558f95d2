import * as l10n from "@vscode/l10n";
import type { Execution } from "../executions/model.ts";

/** Where feedback goes, for a person: the crew's name and its host. */
export function crewAndHost({ crew }: Pick<Execution, "crew">): string {
  return `“${crew.name}” (${hostOf(crew.url)})`;
}

/**
 * The callbacks of the kickoff that go with a resume, since crews do not carry them over (specification): "task → hooks.test",
 * each with its host alone, because whoever knows a callback's path may post to it. Empty where there are none.
 */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const {
    taskWebhookUrl,
    stepWebhookUrl,
    crewWebhookUrl,
    humanInputWebhookUrl,
    humanInputWebhook,
    webhooks,
  } = request?.callbacks ?? {};
  const all: readonly (readonly [string, string | undefined])[] = [
    [l10n.t("task"), taskWebhookUrl],
    [l10n.t("step"), stepWebhookUrl],
    [l10n.t("crew"), crewWebhookUrl],
    [l10n.t("human input"), humanInputWebhook?.url ?? humanInputWebhookUrl],
    [l10n.t("events"), webhooks?.url],
  ];
  return all.flatMap(([name, url]) =>
    url === undefined || url === "" ? [] : [`${name} → ${hostOf(url)}`],
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
