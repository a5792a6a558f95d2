import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { defined, type JsonObject } from "../../base/json.ts";
import { oneLine, shortName } from "../../base/text.ts";
import { noActivity } from "../../executions/activity.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import { isSameOutput } from "../../executions/tasks.ts";
import { type Duration, timeUse, wholeTime } from "../../executions/times.ts";
import { titleOf } from "../../executions/title.ts";
import { costOf, tokenUse } from "../../executions/tokens.ts";
import type { Circumstances } from "../../view/actions.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { contentOf, valueText } from "../../view/markdown.ts";
import type { Output } from "../../view/outputs.ts";
import {
  engineName,
  formatAmount,
  formatCount,
  formatDuration,
  formatSpan,
  formatTime,
  isRehearsal,
  present,
} from "../../view/words.ts";
import { type ComparedRow, onSides, type Sides } from "./messages.ts";

export type ComparisonModel = ReturnType<typeof comparisonModel>;

export function comparisonTitle(pair: Sides<ExecutionSummary>): string {
  const { left, right } = onSides(namesOf(pair), (name) => oneLine(name, 30));
  return `${left} ↔ ${right}`;
}

/** In each table, what differs is first. */
export function comparisonModel(pair: Sides<Execution>, circumstances: Sides<Circumstances>) {
  const names = namesOf(pair);
  const views = onSides(pair, (each, side) => viewOf(each, noActivity, circumstances[side]));
  const { left, right } = onSides(pair, ({ request }) => request?.inputs);
  const figures = onSides(pair, (each, side) => figuresOf(each, circumstances[side]));
  return {
    executions: onSides(pair, ({ engine, startedAt }, side) => {
      const { state, label, crew } = views[side];
      return {
        ...{ name: names[side], state, label, started: formatTime(startedAt) },
        crew: present(crew, engine && engineName(engine)).join(" · "),
      };
    }),
    figures: figureRows(figures),
    inputs: left && right ? inputRows({ left, right }) : [],
    inputsNote:
      left && right
        ? undefined
        : l10n.t(
            "The inputs of “{0}” aren't known: it was started elsewhere.",
            left === undefined ? names.left : names.right,
          ),
    outputs: pairsOf(views).map(outputRow),
  };
}

function namesOf(pair: Sides<ExecutionSummary>): Sides<string> {
  const titles = onSides(pair, titleOf);
  return titles.left === titles.right && pair.left.crew.name !== pair.right.crew.name
    ? onSides(pair, (each) => `${each.crew.name}: ${titleOf(each)}`)
    : titles;
}

interface Figure {
  readonly label: string;
  readonly text: string | undefined;
  readonly value?: number | undefined;
  readonly format?: (difference: number) => string;
}

function figuresOf(execution: Execution, { prices = [] }: Circumstances): readonly Figure[] {
  const use = tokenUse(execution);
  const cost = costOf(use, prices);
  const models = present(...(use?.models.map(({ model }) => model) ?? []))
    .toSorted()
    .join(", ");
  const count = (label: string, value: number | undefined): Figure => {
    return { label, value, text: value?.toLocaleString("en"), format: formatCount };
  };
  const time = (label: string, length: Duration | undefined): Figure => ({
    ...{ label, value: length?.seconds, text: length && formatDuration(length) },
    format: (seconds) => formatSpan(seconds * 1_000, "fine"),
  });
  return [
    {
      label: l10n.t("Model"),
      text: models || (isRehearsal(execution) ? l10n.t("none (rehearsal)") : undefined),
    },
    count(l10n.t("Tokens"), use?.tokens.total),
    count(l10n.t("Tokens in"), use?.tokens.prompt),
    count(l10n.t("Tokens out"), use?.tokens.completion),
    {
      ...{ label: l10n.t("Estimated cost"), value: cost?.amount },
      text: cost && formatAmount(cost),
      format: (size) => formatAmount({ amount: size, unpriced: 0 }),
    },
    time(l10n.t("Duration"), wholeTime(execution)),
    time(l10n.t("Waited for you"), timeUse(execution).waited),
  ];
}

function figureRows({ left, right }: Sides<readonly Figure[]>): readonly ComparedRow[] {
  const rows = left.flatMap((one, at): ComparedRow[] => {
    const { label, text } = one;
    const other = right[at];
    if (other === undefined || (text ?? other.text) === undefined) return [];
    const values = defined({ left: text, right: other.text });
    const isDifferent = text !== other.text;
    const difference = isDifferent ? differenceOf(one, other) : l10n.t("same");
    return [{ id: label, label, values, isDifferent, difference }];
  });
  return differentFirst(rows);
}

