import * as l10n from "@vscode/l10n";
import { type Duration, pauses, timeUse, wholeTime } from "../../executions/durations.ts";
import { type Execution, hasEnded } from "../../executions/model.ts";
import { type Cost, costOf, type Price, type TokenUse, tokenUse } from "../../executions/tokens.ts";
import { formatSpan } from "../../view/lengths.ts";
import { formatCount, formatTime, isRehearsal, present, stateLabel } from "../../view/words.ts";
import { type Figure, onSides, type Sides } from "./messages.ts";

/** What both used, and how the right one differs. */
export function figuresOf(pair: Sides<Execution>, prices: readonly Price[]): readonly Figure[] {
  const uses = onSides(pair, tokenUse);
  const tokens = (label: string, of: (use: TokenUse) => number | undefined) =>
    numberFigure(
      label,
      onSides(uses, (use) => use && of(use)),
      formatCount,
    );
  const waits = onSides(pair, waitOf);
  const rejections = onSides(pair, rejectionsOf);
  return present<Figure>(
    textFigure(l10n.t("Model"), onSides(pair, modelsOf)),
    tokens(l10n.t("Tokens"), (use) => use.tokens.total),
    tokens(l10n.t("Tokens in"), (use) => use.tokens.prompt),
    tokens(l10n.t("Tokens out"), (use) => use.tokens.completion),
    costFigure(onSides(uses, (use) => costOf(use, prices))),
    durationFigure(pair),
    ...(isLong(waits.left) || isLong(waits.right)
      ? [
          timeFigure(l10n.t("Waited for you"), waits),
          timeFigure(l10n.t("Without waits"), onSides(pair, workOf)),
        ]
      : []),
    rejections.left + rejections.right > 0 &&
      numberFigure(l10n.t("Rejections"), rejections, formatCount),
    textFigure(l10n.t("State"), onSides(pair, stateLabel)),
    textFigure(
      l10n.t("Crew"),
      onSides(pair, ({ crew, engine }) => present(crew.name, engine).join(" · ")),
    ),
    {
      ...textFigure(
        l10n.t("Started"),
        onSides(pair, ({ startedAt }) => formatTime(startedAt)),
      ),
      difference: "",
      isDifferent: false,
    },
  );
}

/** "+12 %", or "−3.4 %". Empty if it can't be expressed so. */
function percentLabel(left: number, right: number): string {
  if (left === 0) return "";
  const percent = (Math.abs(right - left) / left) * 100;
  const shown = percent < 10 ? percent.toFixed(1).replace(/\.0$/, "") : String(Math.round(percent));
  return shown === "0" ? "" : l10n.t("{0} %", `${signOf(left, right)}${shown}`);
}

/** "+120 tokens", "−3 s": how a task differs, as far as it is known. */
export function taskDifferences(
  times: Sides<Duration | undefined>,
  tokens: Sides<number | undefined>,
): readonly string[] {
  const { left, right } = tokens;
  const known = left !== undefined && right !== undefined && left !== right;
  return present(
    timeDifference(times),
    known && l10n.t("{0} tokens", `${signOf(left, right)}${formatCount(Math.abs(right - left))}`),
  );
}

function timeDifference({ left, right }: Sides<Duration | undefined>): string | undefined {
  if (left === undefined || right === undefined) return undefined;
  const span = spanLabel(Math.abs(right.seconds - left.seconds) * 1_000);
  if (span === spanLabel(0)) return undefined;
  const signed = `${signOf(left.seconds, right.seconds)}${span}`;
  return left.isByCrew && right.isByCrew ? signed : l10n.t("about {0}", signed);
}

/** With tenths of a second below ten seconds. */
function spanLabel(milliseconds: number): string {
  return milliseconds < 10_000
    ? l10n.t("{0} s", Math.round(milliseconds / 100) / 10)
    : formatSpan(milliseconds);
}

/** A minus as wide as the plus. */
function signOf(left: number, right: number): string {
  return right < left ? "\u2212" : "+";
}

function modelsOf(execution: Execution): string {
  const names = tokenUse(execution)?.models.map(({ model }) => model) ?? [];
  const known = present(...names);
  if (known.length > 0) return known.toSorted().join(", ");
  return isRehearsal(execution) ? l10n.t("none (rehearsal)") : unknown();
}

function rejectionsOf({ resumes }: Execution): number {
  return resumes.filter(({ feedback, outcome }) => outcome === "answered" && !feedback.isApprove)
    .length;
}

/** How long it waited for a person, if known. */
function waitOf(execution: Execution): Duration | undefined {
  const hasWaited = pauses(execution).length > 0 || execution.resumes.length > 0;
  return timeUse(execution).waited ?? (hasWaited ? undefined : { seconds: 0, isByCrew: true });
}

