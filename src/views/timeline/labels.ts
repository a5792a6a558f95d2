import * as l10n from "@vscode/l10n";
import type { Duration } from "../../executions/times.ts";
import {
  formatDuration,
  formatSpan,
  formatTime,
  formatTokens,
  present,
  stateName,
} from "../../view/words.ts";
import type { Mark, Span } from "./messages.ts";

/** Of marks in a row's tooltip; each has its own, too. */
const mostLines = 20;
const shortCount = new Intl.NumberFormat("en", { notation: "compact" });

function kindText(kind: Span["kind"]): string {
  return {
    crew: l10n.t("Crew"),
    queue: l10n.t("Before it began"),
    task: l10n.t("Task"),
    attempt: l10n.t("Attempt"),
    wait: l10n.t("Wait for a person"),
    agent: l10n.t("Agent"),
    model: l10n.t("Model call"),
    tool: l10n.t("Tool call"),
    other: l10n.t("Step"),
  }[kind];
}

export function searchedTexts(span: Span): readonly (string | undefined)[] {
  const { agent, text, arguments: given, error, state, marks = [] } = span;
  return [
    ...[nameOf(span), agent, text, given, error, stateName(state)],
    ...marks.flatMap((mark) => [
      ...[markName(mark), mark.thought, mark.arguments, mark.text, mark.error],
    ]),
  ];
}

export function nameOf({ kind, name, attempt, isApprove, state }: Span): string {
  if (kind === "queue") return kindText(kind);
  if (kind === "attempt") return l10n.t("Attempt {0}", attempt ?? 1);
  if (kind !== "wait") return name;
  if (state === "running") return l10n.t("Waiting for you");
  if (isApprove === undefined) return l10n.t("Waited for a person");
  return isApprove ? l10n.t("Approved") : l10n.t("Rejected");
}

export function hintOf(span: Span): string | undefined {
  const { kind, agent, text, error, end, isApprove } = span;
  if (error !== undefined) return lineOf(error);
  if (kind === "task" || kind === "attempt") return agent;
  if (kind === "tool" || kind === "other") return lineOf(span.arguments);
  // Until it ends, it is the output that waits. An approval without words says nothing more.
  const isSaid =
    kind === "wait" && end !== undefined && !(isApprove === true && text === "Approved.");
  return isSaid ? lineOf(text) : undefined;
}

function lineOf(text: string | undefined): string | undefined {
  return text?.slice(0, 200).replace(/\s+/g, " ").trim();
}

function workOf({ worked, pauses = [], start, end, isSeen }: Span, now: number): Duration {
  if (worked !== undefined) return worked;
  const paused = pauses.reduce((sum, pause) => sum + (pause.end ?? now) - pause.start, 0);
  return { seconds: ((end ?? now) - start - paused) / 1000, isByCrew: isSeen !== true };
}

export function timeText(span: Span, now: number): string {
  const { seconds, isByCrew } = workOf(span, now);
  return isByCrew ? formatSpan(seconds * 1000, "fine") : `≈ ${formatSpan(seconds * 1000)}`;
}

export function figuresOf(span: Span, now: number) {
  const { tokens, cost } = span;
  return [
    { name: "time", text: timeText(span, now) },
    { name: "tokens", text: tokens === undefined ? "" : shortCount.format(tokens.total) },
    { name: "cost", text: cost ?? "" },
  ] as const;
}

export function markName({ type, name }: Mark): string {
  return present(type.replaceAll("_", " "), name).join(": ");
}

export function markLine(mark: Mark, start: number): string {
  const { at, error, thought, text } = mark;
  const line = `${formatSpan(at - start, "fine")} · ${markName(mark)}`;
  return present(line, lineOf(error ?? thought ?? text)).join(" – ");
}

export function markLines(marks: readonly Mark[], start: number): string {
  const left = marks.length - mostLines;
  const lines = marks.slice(-mostLines).map((mark) => markLine(mark, start));
  return [...(left > 0 ? [l10n.t("{0} earlier ones", left)] : []), ...lines].join("\n");
}

function beginText(span: Span, start: number): string {
  return l10n.t("started after {0}", formatSpan(span.start - start, "fine"));
}

function isLasting({ end, state }: Span): boolean {
  return end === undefined || state === "unknown";
}

/** Who did it, unless the name says so. A wait's agent made the output; a person answered. */
function agentOf({ kind, agent }: Span): string | undefined {
  return kind === "agent" || kind === "crew" || kind === "wait" ? undefined : agent;
}

export function sentenceOf(span: Span, start: number, now: number): string {
  const { kind, state, error, tokens, waited, cost, marks = [] } = span;
  const agent = agentOf(span);
  const isNamedByKind = kind === "attempt" || kind === "wait" || kind === "queue";
  const length = formatDuration(workOf(span, now));
  return present(
    isNamedByKind ? nameOf(span) : `${kindText(kind)} ${nameOf(span)}`,
    kind !== "wait" && stateName(state),
    isLasting(span) ? l10n.t("for {0} so far", length) : l10n.t("took {0}", length),
    waited && state !== "waiting" && l10n.t("waited for you: {0}", formatDuration(waited)),
    beginText(span, start),
    tokens && formatTokens(tokens),
    cost && l10n.t("estimated cost {0}", cost),
    agent !== undefined && l10n.t("by {0}", agent),
    marks.length > 0 && l10n.t("{0} events", marks.length),
    lineOf(error),
  )
    .filter((part) => part !== "")
    .join(", ");
}

export function detailsOf(span: Span, start: number, now: number) {
  const { kind, state, tokens, cost, end, waited, marks = [] } = span;
  const until = isLasting(span) || end === undefined ? "" : ` – ${clockTime(end)}`;
  return {
    title: nameOf(span),
    facts: known([
      [l10n.t("Kind"), `${kindText(kind)}, ${stateName(state)}`],
      [l10n.t("Time"), formatDuration(workOf(span, now))],
      [l10n.t("Waited"), waited && formatDuration(waited)],
      [l10n.t("From"), `${clockTime(span.start)}${until} (${beginText(span, start)})`],
      [l10n.t("Tokens"), tokens && formatTokens(tokens)],
      [l10n.t("Est. cost"), cost],
      [l10n.t("Agent"), agentOf(span)],
    ]),
    blocks: known([
      [l10n.t("Error"), span.error],
      [kind === "model" ? l10n.t("Prompt") : l10n.t("Arguments"), span.arguments],
      [l10n.t("Text"), span.text],
      [l10n.t("Events"), marks.length === 0 ? undefined : markLines(marks, start)],
    ]),
  };
}

function clockTime(at: number): string {
  return formatTime(at).slice("2026-10-21 ".length);
}

function known(pairs: readonly (readonly [label: string, text: string | undefined])[]) {
  return pairs.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const]));
}
