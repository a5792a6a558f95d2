import * as l10n from "@vscode/l10n";
import type { JsonValue } from "../api/types.ts";
import { readable } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import { type ExecutionSummary, mayWait } from "../executions/model.ts";
import type { Step } from "../executions/steps.ts";
import { outputLines, outputPart, withLines } from "./embed.ts";
import type { ExecutionView, Table } from "./execution-view.ts";
import { formatSpan } from "./lengths.ts";
import {
  cellText,
  cleanText,
  fencedLines,
  inlineName,
  inlineText,
  leadingText,
  quotedLines,
  tableLines,
} from "./markdown.ts";
import type { Notice } from "./notices.ts";
import {
  assemble,
  attemptSection,
  feedbackSection,
  idsSection,
  mayBeWaitingSection,
  type Part,
  type Rendered,
  resultSection,
  sectionOf,
  stepSection,
  stepsSection,
  taskSection,
} from "./sections.ts";
import type { AttemptView, FeedbackView, TaskView } from "./tasks.ts";
import { elapsedText, type Fact, formatTime, interruptedLabel, present } from "./words.ts";

/** Steps of a task, and characters of each of their texts. The page and the timeline have more. */
const most = { steps: 30, characters: 300 };

/** What stands in a quote, since it says how the whole text is to be read. */
const quoted: readonly Notice["id"][] = ["doubt", "rehearsal"];
/** What stands with the result. */
const results: readonly Notice["id"][] = ["no result", "error"];

/**
 * An execution as Markdown. The same view gives the same text. New text goes to the end of its
 * section, so that readers keep their place.
 */
export function textOf(view: ExecutionView): Rendered {
  const { title, notices, result, meta, tasks } = view;
  const times = view.times.map((line) => `- ${line}`);
  const isResult = ({ id }: Notice) => results.includes(id);
  return assemble(
    present<Part>(
      { id: "title", lines: [`# ${inlineText(title)}`] },
      statePart(view),
      ...notices.filter((each) => !isResult(each)).map(noticePart),
      result !== undefined && outputPart(resultSection, [`## ${l10n.t("Result")}`], result, 3),
      ...notices.filter(isResult).map(noticePart),
      inputsPart(view),
      meta && section("meta", l10n.t("Meta"), jsonLines(meta), "###"),
      section("callbacks", l10n.t("Callbacks"), factLines(view.callbacks), "###"),
      ...tasks.map(taskPart),
      tablesPart("times", l10n.t("Times"), times, present<Table>(view.timeTable)),
      tablesPart(
        "tokens",
        l10n.t("Tokens"),
        present(view.use.join(" · ") || undefined),
        view.tokenTables,
      ),
      section("history", l10n.t("History"), historyLines(view)),
      section(idsSection, l10n.t("Crew and IDs"), factLines(view.about)),
    ),
  );
}

export function missingOutputText(): Rendered {
  return assemble([{ id: "output", lines: [missing()] }]);
}

