import { lengthText } from "../../view/lengths.ts";
import type { Duration } from "../../executions/durations.ts";
import { fill } from "../../kickoff/form/messages.ts";
import type { Mark, Span, TimelineTexts } from "./messages.ts";

/** Of marks in a tooltip; each has one of its own. */
const mostLines = 10;

/** "950", "1.2k", "34k", "1.2M". */
export function shortCount(count: number): string {
  const [divisor, unit] =
    count < 999.5 ? [1, ""] : count < 999_500 ? [1_000, "k"] : [1_000_000, "M"];
  const value = count / divisor;
  return `${value < 10 && divisor > 1 ? Math.round(value * 10) / 10 : Math.round(value)}${unit}`;
}

/** What a filter looks in. */
export function searchedTexts(span: Span, texts: TimelineTexts): readonly (string | undefined)[] {
  const { agent, text, arguments: given, error, state, marks = [] } = span;
  return [
    nameOf(span, texts),
    ...[agent, text, given, error, texts.states[state]],
    ...marks.flatMap((mark) => [
      markName(mark),
      ...[mark.thought, mark.arguments, mark.text, mark.error],
    ]),
  ];
}

/** What a row is called. */
export function nameOf(span: Span, texts: TimelineTexts): string {
  const { kind, name, attempt, isApprove, state } = span;
  if (kind === "queue") return texts.queued;
  if (kind === "attempt") return fill(texts.attempt, attempt ?? 1);
  if (kind !== "wait") return name;
  if (state === "running") return texts.waiting;
  if (isApprove === undefined) return texts.waited;
  return isApprove ? texts.approved : texts.rejected;
}

/** What distinguishes a row from others of its name, on one line. */
export function hintOf({
  kind,
  agent,
  text,
  arguments: given,
  error,
  end,
  isApprove,
}: Span): string | undefined {
  if (error !== undefined) return lineOf(error);
  if (kind === "task" || kind === "attempt") return agent;
  if (kind === "tool" || kind === "other") return lineOf(given);
  // Until it ends, it is the output that waits. An approval without words says nothing more.
  const isSaid =
    kind === "wait" && end !== undefined && !(isApprove === true && text === "Approved.");
  return isSaid ? lineOf(text) : undefined;
}

function lineOf(text: string | undefined): string | undefined {
  return text?.slice(0, 200).replace(/\s+/g, " ").trim();
}

/** Without a task's pauses. */
function workOf({ worked, pauses = [], start, end, isSeen }: Span, now: number): Duration {
  if (worked !== undefined) return worked;
  const paused = pauses.reduce((sum, pause) => sum + (pause.end ?? now) - pause.start, 0);
  return { seconds: ((end ?? now) - start - paused) / 1000, isByCrew: isSeen !== true };
}

function durationText({ seconds, isByCrew }: Duration, { units, about }: TimelineTexts): string {
  return isByCrew
    ? lengthText(seconds * 1000, units)
    : fill(about, lengthText(seconds * 1000, units, "seconds"));
}

/** @param now milliseconds since 1970 */
export function timeText(span: Span, now: number, texts: TimelineTexts): string {
  return durationText(workOf(span, now), { ...texts, about: "≈ {0}" });
}

/** A row's figures beside its bar. */
export function figuresOf({ tokens, cost }: Span) {
  return [
    { name: "tokens", text: tokens === undefined ? "" : shortCount(tokens.total) },
    { name: "cost", text: cost?.short ?? "" },
  ] as const;
}

/** What a mark is called. */
export function markName({ type, name }: Mark): string {
  const words = type.replaceAll("_", " ");
  return name === undefined ? words : `${words}: ${name}`;
}

/** On one line. @param start the execution's */
export function markLine(mark: Mark, start: number, { units }: TimelineTexts): string {
  const { at, error, thought, text } = mark;
  const said = lineOf(error ?? thought ?? text);
  const line = `${lengthText(at - start, units)} · ${markName(mark)}`;
  return said === undefined ? line : `${line} – ${said}`;
}