function isLong(time: Duration | undefined): boolean {
  return time !== undefined && time.seconds > 0;
}

/** How long it took without waiting for a person, if both is known. */
function workOf(execution: Execution): Duration | undefined {
  const [whole, waited] = [wholeTime(execution), waitOf(execution)];
  if (whole === undefined || waited === undefined || waited.seconds > whole.seconds)
    return undefined;
  const isByCrew = whole.isByCrew && waited.isByCrew;
  return { seconds: whole.seconds - waited.seconds, isByCrew };
}

function durationFigure(pair: Sides<Execution>): Figure {
  const times = onSides(pair, wholeTime);
  const running = ({ origin, state, watchingStoppedAt, startedAt }: Execution) =>
    origin === "kickoff" && state !== "unconfirmed" && watchingStoppedAt === undefined
      ? Date.parse(startedAt)
      : undefined;
  const since = onSides(pair, (each) => (hasEnded(each) ? undefined : running(each)));
  const label = l10n.t("Duration");
  const figure = timeFigure(label, times) ?? textFigure(label, onSides(times, unknown));
  const values = {
    left: since.left ?? figure.values.left,
    right: since.right ?? figure.values.right,
  };
  const isRunning = since.left !== undefined || since.right !== undefined;
  return { ...figure, values, ...(isRunning && { difference: "", isDifferent: false }) };
}

/** Undefined if neither is known. */
function timeFigure(label: string, times: Sides<Duration | undefined>): Figure | undefined {
  const figure = numberFigure(
    label,
    onSides(times, (time) => time?.seconds),
    (seconds) => spanLabel(seconds * 1_000),
  );
  if (figure === undefined) return undefined;
  const values = onSides(times, (time) => {
    if (time === undefined) return unknown();
    const span = spanLabel(time.seconds * 1_000);
    return time.isByCrew ? span : l10n.t("about {0}", span);
  });
  const isExact = times.left?.isByCrew !== false && times.right?.isByCrew !== false;
  const { difference, isDifferent } = figure;
  const about = isExact || !isDifferent ? difference : l10n.t("about {0}", difference);
  return { ...figure, values, difference: about };
}

function costFigure({ left, right }: Sides<Cost | undefined>): Figure | undefined {
  const figure = numberFigure(
    l10n.t("Estimated cost"),
    { left: left?.amount, right: right?.amount },
    amountFormat([left, right]),
  );
  const shown = (cost: Cost | undefined, text: string | number) =>
    cost === undefined || cost.unpriced === 0
      ? text
      : l10n.t("{0} without {1} tokens that have no price", text, formatCount(cost.unpriced));
  return (
    figure && {
      ...figure,
      values: {
        left: shown(left, figure.values.left),
        right: shown(right, figure.values.right),
      },
    }
  );
}

/** US dollars with the digits that the smaller amount needs. */
function amountFormat(costs: readonly (Cost | undefined)[]): (amount: number) => string {
  const least = Math.min(...costs.flatMap((cost) => (cost?.amount ? cost.amount : [])));
  const digits = least < 0.1 ? 1 - Math.floor(Math.log10(least)) : 2;
  const format = new Intl.NumberFormat("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (amount) => `$${format.format(amount)}`;
}

/** Undefined if neither is known. */
function numberFigure(
  label: string,
  { left, right }: Sides<number | undefined>,
  format: (value: number) => string,
): Figure | undefined {
  if (left === undefined && right === undefined) return undefined;
  const textOf = (value: number | undefined) => (value === undefined ? unknown() : format(value));
  const values = { left: textOf(left), right: textOf(right) };
  if (left === undefined || right === undefined)
    return { label, values, difference: "", isDifferent: false };
  if (values.left === values.right)
    return { label, values, difference: same(), isDifferent: false };
  const amount = `${signOf(left, right)}${format(Math.abs(right - left))}`;
  const percent = percentLabel(left, right);
  return {
    label,
    values,
    difference: percent === "" ? amount : `${amount} (${percent})`,
    isDifferent: true,
  };
}

function textFigure(label: string, values: Sides<string>): Figure {
  const isKnown = values.left !== unknown() && values.right !== unknown();
  const isDifferent = isKnown && values.left !== values.right;
  const difference = isDifferent ? different() : isKnown ? same() : "";
  return { label, values, difference, isDifferent };
}

export function same(): string {
  return l10n.t("same");
}

export function different(): string {
  return l10n.t("different");
}

function unknown(): string {
  return l10n.t("not known");
}
