import { lengthText } from "../lengths.ts";
import { fill, type Span, type TimelineTexts } from "./messages.ts";

/** "950", "1.2k", "34k", "1.2M". */
export function shortCount(count: number): string {
  const [divisor, unit] =
    count < 999.5 ? [1, ""] : count < 999_500 ? [1_000, "k"] : [1_000_000, "M"];
  const value = count / divisor;
  return `${value < 10 && divisor > 1 ? Math.round(value * 10) / 10 : Math.round(value)}${unit}`;
}

/** What a filter looks in. */
export function searchedTexts(span: Span, texts: TimelineTexts): readonly (string | undefined)[] {
  const { agent, text, arguments: given, error, state } = span;
  return [nameOf(span, texts), agent, text, given, error, texts.states[state]];
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

/** @param now milliseconds since 1970 */
export function timeText(span: Span, now: number, texts: TimelineTexts): string {
  const length = lengthText((span.end ?? now) - span.start, texts.units);
  return span.isSeen === true ? `≈ ${length}` : length;
}

/** A row's figures beside its bar. What something cost will be the next. */
export function figuresOf(
  span: Span,
): readonly { readonly name: "tokens"; readonly text: string }[] {
  return [{ name: "tokens", text: span.tokens === undefined ? "" : shortCount(span.tokens.total) }];
}

/** What a screen reader says. */
export function sentenceOf(span: Span, start: number, now: number, texts: TimelineTexts): string {
  const { kind, state, tokens, agent, error, isSeen, end } = span;
  const name = nameOf(span, texts);
  const kindText = texts.kinds[kind];
  const isNamedByKind = kind === "attempt" || kind === "wait" || kind === "queue";
  const length = lengthText((end ?? now) - span.start, texts.units);
  const about = isSeen === true ? fill(texts.about, length) : length;
  const parts = [
    isNamedByKind ? name : `${kindText} ${name}`,
    texts.states[state],
    fill(end === undefined ? texts.since : texts.took, about),
    fill(texts.startsAfter, lengthText(span.start - start, texts.units)),
    tokens && fill(texts.tokensOf, tokens.total),
    agent !== undefined && kind !== "agent" && kind !== "crew"
      ? fill(texts.byAgent, agent)
      : undefined,
    lineOf(error),
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

export interface Details {
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
  const { kind, state, agent, tokens, end, isSeen } = span;
  const { details } = texts;
  const length = lengthText((end ?? now) - span.start, texts.units);
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  const until = end === undefined ? "" : ` – ${clock.format(end)}`;
  const after = fill(texts.startsAfter, lengthText(span.start - start, texts.units));
  const facts: [string, string | undefined][] = [
    [details.kind, `${texts.kinds[kind]}, ${texts.states[state]}`],
    [details.agent, kind === "agent" || kind === "crew" ? undefined : agent],
    [details.time, isSeen === true ? fill(details.seen, length) : length],
    [details.from, `${clock.format(span.start)}${until} (${after})`],
    [details.tokens, tokens && tokensText(tokens, texts, language)],
  ];
  const blocks: [string, string | undefined][] = [
    [details.error, span.error],
    [details.arguments, span.arguments],
    [details.text, span.text],
  ];
  return { title: nameOf(span, texts), facts: known(facts), blocks: known(blocks) };
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
