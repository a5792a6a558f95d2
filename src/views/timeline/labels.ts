import * as l10n from "@vscode/l10n";
import type { Duration } from "../../executions/times.ts";
import { formatSpan } from "../../view/lengths.ts";
import type { Mark, Span } from "./messages.ts";

/** Of marks in a tooltip; each has one of its own. */
const mostLines = 10;

/** "950", "1.2k", "34k", "1.2M". */
export function shortCount(count: number): string {
  const [divisor, unit] =
    count < 999.5 ? [1, ""] : count < 999_500 ? [1_000, "k"] : [1_000_000, "M"];
  const value = count / divisor;
  return `${value < 10 && divisor > 1 ? Math.round(value * 10) / 10 : Math.round(value)}${unit}`;
}

export function stateText(state: Span["state"]): string {
  return {
    running: l10n.t("running"),
    waiting: l10n.t("waiting for you"),
    completed: l10n.t("completed"),
    failed: l10n.t("failed"),
    stopped: l10n.t("stopped"),
    interrupted: l10n.t("interrupted"),
    unknown: l10n.t("not known"),
  }[state];
}

function kindText(kind: Span["kind"]): string {
  return {
    crew: l10n.t("Crew"),
    queue: l10n.t("Queue"),
    task: l10n.t("Task"),
    attempt: l10n.t("Attempt"),
    wait: l10n.t("Wait for a person"),
    agent: l10n.t("Agent"),
    model: l10n.t("Model call"),
    tool: l10n.t("Tool call"),
    other: l10n.t("Step"),
  }[kind];
}

/** What a filter looks in. */
export function searchedTexts(span: Span): readonly (string | undefined)[] {
  const { agent, text, arguments: given, error, state, marks = [] } = span;
  return [
    nameOf(span),
    ...[agent, text, given, error, stateText(state)],
    ...marks.flatMap((mark) => [
      markName(mark),
      ...[mark.thought, mark.arguments, mark.text, mark.error],
    ]),
  ];
}

