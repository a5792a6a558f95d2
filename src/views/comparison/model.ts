import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { oneLine, shortName } from "../../base/text.ts";
import { noActivity } from "../../executions/activity.ts";
import { type Execution, type ExecutionSummary, hasEnded } from "../../executions/model.ts";
import { isSameOutput } from "../../executions/tasks.ts";
import { type Duration, timeUse, wholeTime } from "../../executions/times.ts";
import { titleOf } from "../../executions/title.ts";
import { costOf, type Price, tokenUse } from "../../executions/tokens.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { formatSpan } from "../../view/lengths.ts";
import { unknownTasks } from "../../view/tasks.ts";
import {
  engineName,
  formatAmount,
  formatCount,
  formatDuration,
  formatTime,
  isRehearsal,
  present,
} from "../../view/words.ts";
import { contentOf, valueText } from "../page/content.ts";
import {
  type ComparedRow,
  type ComparisonModel,
  onSides,
  type Side,
  type Sides,
  sides,
} from "./messages.ts";

/** Characters of each title in the tab. */
const longest = 30;

export function comparisonTitle(pair: Sides<ExecutionSummary>): string {
  const { left, right } = onSides(namesOf(pair), (name) => oneLine(name, longest));
  return `${left} ↔ ${right}`;
}

export function comparisonModel(pair: Sides<Execution>, prices: readonly Price[]): ComparisonModel {
  const names = namesOf(pair);
  const views = onSides(pair, (execution) => viewOf(execution, noActivity, { prices }));
  const about = (side: Side) => {
    const { state, label, crew } = views[side];
    const { engine, startedAt } = pair[side];
    return {
      ...{ name: names[side], state, label, started: formatTime(startedAt) },
      crew: present(crew, engine && engineName(engine)).join(" · "),
    };
  };
  return {
    executions: { left: about("left"), right: about("right") },
    figures: figureRows(
      figuresOf(pair.left, views.left, prices),
      figuresOf(pair.right, views.right, prices),
    ),
    ...inputsOf(pair, names),
    outputs: outputPairs(pair).map((each) => outputRow(each, names, views)),
  };
}

/** Titles; with the crews if they are the same. */
function namesOf(pair: Sides<ExecutionSummary>): Sides<string> {
  const titles = onSides(pair, titleOf);
  return titles.left === titles.right && pair.left.crew.name !== pair.right.crew.name
    ? onSides(pair, (each) => `${each.crew.name}: ${titleOf(each)}`)
    : titles;
}

interface Figure {
  readonly label: string;
  /** Or since when it counts (milliseconds since 1970). Undefined if it isn't known. */
  readonly text: string | number | undefined;
  readonly value?: number | undefined;
  readonly format?: (difference: number) => string;
}

/** What one used: each execution has the same, in the same order. */
function figuresOf(
  execution: Execution,
  { elapsed }: ExecutionView,
  prices: readonly Price[],
): readonly Figure[] {
  const use = tokenUse(execution);
  const cost = costOf(use, prices);
  const amount = cost && formatAmount(cost);
  const models = present(...(use?.models.map(({ model }) => model) ?? []))
    .toSorted()
    .join(", ");
  const count = (label: string, value: number | undefined): Figure => ({
    ...{
      label,
      value,
      text: value === undefined ? undefined : formatCount(value),
      format: formatCount,
    },
  });
  const time = (label: string, length: Duration | undefined): Figure => ({
    ...{ label, value: length?.seconds, text: length && formatDuration(length) },
    format: (seconds) => formatSpan(seconds * 1_000, "fine"),
  });
  const whole = time(l10n.t("Duration"), wholeTime(execution));
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
      text: cost && cost.unpriced > 0 ? l10n.t("more than {0}", amount ?? "") : amount,
      format: (size) => formatAmount({ amount: size, unpriced: 0 }),
    },
    typeof elapsed === "number" ? { ...whole, text: elapsed } : whole,
    time(l10n.t("Waited for you"), timeUse(execution).waited),
  ];
}

/** Those of which both are known first. */
function figureRows(left: readonly Figure[], right: readonly Figure[]): readonly ComparedRow[] {
  const rows = left.flatMap((one, at): ComparedRow[] => {
    const { label, text } = one;
    const other = right[at];
    const values = defined({ left: text, right: other?.text });
    if (Object.keys(values).length === 0) return [];
    const difference = other && differenceOf(one, other);
    const isDifferent = difference !== undefined;
    const same = text === other?.text ? l10n.t("same") : "";
    return [{ id: label, label, values, isDifferent, difference: difference ?? same }];
  });
  const count = ({ values }: ComparedRow) => Object.keys(values).length;
  return rows.toSorted((one, other) => count(other) - count(one));
}

/** "+120 (+12 %)", "−3 s (−3.4 %)". Undefined if there is none, or it can't be told yet. */
function differenceOf(left: Figure, right: Figure): string | undefined {
  if (left.text === right.text || typeof left.text !== "string" || typeof right.text !== "string")
    return undefined;
  const { value: before = NaN, format = String } = left;
  const size = Math.abs((right.value ?? NaN) - before);
  if (Number.isNaN(size)) return l10n.t("different");
  // A minus as wide as the plus.
  const sign = (right.value ?? 0) < before ? "\u2212" : "+";
  const amount = `${sign}${format(size)}`;
  const percent = (size / before) * 100;
  const shown = percent < 10 ? String(Math.round(percent * 10) / 10) : String(Math.round(percent));
  if (before === 0 || shown === "0") return amount;
  return `${amount} (${l10n.t("{0} %", `${sign}${shown}`)})`;
}

