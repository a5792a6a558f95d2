import * as l10n from "@vscode/l10n";
import type { JsonValue } from "../api/types.ts";
import { readable } from "../base/json.ts";
import { type ExecutionSummary, mayWait } from "../executions/model.ts";
import { outputLines, outputPart, withLines } from "./embed.ts";
import type { ExecutionView } from "./execution-view.ts";
import {
  cleanText,
  fencedLines,
  inlineName,
  inlineText,
  leadingText,
  quotedLines,
  withoutCommands,
} from "./markdown.ts";
import type { Notice } from "./notices.ts";
import type { AttemptView, FeedbackView, TaskView } from "./tasks.ts";
import { type Fact, present } from "./words.ts";

/** What stands in a quote, since it says how the whole text is to be read. */
const quoted: readonly Notice["id"][] = ["doubt", "rehearsal"];

/** Markdown. New text goes to the end of its section, so that readers keep their place. */
export function textOf(view: ExecutionView): Rendered {
  const { title, notices, result, tasks } = view;
  const isResult = ({ id }: Notice) => id === "no result" || id === "error";
  return assemble(
    present<Part>(
      { id: "title", lines: [`# ${inlineText(title)}`] },
      statePart(view),
      ...notices.filter((each) => !isResult(each)).map(noticePart),
      result !== undefined && outputPart(resultSection, [`## ${l10n.t("Result")}`], result, 3),
      ...notices.filter(isResult).map(noticePart),
      inputsPart(view),
      ...tasks.map(taskPart),
      section("times", l10n.t("Times"), listLines(view.times)),
      section("tokens", l10n.t("Tokens"), [...listLines(view.use), ...factLines(view.models)]),
      section("history", l10n.t("History"), listLines(view.history)),
      section(idsSection, l10n.t("Crew and IDs"), factLines(view.about)),
    ),
  );
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

export function missing(): string {
  return l10n.t("The crew has not returned this output.");
}

function section(id: string, title: string, lines: readonly string[]) {
  return lines.length === 0 ? undefined : { id, lines: [`## ${title}`, "", ...lines] };
}

function listLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `- ${line}`);
}

function factLines(facts: readonly Fact[]): readonly string[] {
  return listLines(facts.map(({ label, value }) => `${leadingText(label)}: ${inlineText(value)}`));
}

/** What runs has no time: the text would change all the while. */
function statePart({ label, facts, elapsed }: ExecutionView): Part {
  const time = typeof elapsed === "string" && elapsed;
  const words = present(leadingText(label), ...facts.map(inlineText), time);
  return { id: "state", lines: [words.join(" · ")] };
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

function jsonLines(value: object): string[] {
  return fencedLines(readable(value) ?? "", "json");
}

function taskPart(task: TaskView): Part {
  const { taskId, agent, label, facts, question, note, attempts, isUnknown } = task;
  const title = `## ${l10n.t("Task: {0}", inlineName(taskId))}`;
  const parts = attempts.flatMap((attempt) => attemptParts(attempt, task));
  if (isUnknown) return { id: taskSection(taskId), lines: [title], parts };
  const by = agent !== undefined && l10n.t("by {0}", inlineName(agent));
  const asked =
    question === undefined ? [] : ["", ...quotedLines(outputLines(withLines(question), 3))];
  return {
    id: taskSection(taskId),
    lines: [
      title,
      "",
      present(inlineText(label), by, ...facts).join(" · "),
      ...asked,
      ...(note === undefined ? [] : ["", `*${note}*`]),
    ],
    parts,
  };
}

function attemptParts(attempt: AttemptView, { taskId }: TaskView): readonly Part[] {
  const { number, output, isBegun, isOnly, note, feedback } = attempt;
  if (isBegun) return [];
  // Without a heading of its own, its place is that of its task.
  const own = attemptSection(taskId, number);
  const id = isOnly ? `${own} alone` : own;
  const heading = isOnly ? [] : [`### ${l10n.t("Attempt {0}", number)}`];
  return present<Part>(
    output !== undefined && outputPart(id, heading, output, isOnly ? 3 : 4),
    output === undefined && !isOnly && { id, lines: [...heading, "", `*${missing()}*`] },
    note !== undefined && { id: `${id} over`, lines: [`*${note}*`] },
    ...feedback.map((sent, at) => feedbackPart(`${own} feedback ${at + 1}`, sent)),
  );
}

function feedbackPart(id: string, { title, text, outcome }: FeedbackView): Part {
  const lines = quotedLines(outputLines(withLines(cleanText(text)), 4));
  return { id, lines: [`### ${title}`, "", ...lines, "", outcome] };
}

/** Where the text shows what waits, or may wait: its first line, and its last one that isn't blank. */
export function placeOfWaiting(
  execution: ExecutionSummary,
  rendered: Rendered,
): { readonly taskId?: string; readonly first: number; readonly last: number } | undefined {
  const { state, waiting } = execution;
  const task = state === "waiting" ? waiting : undefined;
  const section = task?.call
    ? sectionOf(rendered, "waits")
    : task
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

/** Its lines, then inner parts. The ID is the same in every rendering. */
interface Part {
  readonly id: string;
  readonly lines: readonly string[];
  readonly parts?: readonly Part[];
}

/** From 0; `end` is exclusive and includes blank lines. */
interface Section {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

export interface Rendered {
  readonly text: string;
  readonly sections: readonly Section[];
}

export function assemble(parts: readonly Part[]): Rendered {
  const lines: string[] = [];
  const sections: Section[] = [];
  const add = (part: Part) => {
    const start = lines.length;
    const at = sections.length;
    if (part.lines.length > 0) lines.push(...part.lines.flatMap((line) => line.split("\n")), "");
    for (const inner of part.parts ?? []) add(inner);
    sections.splice(at, 0, { id: part.id, start, end: lines.length });
  };
  for (const part of parts) add(part);
  return { text: withoutCommands(lines.join("\n")), sections };
}

export function sectionOf(rendered: Rendered, id: string): Section | undefined {
  return rendered.sections.find((section) => section.id === id);
}

export const resultSection = "result";
export const idsSection = "ids";
const mayBeWaitingSection = "may be waiting";

export function taskSection(taskId: string): string {
  return `task ${taskId}`;
}

export function attemptSection(taskId: string, attempt: number): string {
  return `${taskSection(taskId)} attempt ${attempt}`;
}

export function mapLine(line: number, from: Rendered, to: Rendered): number {
  const lastOf = ({ text }: Rendered) => text.split("\n").length - 1;
  if (line >= lastOf(from)) return lastOf(to);
  const around = from.sections.filter(({ start, end }) => start <= line && line < end);
  for (const before of around.reverse()) {
    const now = sectionOf(to, before.id);
    if (now !== undefined && now.end > now.start)
      return Math.min(now.start + line - before.start, now.end - 1);
  }
  return Math.min(line, lastOf(to));
}