/** What a row is called. */
export function nameOf(span: Span): string {
  const { kind, name, attempt, isApprove, state } = span;
  if (kind === "queue") return l10n.t("Queued");
  if (kind === "attempt") return l10n.t("Attempt {0}", attempt ?? 1);
  if (kind !== "wait") return name;
  if (state === "running") return l10n.t("Waiting for you");
  if (isApprove === undefined) return l10n.t("Waited for a person");
  return isApprove ? l10n.t("Approved") : l10n.t("Rejected");
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

/** @param about says of a text that it is not exact */
function durationText({ seconds, isByCrew }: Duration, about: (length: string) => string): string {
  return isByCrew ? formatSpan(seconds * 1000, "fine") : about(formatSpan(seconds * 1000));
}

function about(length: string): string {
  return l10n.t("about {0}", length);
}

function seen(length: string): string {
  return l10n.t("{0} (seen from here, a few seconds late)", length);
}

/** @param now milliseconds since 1970 */
export function timeText(span: Span, now: number): string {
  return durationText(workOf(span, now), (length) => `≈ ${length}`);
}

/** A row's figures beside its bar. @param now milliseconds since 1970 */
export function figuresOf(span: Span, now: number) {
  const { tokens, cost } = span;
  return [
    { name: "time", text: timeText(span, now) },
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
export function markLine(mark: Mark, start: number): string {
  const { at, error, thought, text } = mark;
  const said = lineOf(error ?? thought ?? text);
  const line = `${formatSpan(at - start, "fine")} · ${markName(mark)}`;
  return said === undefined ? line : `${line} – ${said}`;
}

/** What a screen reader says. */
export function sentenceOf(span: Span, start: number, now: number): string {
  const { kind, state, tokens, cost, agent, error, end, marks = [] } = span;
  const name = nameOf(span);
  const isNamedByKind = kind === "attempt" || kind === "wait" || kind === "queue";
  const length = durationText(workOf(span, now), about);
  const parts = [
    isNamedByKind ? name : `${kindText(kind)} ${name}`,
    stateText(state),
    end === undefined || state === "unknown"
      ? l10n.t("for {0} so far", length)
      : l10n.t("took {0}", length),
    l10n.t("started after {0}", formatSpan(span.start - start, "fine")),
    tokens && l10n.t("{0} tokens", tokens.total),
    cost?.text,
    marks.length === 0 ? undefined : l10n.t("{0} events", marks.length),
    agent !== undefined && kind !== "agent" && kind !== "crew"
      ? l10n.t("by {0}", agent)
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
  { start, now, language }: { start: number; now: number; language: string },
): Details {
  const { kind, state, agent, tokens, cost, end, waited, marks = [] } = span;
  const work = workOf(span, now);
  const clock = clockIn(language);
  const until = end === undefined || state === "unknown" ? "" : ` – ${clock.format(end)}`;
  const after = l10n.t("started after {0}", formatSpan(span.start - start, "fine"));
  const facts: [string, string | undefined][] = [
    [l10n.t("Kind"), `${kindText(kind)}, ${stateText(state)}`],
    [l10n.t("Agent"), kind === "agent" || kind === "crew" ? undefined : agent],
    [l10n.t("Time"), durationText(work, seen)],
    [l10n.t("Waited"), waited && durationText(waited, about)],
    [l10n.t("From"), `${clock.format(span.start)}${until} (${after})`],
    [l10n.t("Tokens"), tokens && tokensText(tokens, language)],
    [l10n.t("Cost"), cost?.text],
  ];
  const blocks: [string, string | undefined][] = [
    [l10n.t("Error"), span.error],
    [kind === "model" ? l10n.t("Prompt") : l10n.t("Arguments"), span.arguments],
    [l10n.t("Text"), span.text],
    [l10n.t("Events"), marks.length === 0 ? undefined : markLines(marks, start)],
  ];
  return { title: nameOf(span), facts: known(facts), blocks: known(blocks) };
}

/** What the tooltip of one mark, or of several at one place, shows. */
export function markDetails(
  marks: readonly Mark[],
  { start, language }: { start: number; language: string },
): Details {
  const [mark] = marks;
  if (mark === undefined || marks.length > 1)
    return {
      title: l10n.t("{0} events", marks.length),
      facts: [],
      blocks: [[l10n.t("Events"), markLines(marks, start)]],
    };
  const clock = clockIn(language);
  const after = l10n.t("after {0}", formatSpan(mark.at - start, "fine"));
  return {
    title: markName(mark),
    facts: [[l10n.t("At"), `${clock.format(mark.at)} (${after})`]],
    blocks: known([
      [l10n.t("Error"), mark.error],
      [l10n.t("Thought"), mark.thought],
      [l10n.t("Arguments"), mark.arguments],
      [l10n.t("Text"), mark.text],
    ]),
  };
}

/** Of 24 hours, as in all other times. */
function clockIn(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
}

function markLines(marks: readonly Mark[], start: number): string {
  const shown = marks.slice(-mostLines);
  const left = marks.length - shown.length;
  return [
    ...(left === 0 ? [] : [l10n.t("{0} earlier ones", left)]),
    ...shown.map((mark) => markLine(mark, start)),
  ].join("\n");
}

function tokensText(
  { total, prompt, completion, cached = 0 }: NonNullable<Span["tokens"]>,
  language: string,
): string {
  const [all, sent, came, kept] = [total, prompt ?? 0, completion ?? 0, cached].map((count) =>
    count.toLocaleString(language),
  );
  if (prompt === undefined && completion === undefined) return all ?? "";
  return cached > 0
    ? l10n.t(
        "{0} ({1} in, of it {2} cached, {3} out)",
        all ?? "",
        sent ?? "",
        kept ?? "",
        came ?? "",
      )
    : l10n.t("{0} ({1} in, {2} out)", all ?? "", sent ?? "", came ?? "");
}

function known(pairs: readonly (readonly [string, string | undefined])[]): [string, string][] {
  return pairs.flatMap(([label, text]) => (text === undefined ? [] : [[label, text]]));
}
