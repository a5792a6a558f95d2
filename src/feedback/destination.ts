import * as l10n from "@vscode/l10n";
import type { CallbackUrls } from "../api/types.ts";
import type { Execution } from "../executions/model.ts";

/** Where feedback goes, for a person: the crew's name and its host. */
export function crewAndHost({ crew }: Pick<Execution, "crew">): string {
  return `${crew.name} (${hostOf(crew.url)})`;
}

/**
 * The callbacks of the kickoff that go with a resume, since crews do not carry them over (specification): "task → hooks.test",
 * each with its host alone, because whoever knows a callback's path may post to it. Empty where there are none.
 */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const urls = Object.entries(request?.callbacks ?? {}).filter((entry): entry is [keyof CallbackUrls, string] => typeof entry[1] === "string" && entry[1] !== "");
  return urls.map(([name, url]) => `${callbackInWords(name)} → ${hostOf(url)}`);
}

function callbackInWords(name: keyof CallbackUrls): string {
  switch (name) {
    case "taskWebhookUrl":
      return l10n.t("task");
    case "stepWebhookUrl":
      return l10n.t("step");
    case "crewWebhookUrl":
      return l10n.t("crew");
    case "humanInputWebhookUrl":
      return l10n.t("human input");
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