/** What a screen reader says. */
export function sentenceOf(span: Span, start: number, now: number, texts: TimelineTexts): string {
  const { kind, state, tokens, cost, agent, error, end, marks = [], earlierMarks = 0 } = span;
  const name = nameOf(span, texts);
  const kindText = texts.kinds[kind];
  const isNamedByKind = kind === "attempt" || kind === "wait" || kind === "queue";
  const length = durationText(workOf(span, now), texts);
  const parts = [
    isNamedByKind ? name : `${kindText} ${name}`,
    texts.states[state],
    fill(end === undefined || state === "unknown" ? texts.since : texts.took, length),
    fill(texts.startsAfter, lengthText(span.start - start, texts.units)),
    tokens && fill(texts.tokensOf, tokens.total),
    cost?.text,
    marks.length === 0 ? undefined : fill(texts.marksOf, marks.length + earlierMarks),
    agent !== undefined && kind !== "agent" && kind !== "crew"
      ? fill(texts.byAgent, agent)
      : undefined,
    lineOf(error),
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

interface Details {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Longer texts, as they are. */
  readonly blocks: readonly (readonly [label: string, text: string])[];
}

/** What the tooltip shows. @param language for clock times */
export function detailsOf(
  span: Span,
  {
    start,
    now,
    texts,
    language,
  }: { start: number; now: number; texts: TimelineTexts; language: string },
): Details {
  const { kind, state, agent, tokens, cost, end, waited, marks = [], earlierMarks = 0 } = span;
  const { details } = texts;
  const work = workOf(span, now);
  const clock = clockIn(language);
  const until = end === undefined || state === "unknown" ? "" : ` – ${clock.format(end)}`;
  const after = fill(texts.startsAfter, lengthText(span.start - start, texts.units));
  const facts: [string, string | undefined][] = [
    [details.kind, `${texts.kinds[kind]}, ${texts.states[state]}`],
    [details.agent, kind === "agent" || kind === "crew" ? undefined : agent],
    [details.time, durationText(work, { ...texts, about: details.seen })],
    [details.waited, waited && durationText(waited, texts)],
    [details.from, `${clock.format(span.start)}${until} (${after})`],
    [details.tokens, tokens && tokensText(tokens, texts, language)],
    [details.cost, cost?.text],
  ];
  const blocks: [string, string | undefined][] = [
    [details.error, span.error],
    [kind === "model" ? details.prompt : details.arguments, span.arguments],
    [details.text, span.text],
    [details.marks, marks.length === 0 ? undefined : markLines(marks, earlierMarks, start, texts)],
  ];
  return { title: nameOf(span, texts), facts: known(facts), blocks: known(blocks) };
}

/** What the tooltip of one mark, or of several at one place, shows. */
export function markDetails(
  marks: readonly Mark[],
  { start, texts, language }: { start: number; texts: TimelineTexts; language: string },
): Details {
  const [mark] = marks;
  if (mark === undefined || marks.length > 1)
    return {
      title: fill(texts.marksOf, marks.length),
      facts: [],
      blocks: [[texts.details.marks, markLines(marks, 0, start, texts)]],
    };
  const { details } = texts;
  const clock = clockIn(language);
  const after = fill(texts.after, lengthText(mark.at - start, texts.units));
  return {
    title: markName(mark),
    facts: [[details.at, `${clock.format(mark.at)} (${after})`]],
    blocks: known([
      [details.error, mark.error],
      [details.thought, mark.thought],
      [details.arguments, mark.arguments],
      [details.text, mark.text],
    ]),
  };
}

/** Of 24 hours, as in all other times. */
function clockIn(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
}

function markLines(
  marks: readonly Mark[],
  earlier: number,
  start: number,
  texts: TimelineTexts,
): string {
  const shown = marks.slice(-mostLines);
  const left = earlier + marks.length - shown.length;
  return [
    ...(left === 0 ? [] : [fill(texts.earlierMarks, left)]),
    ...shown.map((mark) => markLine(mark, start, texts)),
  ].join("\n");
}

function tokensText(
  { total, prompt, completion, cached = 0 }: NonNullable<Span["tokens"]>,
  { details }: TimelineTexts,
  language: string,
): string {
  const [all, sent, came, kept] = [total, prompt ?? 0, completion ?? 0, cached].map((count) =>
    count.toLocaleString(language),
  );
  if (prompt === undefined && completion === undefined) return all ?? "";
  return cached > 0
    ? fill(details.cachedParts, all ?? "", sent ?? "", kept ?? "", came ?? "")
    : fill(details.tokenParts, all ?? "", sent ?? "", came ?? "");
}

function known(pairs: readonly (readonly [string, string | undefined])[]): [string, string][] {
  return pairs.flatMap(([label, text]) => (text === undefined ? [] : [[label, text]]));
}