/** Those that differ first. */
function inputsOf(
  pair: Sides<Execution>,
  names: Sides<string>,
): Pick<ComparisonModel, "inputs" | "inputsNote"> {
  const { left, right } = onSides(pair, ({ request }) => request?.inputs);
  if (left === undefined || right === undefined) {
    const name = left === undefined ? names.left : names.right;
    return {
      inputs: [],
      inputsNote: l10n.t("The inputs of “{0}” aren't known: it was started elsewhere.", name),
    };
  }
  const inputs = Object.keys({ ...left, ...right }).map((label): ComparedRow => {
    const both = { left: left[label], right: right[label] };
    const isDifferent = !isDeepStrictEqual(both.left, both.right);
    return {
      ...{ id: label, label, isDifferent },
      values: defined(
        onSides(both, (value) =>
          value === undefined ? undefined : contentOf(valueText(value)).text,
        ),
      ),
      difference: onlyIn(both, names) ?? (isDifferent ? l10n.t("different") : l10n.t("same")),
    };
  });
  return {
    inputs: inputs.toSorted((one, other) => Number(other.isDifferent) - Number(one.isDifferent)),
  };
}

function onlyIn({ left, right }: Partial<Sides<unknown>>, names: Sides<string>) {
  if (left !== undefined && right !== undefined) return undefined;
  return l10n.t("only in “{0}”", left === undefined ? names.right : names.left);
}

interface TaskOutput {
  /** Empty for the execution's result. */
  readonly taskId: string;
  readonly attempt?: number;
  readonly output?: string;
}

export interface OutputPair extends Partial<Sides<TaskOutput>> {
  readonly id: string;
  readonly label: string;
}

/** The last output of each task, and the results if they are none of those. */
export function outputPairs(pair: Sides<Execution>): readonly OutputPair[] {
  const tasks = onSides(pair, taskOutputs);
  const results = onSides(pair, (each) => (hasEnded(each) ? each.output : undefined));
  const isResultShown = sides.some(
    (side) =>
      results[side] !== undefined &&
      !tasks[side].some(({ output }) => isSameOutput(output ?? "", results[side] ?? "")),
  );
  const result = onSides(results, (output) => ({ taskId: "", ...defined({ output }) }));
  return [
    ...(isResultShown ? [{ id: "result", label: l10n.t("Result"), ...result }] : []),
    ...pairsOf(tasks).map((each) => {
      const taskIds = present(each.left, each.right).map(({ taskId }) => taskId);
      return {
        id: `task ${each.left?.taskId ?? ""}\n${each.right?.taskId ?? ""}`,
        label: [...new Set(taskIds.map((taskId) => shortName(taskId)))].join(" ↔ "),
        ...each,
      };
    }),
  ];
}

/** By name, else by place. What only the right one has comes last. */
function pairsOf({
  left,
  right,
}: Sides<readonly TaskOutput[]>): readonly Partial<Sides<TaskOutput>>[] {
  const free = new Set(right);
  const take = (task: TaskOutput | undefined) =>
    task !== undefined && free.delete(task) ? task : undefined;
  const named = left.map((task) => take([...free].find((other) => isSameName(task, other))));
  const pairs = left.map((task, at) =>
    defined({ left: task, right: named[at] ?? take(right[at]) }),
  );
  return [...pairs, ...[...free].map((task) => ({ right: task }))];
}

/** Names in projects differ in case and separators where one was written by hand. */
function isSameName(one: TaskOutput, other: TaskOutput): boolean {
  const plain = ({ taskId }: TaskOutput) => taskId.toLowerCase().replace(/[\s_-]+/g, " ");
  return plain(one) === plain(other);
}

function taskOutputs(execution: Execution): readonly TaskOutput[] {
  const { tasks, waiting } = execution;
  return [...tasks, ...unknownTasks(execution)].map(({ taskId, attempts }) => {
    const last = attempts.findLast(({ output }) => output !== undefined);
    const waits = waiting?.taskId === taskId && waiting.output !== undefined ? waiting : undefined;
    return {
      taskId,
      ...defined({
        attempt: waits?.attempt ?? last?.number,
        output: waits?.output ?? last?.output,
      }),
    };
  });
}

export function isDiff({ left, right }: OutputPair): boolean {
  const [one, other] = [left?.output, right?.output];
  return one !== undefined && other !== undefined && !isSameOutput(one, other);
}

function outputRow(
  outputs: OutputPair,
  names: Sides<string>,
  views: Sides<ExecutionView>,
): ComparedRow {
  const { id, label, left, right } = outputs;
  const [one, other] = [left?.output, right?.output];
  const only = onlyIn({ left, right }, names);
  const isDifferent = isDiff(outputs);
  const isSame = one !== undefined && other !== undefined && !isDifferent;
  const opens = (one ?? other) === undefined ? undefined : isDifferent ? "diff" : "output";
  return {
    ...{ id, label, isDifferent: isDifferent || only !== undefined },
    values: defined({
      left: left && factsOf(left, views.left),
      right: right && factsOf(right, views.right),
    }),
    difference:
      only ?? (isDifferent ? l10n.t("different output") : isSame ? l10n.t("same output") : ""),
    ...defined({ opens } as const),
  };
}

/** What one side did for an output. */
function factsOf({ taskId, attempt = 1, output }: TaskOutput, view: ExecutionView): string {
  const { label, agent, facts = [] } = view.tasks.find((each) => each.taskId === taskId) ?? {};
  return present(
    label,
    agent && shortName(agent),
    attempt > 1 && l10n.t("attempt {0}", attempt),
    ...facts,
    output === undefined && l10n.t("no output"),
  ).join(" · ");
}
