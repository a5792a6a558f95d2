import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { defined, type JsonValue } from "../../base/json.ts";
import { oneLine, shortName } from "../../base/text.ts";
import { noActivity } from "../../executions/activity.ts";
import { type Execution, type ExecutionSummary, hasEnded } from "../../executions/model.ts";
import { isSameOutput } from "../../executions/tasks.ts";
import { type Duration, pauses, taskTime, timeUse, wholeTime } from "../../executions/times.ts";
import { titleOf } from "../../executions/title.ts";
import { costOf, type Price, taskTokenUse, tokenUse } from "../../executions/tokens.ts";
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
    const { engine, startedAt } = pair[side];
    return {
      ...{ name: names[side], state: views[side].state, label: views[side].label },
      crew: present(views[side].crew, engine && engineName(engine)).join(" · "),
      started: formatTime(startedAt),
    };
  };
  const executions = { left: about("left"), right: about("right") };
  const spoken = onSides(executions, ({ name, label }) => l10n.t("{0}: {1}", name, label));
  return {
    executions,
    spoken: `${spoken.left}, ${spoken.right}`,
    figures: figuresOf(pair, views, prices),
    ...inputsOf(pair, names),
    outputs: outputPairs(pair).map((each) => outputRow(each, pair, names, views)),
  };
}

/** Titles; with the crews if they are the same. */
function namesOf(pair: Sides<ExecutionSummary>): Sides<string> {
  const titles = onSides(pair, titleOf);
  return titles.left === titles.right && pair.left.crew.name !== pair.right.crew.name
    ? onSides(pair, (each) => `${each.crew.name}: ${titleOf(each)}`)
    : titles;
}

interface Amount {
  readonly value: number;
  readonly text: string;
  readonly format: (difference: number) => string;
}

/** What both used, and how the right one differs. */
function figuresOf(
  pair: Sides<Execution>,
  views: Sides<ExecutionView>,
  prices: readonly Price[],
): readonly ComparedRow[] {
  const known = (of: (execution: Execution) => number) => of(pair.left) + of(pair.right) > 0;
  const tokens = (name: "total" | "prompt" | "completion") => (each: Execution) =>
    countOf(tokenUse(each)?.tokens[name]);
  /** Undefined if neither is known. */
  const figure = (
    label: string,
    of: (execution: Execution) => Amount | undefined,
    since: Partial<Sides<number>> = {},
  ): ComparedRow | undefined => {
    const amounts = onSides(pair, of);
    const [left, right] = sides.map((side) => since[side] ?? amounts[side]?.text);
    if (left === undefined && right === undefined) return undefined;
    const difference = differenceOf(amounts);
    const isSame = difference === undefined && left === right;
    return {
      ...{ id: label, label, isDifferent: difference !== undefined },
      values: { left: left ?? unknown(), right: right ?? unknown() },
      difference: difference ?? (isSame ? l10n.t("same") : ""),
    };
  };
  const counting = onSides(views, ({ elapsed }) =>
    typeof elapsed === "number" ? elapsed : undefined,
  );
  const hasWaited = known((each) => waitOf(each)?.seconds ?? 0);
  return present<ComparedRow>(
    modelFigure(pair),
    figure(l10n.t("Tokens"), tokens("total")),
    figure(l10n.t("Tokens in"), tokens("prompt")),
    figure(l10n.t("Tokens out"), tokens("completion")),
    figure(l10n.t("Estimated cost"), (each) => costAmount(each, prices)),
    figure(l10n.t("Duration"), (each) => timeOf(wholeTime(each)), defined(counting)),
    hasWaited && figure(l10n.t("Waited for you"), (each) => timeOf(waitOf(each))),
    hasWaited && figure(l10n.t("Without waits"), (each) => timeOf(workOf(each))),
    known(rejectionsOf) && figure(l10n.t("Rejections"), (each) => countOf(rejectionsOf(each))),
  );
}

function countOf(value: number | undefined, format = formatCount): Amount | undefined {
  return value === undefined ? undefined : { value, text: formatCount(value), format };
}

function timeOf(time: Duration | undefined): Amount | undefined {
  const format = (seconds: number) => formatSpan(seconds * 1_000, "fine");
  return time && { value: time.seconds, text: formatDuration(time), format };
}

function costAmount(execution: Execution, prices: readonly Price[]): Amount | undefined {
  const cost = costOf(tokenUse(execution), prices);
  if (cost === undefined) return undefined;
  const { amount: value, unpriced } = cost;
  const text = formatAmount(cost);
  return {
    value,
    text: unpriced === 0 ? text : l10n.t("more than {0}", text),
    format: (amount) => formatAmount({ amount, unpriced: 0 }),
  };
}

