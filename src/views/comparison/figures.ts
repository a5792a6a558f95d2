import * as l10n from "@vscode/l10n";
import { type Duration, pauses, timeUse, wholeTime } from "../../executions/times.ts";
import type { Execution } from "../../executions/model.ts";
import { type Cost, costOf, type Price, tokenUse } from "../../executions/tokens.ts";
import type { ExecutionView } from "../../view/execution-view.ts";
import { formatSpan } from "../../view/lengths.ts";
import {
  formatAmount,
  formatCount,
  formatDuration,
  isRehearsal,
  present,
} from "../../view/words.ts";
import { type Figure, onSides, type Sides } from "./messages.ts";

/** What both used, and how the right one differs. */
export function figuresOf(
  pair: Sides<Execution>,
  views: Sides<ExecutionView>,
  prices: readonly Price[],
): readonly Figure[] {
  const uses = onSides(pair, tokenUse);
  const waits = onSides(pair, waitOf);
  const hasWaited = [waits.left, waits.right].some((wait) => (wait?.seconds ?? 0) > 0);
  const rejections = onSides(pair, rejectionsOf);
  const hasRejected = rejections.left + rejections.right > 0;
  return present<Figure>(
    modelFigure(pair),
    numberFigure(
      l10n.t("Tokens"),
      onSides(uses, (use) => countOf(use?.tokens.total)),
    ),
    numberFigure(
      l10n.t("Tokens in"),
      onSides(uses, (use) => countOf(use?.tokens.prompt)),
    ),
    numberFigure(
      l10n.t("Tokens out"),
      onSides(uses, (use) => countOf(use?.tokens.completion)),
    ),
    numberFigure(
      l10n.t("Estimated cost"),
      onSides(uses, (use) => amountOf(costOf(use, prices))),
    ),
    durationFigure(pair, views),
    hasWaited && numberFigure(l10n.t("Waited for you"), onSides(waits, timeOf)),
    hasWaited &&
      numberFigure(
        l10n.t("Without waits"),
        onSides(pair, (each) => timeOf(workOf(each))),
      ),
    hasRejected &&
      numberFigure(
        l10n.t("Rejections"),
        onSides(rejections, (count) => countOf(count)),
      ),
  );
}

/** What is known of one side. */
interface Amount {
  readonly value: number;
  readonly text: string;
  readonly format: (difference: number) => string;
}

export function countOf(value: number | undefined, format = formatCount): Amount | undefined {
  return value === undefined ? undefined : { value, text: formatCount(value), format };
}

export function timeOf(time: Duration | undefined): Amount | undefined {
  const format = (seconds: number) => formatSpan(seconds * 1_000, "fine");
  return time && { value: time.seconds, text: formatDuration(time), format };
}

function amountOf(cost: Cost | undefined): Amount | undefined {
  if (cost === undefined) return undefined;
  const { amount: value, unpriced } = cost;
  const amount = formatAmount(cost);
  const text = unpriced === 0 ? amount : l10n.t("more than {0}", amount);
  return { value, text, format: (amount) => formatAmount({ amount, unpriced: 0 }) };
}

/** Undefined if neither is known. */
function numberFigure(label: string, known: Sides<Amount | undefined>): Figure | undefined {
  if (known.left === undefined && known.right === undefined) return undefined;
  const values = onSides(known, (amount) => amount?.text ?? unknown());
  const difference = differenceOf(known);
  const isSame = difference === undefined && values.left === values.right;
  return {
    label,
    values,
    difference: difference ?? (isSame ? same() : ""),
    isDifferent: difference !== undefined,
  };
}

/** "+120 (+12 %)", "−3 s (−3.4 %)". Undefined if there is none that is known. */
export function differenceOf({ left, right }: Sides<Amount | undefined>): string | undefined {
  if (left === undefined || right === undefined || left.text === right.text) return undefined;
  // A minus as wide as the plus.
  const sign = right.value < left.value ? "\u2212" : "+";
  const size = Math.abs(right.value - left.value);
  const amount = `${sign}${right.format(size)}`;
  const percent = (size / left.value) * 100;
  const shown = percent < 10 ? String(Math.round(percent * 10) / 10) : String(Math.round(percent));
  if (left.value === 0 || shown === "0") return amount;
  return `${amount} (${l10n.t("{0} %", `${sign}${shown}`)})`;
}

function modelFigure(pair: Sides<Execution>): Figure {
  const values = onSides(pair, modelsOf);
  const isKnown = !Object.values(values).includes(unknown());
  const isDifferent = values.left !== values.right;
  const difference = isDifferent ? different() : same();
  return {
    ...{ label: l10n.t("Model"), values },
    ...{ difference: isKnown ? difference : "", isDifferent: isKnown && isDifferent },
  };
}

function modelsOf(execution: Execution): string {
  const names = tokenUse(execution)?.models.map(({ model }) => model) ?? [];
  const known = present(...names);
  if (known.length > 0) return known.toSorted().join(", ");
  return isRehearsal(execution) ? l10n.t("none (rehearsal)") : unknown();
}

/** Counts while one is under way. */
function durationFigure(pair: Sides<Execution>, views: Sides<ExecutionView>): Figure {
  const label = l10n.t("Duration");
  const values = onSides(pair, () => unknown());
  const ended = numberFigure(
    label,
    onSides(pair, (each) => timeOf(wholeTime(each))),
  );
  const figure = ended ?? { label, values, difference: "", isDifferent: false };
  const since = onSides(views, ({ elapsed }) =>
    typeof elapsed === "number" ? elapsed : undefined,
  );
  return {
    ...figure,
    values: {
      left: since.left ?? figure.values.left,
      right: since.right ?? figure.values.right,
    },
  };
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

/** How long it took without waiting for a person, if both is known. */
function workOf(execution: Execution): Duration | undefined {
  const [whole, waited] = [wholeTime(execution), waitOf(execution)];
  if (whole === undefined || waited === undefined || waited.seconds > whole.seconds)
    return undefined;
  const isByCrew = whole.isByCrew && waited.isByCrew;
  return { seconds: whole.seconds - waited.seconds, isByCrew };
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