function differentFirst(rows: readonly ComparedRow[]): readonly ComparedRow[] {
  return rows.toSorted((one, other) => Number(other.isDifferent) - Number(one.isDifferent));
}

/** "+120 (+12 %)", "−3 s (−3.4 %)". Empty if it can't be told yet. */
function differenceOf(left: Figure, right: Figure): string {
  if (left.text === undefined || right.text === undefined) return "";
  const { value: before = NaN, format = String } = left;
  const size = Math.abs((right.value ?? NaN) - before);
  if (Number.isNaN(size)) return l10n.t("different");
  // A minus as wide as the plus.
  const sign = (right.value ?? 0) < before ? "\u2212" : "+";
  const amount = `${sign}${format(size)}`;
  const percent = (size / before) * 100;
  const shown = percent < 10 ? String(Math.round(percent * 10) / 10) : String(Math.round(percent));
  if (before === 0 || shown === "0") return amount;
  return `${amount} (${l10n.t("{0}\u00a0%", `${sign}${shown}`)})`;
}

function inputRows({ left, right }: Sides<JsonObject>): readonly ComparedRow[] {
  const rows = Object.keys({ ...left, ...right }).map((label): ComparedRow => {
    const both = { left: left[label], right: right[label] };
    const isDifferent = !isDeepStrictEqual(both.left, both.right);
    const values = onSides(both, (value) =>
      value === undefined ? undefined : contentOf(valueText(value)).text,
    );
    const difference = isDifferent ? l10n.t("different") : l10n.t("same");
    return { id: label, label, isDifferent, values: defined(values), difference };
  });
  return differentFirst(rows);
}

interface Done {
  readonly name: string;
  readonly facts: string;
  readonly output?: Output;
}

export interface OutputPair extends Partial<Sides<Done>> {
  readonly id: string;
}

export function outputPairs(pair: Sides<Execution>): readonly OutputPair[] {
  return pairsOf(onSides(pair, (execution) => viewOf(execution, noActivity)));
}

function pairsOf(views: Sides<ExecutionView>): readonly OutputPair[] {
  const free = new Set(doneIn(views.right));
  const pairs = doneIn(views.left).map((left) => {
    const right = [...free].find((other) => plainName(other) === plainName(left));
    if (right !== undefined) free.delete(right);
    return defined({ left, right });
  });
  return [...pairs, ...[...free].map((right) => ({ left: undefined, right }))].map((each) => ({
    id: `${each.left?.name ?? ""}\n${each.right?.name ?? ""}`,
    ...defined(each),
  }));
}

/** Names in projects differ in case and separators where one was written by hand. */
function plainName({ name }: Done): string {
  return name.toLowerCase().replace(/[\s_-]+/g, " ");
}

function doneIn({ result, tasks }: ExecutionView): readonly Done[] {
  const ofTasks = tasks.map(({ taskId, name, label, agent, facts, attempts }): Done => {
    const { number: attempt = 1, output } =
      attempts.findLast(({ output }) => output !== undefined) ?? {};
    return {
      name,
      facts: present(
        label,
        agent && shortName(agent),
        attempt > 1 && l10n.t("attempt {0}", attempt),
        ...facts,
        output === undefined && l10n.t("no output"),
      ).join(" · "),
      ...(output !== undefined && {
        output: { part: { kind: "attempt", taskId, attempt }, output },
      }),
    };
  });
  if (result === undefined) return ofTasks;
  const output: Output = { part: { kind: "result" }, output: result };
  return [...ofTasks, { name: l10n.t("Result"), facts: oneLine(result, 80), output }];
}

function isDiff({ left, right }: OutputPair): boolean {
  const [one, other] = [left?.output, right?.output];
  return one !== undefined && other !== undefined && !isSameOutput(one.output, other.output);
}

function outputRow(pair: OutputPair): ComparedRow {
  const { id, left, right } = pair;
  const known = present(left?.output, right?.output);
  const isOnce = left === undefined || right === undefined;
  const difference = isDiff(pair) ? l10n.t("different output") : l10n.t("same output");
  return {
    ...{ id, label: (left ?? right)?.name ?? "", isDifferent: isOnce || isDiff(pair) },
    values: defined({ left: left?.facts, right: right?.facts }),
    difference: isOnce ? l10n.t("only on one side") : known.length === 2 ? difference : "",
    ...(known.length > 0 && { opens: true as const }),
  };
}
