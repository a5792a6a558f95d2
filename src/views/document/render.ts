import * as l10n from "@vscode/l10n";
import type { CallbackUrls, JsonObject, JsonValue, PlainCallbacks } from "../../api/types.ts";
import type { Execution } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { isRehearsal, progressInFull, stateInWords } from "../words.ts";
import { historyPart } from "./history.ts";
import { resultPart } from "./result.ts";
import { assemble, type Part, type Rendered } from "./sections.ts";
import { fencedLines, inlineText, quotedLines } from "./markdown.ts";
import { situationPart } from "./situation.ts";
import { timesPart } from "./times.ts";
import { taskPart, unknownTaskParts } from "./task.ts";

/**
 * One execution as a Markdown document. Pure: no clock runs in it, the same record gives the same text. What comes later
 * stands at the end of its section, so that a reader can be kept where he is. `doubt` says why all of it may be out of date.
 */
export function renderExecution(execution: Execution, doubt?: string): Rendered {
  return assemble([
    { id: "title", lines: [`# ${inlineText(titleOf(execution))}`] },
    { id: "state", lines: [stateLine(execution)] },
    ...(doubt === undefined ? [] : [{ id: "doubt", lines: quotedLines([inlineText(doubt)]) }]),
    ...(isRehearsal(execution)
      ? [
          {
            id: "rehearsal",
            lines: quotedLines([
              l10n.t(
                "Rehearsal: no language model was called. The outputs only repeat what the agents were asked.",
              ),
            ]),
          },
        ]
      : []),
    ...situationPart(execution),
    ...resultPart(execution),
    ...inputsPart(execution),
    ...execution.tasks.map((task) => taskPart(task, execution)),
    ...unknownTaskParts(execution),
    timesPart(execution),
    ...historyPart(execution),
    { id: "ids", lines: [`## ${l10n.t("Crew and IDs")}`, "", ...ids(execution)] },
  ]);
}

function stateLine(execution: Execution): string {
  const { progress, waiting, stateText } = execution;
  const word = stateInWords(execution);
  const done = progressInFull(execution);
  const task = waiting?.taskId ?? (execution.state === "running" ? progress?.current : undefined);
  const facts = [
    `**${inlineText(word)}**`,
    ...(stateText !== undefined && stateText !== word
      ? [l10n.t("the crew says “{0}”", inlineText(stateText))]
      : []),
    ...(task === undefined ? [] : [l10n.t("task {0}", inlineText(task))]),
    ...(done === undefined ? [] : [inlineText(done)]),
  ];
  return facts.join(" · ");
}

function inputsPart({ request, origin }: Execution): Part[] {
  if (request === undefined) {
    if (origin === "kickoff") return [];
    return [
      {
        id: "inputs",
        lines: [
          `## ${l10n.t("Inputs")}`,
          "",
          l10n.t("Not known: this execution was started elsewhere and is followed by its ID."),
        ],
      },
    ];
  }
  const names = Object.entries(request.inputs);
  const lines =
    names.length === 0
      ? [l10n.t("None.")]
      : names.flatMap(([name, value]) => valueLines(name, value));
  return [
    { id: "inputs", lines: [`## ${l10n.t("Inputs")}`, "", ...lines] },
    ...metaPart(request.meta),
    ...callbacksPart(request.callbacks),
  ];
}

function valueLines(name: string, value: JsonValue): string[] {
  const label = `- **${inlineText(name)}**:`;
  if (value === "") return [`${label} *${l10n.t("empty")}*`];
  if (typeof value === "string" && !/[\n\r\u2028\u2029]/.test(value))
    return [`${label} ${inlineText(value)}`];
  if (typeof value !== "object" && typeof value !== "string")
    return [`${label} \`${String(value)}\``];
  if (value === null) return [`${label} \`null\``];
  const fenced =
    typeof value === "string"
      ? fencedLines(value, "text")
      : fencedLines(JSON.stringify(value, undefined, 2), "json");
  return [label, "", ...fenced.map((line) => (line === "" ? "" : `  ${line}`)), ""];
}

function metaPart(meta: JsonObject | undefined): Part[] {
  if (meta === undefined) return [];
  return [
    {
      id: "meta",
      lines: [
        `### ${l10n.t("Meta")}`,
        "",
        ...fencedLines(JSON.stringify(meta, undefined, 2), "json"),
      ],
    },
  ];
}

/** The places that hear of this execution. Whoever knows a callback's path may post to it, so that only its host is shown. */
function callbacksPart(callbacks: CallbackUrls & PlainCallbacks): Part[] {
  const lines = Object.entries<string | KeptCallback>({ ...callbacks }).flatMap(
    ([name, callback]) => {
      const url = typeof callback === "string" ? callback : callback.url;
      return url === ""
        ? []
        : [
            `- ${name}: ${inlineText(hostOf(url))}${typeof callback === "string" ? "" : about(callback)}`,
          ];
    },
  );
  return lines.length === 0
    ? []
    : [{ id: "callbacks", lines: [`### ${l10n.t("Callbacks")}`, "", ...lines] }];
}

type KeptCallback = NonNullable<PlainCallbacks["humanInputWebhook"] | PlainCallbacks["webhooks"]>;

/** What is known of a callback that takes credentials: never more than their kind. */
function about({ authentication, ...rest }: KeptCallback): string {
  const events = "events" in rest ? ` (${rest.events.map(inlineText).join(", ")})` : "";
  if (authentication === undefined) return events;
  return `${events}, ${authentication.strategy === "basic" ? l10n.t("with a user name and password") : l10n.t("with a bearer token")}`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…` : l10n.t("not an address");
}

function ids({ crew, kickoffIds, engine }: Execution): string[] {
  return [
    l10n.t("- Crew: {0}", inlineText(crew.name)),
    l10n.t("- Address: {0}", inlineText(crew.url)),
    ...(engine === undefined ? [] : [l10n.t("- Engine: {0}", inlineText(engine))]),
    ...kickoffIds.map((id, at) =>
      at === 0
        ? l10n.t("- Kickoff ID: {0}", inlineText(id))
        : l10n.t("- Goes on as: {0}", inlineText(id)),
    ),
  ];
}
