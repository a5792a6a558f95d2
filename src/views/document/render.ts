import * as l10n from "@vscode/l10n";
import type { JsonValue, PlainCallbacks } from "../../api/types.ts";
import { readable } from "../../base/json.ts";
import { lastTimeIn } from "../../executions/interruptions.ts";
import type { Execution, SentKickoff } from "../../executions/model.ts";
import type { Price } from "../../executions/prices.ts";
import { type Step, stepsOf } from "../../executions/steps.ts";
import { titleOf } from "../../executions/title.ts";
import { activityIn } from "../activities.ts";
import { isRehearsal, present } from "../labels.ts";
import { aboutOf } from "./about.ts";
import { fencedLines, inlineText, leadingText, quotedLines } from "./markdown.ts";
import { rehearsalNote, resultParts, situationParts, stateFacts } from "./result.ts";
import { assemble, idsSection, type Part, type Rendered } from "./sections.ts";
import { taskPart, unknownTaskParts } from "./task.ts";
import { historyPart, type Interrupted, timesPart } from "./times.ts";
import { tokensPart } from "./tokens.ts";

export interface RenderCircumstances {
  readonly doubt?: string | undefined;
  readonly isKickingOff?: boolean;
  readonly prices?: readonly Price[];
  /** Whether a restart interrupted it, and a person is to decide about it. */
  readonly isInterrupted?: boolean;
}

/**
 * The same execution gives the same text. New text goes to the end of its section, so that readers
 * keep their place.
 */
export function renderExecution(
  execution: Execution,
  circumstances: RenderCircumstances = {},
  steps: readonly Step[] = [],
  interruptions: readonly Interrupted[] = [],
): Rendered {
  const { doubt, isInterrupted, prices = [] } = circumstances;
  const parts = present<Part>(
    { id: "title", lines: [`# ${inlineText(titleOf(execution))}`] },
    statePart(execution, circumstances),
    doubt !== undefined && { id: "doubt", lines: quotedLines([inlineText(doubt)]) },
    isRehearsal(execution) && { id: "rehearsal", lines: quotedLines([rehearsalNote()]) },
    ...situationParts(execution, circumstances),
    ...resultParts(execution),
    ...requestParts(execution),
    ...execution.tasks.map((task) => taskPart(task, execution, steps, isInterrupted)),
    ...unknownTaskParts(execution),
    timesPart(execution),
    tokensPart(execution, prices),
    historyPart(execution, interruptions),
    idsPart(execution),
  );
  return assemble(parts);
}

/** With what its events tell. */
export function renderWithEvents(
  store: Parameters<typeof activityIn>[0],
  execution: Execution,
  circumstances: RenderCircumstances = {},
): Rendered {
  const activity = activityIn(store, execution);
  const interruptions = [
    ...activity.interruptions,
    ...(circumstances.isInterrupted ? [{ from: lastTimeIn(activity) }] : []),
  ];
  return renderExecution(execution, circumstances, stepsOf(activity), interruptions);
}

export function renderMissingOutput(): Rendered {
  return assemble([{ id: "output", lines: [l10n.t("The crew has not returned this output.")] }]);
}

export function renderMissingAnswer(): Rendered {
  const text = l10n.t("This answer is not kept. “Crewdeck: Open Raw Answer” asks the crew again.");
  return assemble([{ id: "answer", lines: [text] }]);
}

export function renderMissing(crewName: string, kickoffId: string): Rendered {
  return assemble([
    { id: "title", lines: [`# ${l10n.t("Not tracked here")}`] },
    {
      id: "state",
      lines: [
        l10n.t(
          "No execution {0} of the crew “{1}” is tracked on this machine. It may have been removed from the list, or belong to another machine.",
          `\`${kickoffId.replaceAll("`", "'")}\``,
          inlineText(crewName),
        ),
        "",
        l10n.t(
          "To follow it here, run “Crewdeck: Track an Execution by Its ID…” from the command palette and enter this ID.",
        ),
      ],
    },
  ]);
}

function statePart(execution: Execution, circumstances: RenderCircumstances): Part {
  const { label, facts } = stateFacts(execution, circumstances);
  const shown = leadingText(label);
  const line = [shown, ...facts.map(inlineText)].join(" · ");
  return { id: "state", lines: [line], strong: [{ line: 0, from: 0, to: shown.length }] };
}

function requestParts({ request, origin }: Execution): Part[] {
  if (request === undefined && origin === "kickoff") return [];
  const part = (id: string, heading: string, lines: readonly string[]) =>
    lines.length > 0 && { id, lines: [heading, "", ...lines] };
  const inputs = Object.entries(request?.inputs ?? {});
  const none = request
    ? l10n.t("None.")
    : l10n.t("Not known: this execution was started elsewhere and is followed by its ID.");
  const meta = request?.meta && jsonLines(request.meta);
  return present<Part>(
    inputsPart(inputs, none),
    part("meta", `### ${l10n.t("Meta")}`, meta ?? []),
    part("callbacks", `### ${l10n.t("Callbacks")}`, callbackLines(request?.callbacks ?? {})),
  );
}

function inputsPart(inputs: readonly (readonly [string, JsonValue])[], none: string): Part {
  const lines = [`## ${l10n.t("Inputs")}`, "", ...(inputs.length === 0 ? [none] : [])];
  const strong = inputs.map(([name, value]) => {
    const label = `- ${leadingText(name)}`;
    const place = { line: lines.length, from: 2, to: label.length };
    lines.push(...valueLines(`${label}:`, value));
    return place;
  });
  return { id: "inputs", lines, strong };
}

function valueLines(label: string, value: JsonValue): string[] {
  if (value === "") return [`${label} *${l10n.t("empty")}*`];
  if (typeof value === "string" && !/[\n\r\u2028\u2029]/.test(value))
    return [`${label} ${inlineText(value)}`];
  if (value === null || (typeof value !== "object" && typeof value !== "string"))
    return [`${label} \`${String(value)}\``];
  const fenced = typeof value === "string" ? fencedLines(value, "text") : jsonLines(value);
  return [label, "", ...fenced.map((line) => (line === "" ? "" : `  ${line}`)), ""];
}

/** Deeply nested JSON is on one line. */
function jsonLines(value: object): string[] {
  return fencedLines(readable(value) ?? "", "json");
}

type StoredCallback = NonNullable<PlainCallbacks["humanInputWebhook"] | PlainCallbacks["webhooks"]>;

/** Anybody who knows a callback's path can post to it. */
function callbackLines(callbacks: SentKickoff["callbacks"]): string[] {
  return Object.entries<string | StoredCallback>({ ...callbacks }).flatMap(([name, callback]) => {
    const { url, authentication, ...rest } =
      typeof callback === "string" ? { url: callback } : callback;
    const events = "events" in rest ? ` (${rest.events.map(inlineText).join(", ")})` : "";
    const kind =
      authentication?.strategy === "basic"
        ? `, ${l10n.t("with a user name and password")}`
        : authentication && `, ${l10n.t("with a bearer token")}`;
    return url === "" ? [] : [`- ${name}: ${inlineText(withoutPath(url))}${events}${kind ?? ""}`];
  });
}

function withoutPath(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…` : l10n.t("not an address");
}

function idsPart(execution: Execution): Part {
  const facts = aboutOf(execution).map(({ label, value }) => `- ${label}: ${inlineText(value)}`);
  return { id: idsSection, lines: [`## ${l10n.t("Crew and IDs")}`, "", ...facts] };
}
