import * as l10n from "@vscode/l10n";
import type { EventCounts, PlainCallbacks } from "../api/types.ts";
import type { Execution, SentKickoff } from "../executions/model.ts";
import { type Fact, formatCount, present, triggerFacts } from "./words.ts";

/** Its crew and IDs, and who or what started it. */
export function aboutOf(execution: Execution): readonly Fact[] {
  const { crew, kickoffIds, engine } = execution;
  return present<Fact>(
    { label: l10n.t("Crew"), value: crew.name },
    { label: l10n.t("Address"), value: crew.url },
    engine !== undefined && { label: l10n.t("Engine"), value: engine },
    ...triggerFacts(execution),
    ...kickoffIds.map((value, at) => ({
      label: at === 0 ? l10n.t("Kickoff ID") : l10n.t("Continues as"),
      value,
    })),
  );
}

/** How many events there were. Not for the text, in which a section that changes is unfolded. */
export function eventFacts({ eventCounts }: Execution): readonly Fact[] {
  const counts = eventCounts === undefined ? "" : countsText(eventCounts);
  return counts === "" ? [] : [{ label: l10n.t("Events"), value: counts }];
}

/** "27 (6 llm_call_started, 2 task_started)". */
function countsText({ total, byType = {} }: EventCounts): string {
  const types = Object.entries(byType).toSorted(([, one], [, other]) => other - one);
  const sum = total ?? types.reduce((all, [, count]) => all + count, 0);
  const parts = types.map(([type, count]) => `${formatCount(count)} ${type}`);
  if (sum === 0) return "";
  return parts.length === 0 ? formatCount(sum) : `${formatCount(sum)} (${parts.join(", ")})`;
}

type StoredCallback = NonNullable<PlainCallbacks["humanInputWebhook"] | PlainCallbacks["webhooks"]>;

/** Anybody who knows a callback's path can post to it. */
export function callbacksOf(callbacks: SentKickoff["callbacks"]): readonly Fact[] {
  return Object.entries<string | StoredCallback>({ ...callbacks }).flatMap(([label, callback]) => {
    const { url, authentication, ...rest } =
      typeof callback === "string" ? { url: callback } : callback;
    const events = "events" in rest ? ` (${rest.events.join(", ")})` : "";
    const kind =
      authentication?.strategy === "basic"
        ? `, ${l10n.t("with a user name and password")}`
        : authentication && `, ${l10n.t("with a bearer token")}`;
    return url === "" ? [] : [{ label, value: `${withoutPath(url)}${events}${kind ?? ""}` }];
  });
}

function withoutPath(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…` : l10n.t("not an address");
}