export function missingText(crewName: string, kickoffId: string): Rendered {
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

function missing(): string {
  return l10n.t("The crew has not returned this output.");
}

function section(
  id: string,
  title: string,
  lines: readonly string[],
  marks = "##",
): Part | undefined {
  return lines.length === 0 ? undefined : { id, lines: [`${marks} ${title}`, "", ...lines] };
}

function factLines(facts: readonly Fact[]): readonly string[] {
  return facts.map(({ label, value }) => `- ${label}: ${inlineText(value)}`);
}

function historyLines({ history }: ExecutionView): readonly string[] {
  return history.map(({ at, text }) => `- ${formatTime(at)} – ${text}`);
}

function statePart({ label, facts }: ExecutionView): Part {
  return { id: "state", lines: [[leadingText(label), ...facts.map(inlineText)].join(" · ")] };
}

function noticePart({ id, title, lines }: Notice): Part {
  const heading = title === undefined ? [] : [`## ${title}`, ""];
  return { id, lines: quoted.includes(id) ? quotedLines(lines) : [...heading, ...lines] };
}

function inputsPart({ inputs = {}, noInputs }: ExecutionView): Part {
  const lines = Object.entries(inputs).flatMap(([name, value]) =>
    valueLines(`- ${leadingText(name)}:`, value),
  );
  return { id: "inputs", lines: [`## ${l10n.t("Inputs")}`, "", ...present(noInputs), ...lines] };
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

function taskPart(task: TaskView): Part {
  const { taskId, agent, label, question, note, attempts, isUnknown } = task;
  const title = `## ${l10n.t("Task: {0}", inlineName(taskId))}`;
  const parts = attempts.flatMap((attempt) => attemptParts(attempt, task));
  if (isUnknown === true) return { id: taskSection(taskId), lines: [title], parts };
  const facts = present(label, agent !== undefined && l10n.t("by {0}", inlineName(agent)));
  const asked =
    question === undefined ? [] : ["", ...quotedLines(outputLines(withLines(question), 3))];
  const steps = attempts.flatMap((attempt) =>
    attempt.steps.map((step) => ({ ...step, attempt: attempt.number })),
  );
  return {
    id: taskSection(taskId),
    lines: [
      title,
      "",
      facts.join(" · "),
      ...asked,
      ...(note === undefined ? [] : ["", `*${note}*`]),
    ],
    parts: [...parts, ...stepsParts(taskId, steps)],
  };
}

function attemptParts(attempt: AttemptView, { taskId }: TaskView): readonly Part[] {
  const { number, output, isBegun, isOnly, note, feedback } = attempt;
  if (isBegun === true) return [];
  // Without a heading of its own, its place is that of its task.
  const own = attemptSection(taskId, number);
  const id = isOnly ? `${own} alone` : own;
  const heading = isOnly ? [] : [`### ${l10n.t("Attempt {0}", number)}`];
  return present<Part>(
    output !== undefined && outputPart(id, heading, output, isOnly ? 3 : 4),
    output === undefined && !isOnly && { id, lines: [...heading, "", `*${missing()}*`] },
    note !== undefined && { id: `${id} over`, lines: [`*${note}*`] },
    ...feedback.map((sent, at) => feedbackPart(feedbackSection(taskId, number, at + 1), sent)),
  );
}

function feedbackPart(id: string, { title, text, outcome }: FeedbackView): Part {
  const lines = quotedLines(outputLines(withLines(cleanText(text)), 4));
  return { id, lines: [`### ${title}`, "", ...lines, "", outcome] };
}

function stepsParts(taskId: string, all: readonly Step[]): readonly Part[] {
  if (all.length === 0) return [];
  const steps = all.toSorted((one, other) => one.start - other.start);
  const left = Math.max(0, steps.length - most.steps);
  const lines = [
    `### ${l10n.t("Steps")}`,
    "",
    ...(left === 0 ? [] : [l10n.t("{0} earlier ones are not shown.", left), ""]),
  ];
  const within = steps.slice(left).map((step) => {
    const start = lines.length;
    lines.push(...stepLines(step));
    return { id: stepSection(step.id), start, end: lines.length };
  });
  return [{ id: stepsSection(taskId), lines, within }];
}

function stepLines({ attempt = 1, tool, start, end, thought, result, error, ...step }: Step) {
  const cut = step.isInterrupted && interruptedLabel();
  const line = (label: string, text: string | undefined) =>
    text !== undefined && `  - ${label}: ${inlineText(oneLine(text, most.characters))}`;
  const time = end !== undefined && tool !== undefined && formatSpan(end - start, "fine");
  const name =
    step.picture !== undefined
      ? l10n.t("a picture, which the page opens")
      : tool === undefined
        ? l10n.t("no tool")
        : inlineName(tool);
  const again = attempt > 1 && l10n.t("attempt {0}", attempt);
  return present(
    `- ${present(name, again, cut, time).join(" · ")}`,
    line(l10n.t("thought"), thought),
    line(l10n.t("arguments"), step.arguments),
    line(l10n.t("result"), result),
    line(l10n.t("error"), error),
  );
}

/** Undefined without lines. */
function tablesPart(
  id: string,
  title: string,
  lines: readonly string[],
  tables: readonly Table[],
): Part | undefined {
  const parts = tables.map((table, at) => ({
    id: `${id} ${at}`,
    lines: tableLines(table.map((row) => row.map(cellText))),
  }));
  const own = section(id, title, lines);
  return own && { ...own, parts };
}

/** Shown after a line, and no part of the text. */
export interface Note {
  readonly line: number;
  readonly text: string;
}

/** Times, tokens and cost, after the state and the tasks' headings. `now` in milliseconds since 1970. */
export function notesOf(
  { elapsed, use, tasks }: ExecutionView,
  rendered: Rendered,
  now: number,
): readonly Note[] {
  const note = (section: string, labels: readonly string[]): Note[] => {
    const line = sectionOf(rendered, section)?.start;
    return line === undefined || labels.length === 0 ? [] : [{ line, text: labels.join(" · ") }];
  };
  return [
    ...note("state", present(elapsedText(elapsed, now), ...use)),
    ...tasks.flatMap(({ taskId, facts }) => note(taskSection(taskId), facts)),
  ];
}

/** Where the text shows what waits, or may wait: its first line, and its last one that isn't blank. */
export function placeOfWaiting(
  execution: ExecutionSummary,
  rendered: Rendered,
): { readonly taskId?: string; readonly first: number; readonly last: number } | undefined {
  const { state, waiting } = execution;
  const task = state === "waiting" ? waiting : undefined;
  const section = task
    ? (sectionOf(rendered, attemptSection(task.taskId, task.attempt)) ??
      sectionOf(rendered, taskSection(task.taskId)))
    : mayWait(execution)
      ? sectionOf(rendered, mayBeWaitingSection)
      : undefined;
  if (section === undefined) return undefined;
  const lines = rendered.text.split("\n").slice(section.start, section.end);
  const last = section.start + lines.findLastIndex((line) => line.trim() !== "");
  return { first: section.start, last, ...(task && { taskId: task.taskId }) };
}