/** "+120 (+12 %)", "−3 s (−3.4 %)". Undefined if there is none that is known. */
function differenceOf({ left, right }: Sides<Amount | undefined>): string | undefined {
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

function modelFigure(pair: Sides<Execution>): ComparedRow {
  const values = onSides(pair, (execution) => {
    const names = tokenUse(execution)?.models.map(({ model }) => model) ?? [];
    const known = present(...names);
    if (known.length > 0) return known.toSorted().join(", ");
    return isRehearsal(execution) ? l10n.t("none (rehearsal)") : unknown();
  });
  const isKnown = !Object.values(values).includes(unknown());
  const isDifferent = isKnown && values.left !== values.right;
  const difference = isDifferent ? l10n.t("different") : isKnown ? l10n.t("same") : "";
  return { id: "model", label: l10n.t("Model"), values, difference, isDifferent };
}

function rejectionsOf({ resumes }: Execution): number {
  return resumes.filter(({ feedback, outcome }) => outcome === "answered" && !feedback.isApprove)
    .length;
}

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

function unknown(): string {
  return l10n.t("not known");
}

/** Those that differ first. */
function inputsOf(
  pair: Sides<Execution>,
  names: Sides<string>,
): Pick<ComparisonModel, "inputs" | "inputsNote"> {
  const { left, right } = onSides(pair, ({ request }) => request?.inputs);
  if (left === undefined || right === undefined) {
    const isNone = left === undefined && right === undefined;
    const inputsNote = isNone
      ? l10n.t("The inputs are not known: these executions were not kicked off from here.")
      : l10n.t(
          "The inputs of “{0}” are not known: it was not kicked off from here.",
          left === undefined ? names.left : names.right,
        );
    return { inputs: [], inputsNote };
  }
  const inputs = Object.keys({ ...left, ...right }).map((label): ComparedRow => {
    const isDifferent = !isDeepStrictEqual(left[label], right[label]);
    return {
      ...{ id: label, label, isDifferent },
      values: defined({
        left: inputText(left[label]),
        right: inputText(right[label]),
      }),
      difference:
        onlyIn({ left: left[label], right: right[label] }, names) ??
        (isDifferent ? l10n.t("different") : l10n.t("same")),
    };
  });
  return {
    inputs: inputs.toSorted((one, other) => Number(other.isDifferent) - Number(one.isDifferent)),
  };
}

function inputText(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : contentOf(valueText(value)).text;
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
}

/** The last output of each task, and the results if they are none of those. */
export function outputPairs(pair: Sides<Execution>): readonly OutputPair[] {
  const tasks = onSides(pair, taskOutputs);
  const results = onSides(pair, (each) => (hasEnded(each) ? each.output : undefined));
  const isReported = (result: string | undefined, own: readonly TaskOutput[]) =>
    result === undefined ||
    own.some(({ output }) => output !== undefined && isSameOutput(output, result));
  const isResultShown =
    !isReported(results.left, tasks.left) || !isReported(results.right, tasks.right);
  const result = onSides(results, (output) => ({ taskId: "", ...defined({ output }) }));
  return [
    ...(isResultShown ? [{ id: "result", ...result }] : []),
    ...pairsOf(tasks).map((each) => ({
      id: `task ${each.left?.taskId ?? ""}\n${each.right?.taskId ?? ""}`,
      ...each,
    })),
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
  pair: Sides<Execution>,
  names: Sides<string>,
  views: Sides<ExecutionView>,
): ComparedRow {
  const { id, left, right } = outputs;
  const ofSides = { left, right };
  const [one, other] = [left?.output, right?.output];
  const only = onlyIn(ofSides, names);
  const isDifferent = isDiff(outputs);
  const isSame = one !== undefined && other !== undefined && !isDifferent;
  const labels = [...new Set(present(left, right).map(outputName))];
  const taskOn = (side: Side) =>
    pair[side].tasks.find(({ taskId }) => taskId === outputs[side]?.taskId);
  const tasks = { left: taskOn("left"), right: taskOn("right") };
  const time = (side: Side) => timeOf(tasks[side] && taskTime(tasks[side], pair[side]));
  const tokens = onSides(tasks, (task) =>
    countOf(task && taskTokenUse(task)?.tokens.total, (count) =>
      l10n.t("{0} tokens", formatCount(count)),
    ),
  );
  const opens = (one ?? other) === undefined ? undefined : isDifferent ? "diff" : "output";
  return {
    ...{ id, label: labels.join(" ↔ "), isDifferent: isDifferent || only !== undefined },
    values: defined({
      left: left && factsOf(left, views.left),
      right: right && factsOf(right, views.right),
    }),
    difference: present(
      only,
      isSame && l10n.t("same output"),
      isDifferent && l10n.t("different output"),
      differenceOf({ left: time("left"), right: time("right") }),
      differenceOf(tokens),
    ).join("\n"),
    ...defined({ opens } as const),
    taskIds: defined(onSides(ofSides, (output) => output?.taskId)),
  };
}

export function outputName({ taskId }: TaskOutput): string {
  return taskId === "" ? l10n.t("Result") : shortName(taskId);
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
