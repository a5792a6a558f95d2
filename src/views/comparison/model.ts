import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { oneLine, shortName } from "../../base/text.ts";
import { noActivity } from "../../executions/activity.ts";
import { taskTime } from "../../executions/times.ts";
import {
  type Execution,
  type ExecutionSummary,
  type ExecutionTask,
  hasEnded,
} from "../../executions/model.ts";
import { type Price, taskTokenUse } from "../../executions/tokens.ts";
import { isSameOutput } from "../../executions/tasks.ts";
import { titleOf } from "../../executions/title.ts";
import { unknownTasks } from "../../view/tasks.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { formatCount, formatTime, present } from "../../view/words.ts";
import { contentOf, valueContent } from "../page/content.ts";
import { countOf, different, differenceOf, figuresOf, same, timeOf } from "./figures.ts";
import {
  type ComparedInput,
  type ComparedOutput,
  type ComparedTask,
  type ComparisonModel,
  onSides,
  type Side,
  type Sides,
  sides,
} from "./messages.ts";

/** Characters of each title in the tab. */
const longest = 30;

/** The tab's title. */
export function comparisonTitle(pair: Sides<ExecutionSummary>): string {
  const { left, right } = onSides(namesOf(pair), (name) => oneLine(name, longest));
  return `${left} ↔ ${right}`;
}

export function comparisonModel(pair: Sides<Execution>, prices: readonly Price[]): ComparisonModel {
  const names = namesOf(pair);
  const views = onSides(pair, (execution) => viewOf(execution, noActivity, { prices }));
  const about = (side: Side) => ({
    ...{ name: names[side], state: views[side].state, label: views[side].label },
    crew: present(views[side].crew, pair[side].engine).join(" · "),
    started: formatTime(pair[side].startedAt),
  });
  const executions = { left: about("left"), right: about("right") };
  const spoken = onSides(executions, ({ name, label }) => l10n.t("{0}: {1}", name, label));
  return {
    executions,
    spoken: `${spoken.left}, ${spoken.right}`,
    figures: figuresOf(pair, views, prices),
    ...inputsOf(pair, names),
    outputs: outputPairs(pair).map((each) => comparedOutput(each, pair, names, views)),
  };
}

/** Titles; with the crews if they are the same. */
function namesOf(pair: Sides<ExecutionSummary>): Sides<string> {
  const titles = onSides(pair, titleOf);
  return titles.left === titles.right && pair.left.crew.name !== pair.right.crew.name
    ? onSides(pair, (each) => `${each.crew.name}: ${titleOf(each)}`)
    : titles;
}

/** Those that differ first. */
function inputsOf(
  pair: Sides<Execution>,
  names: Sides<string>,
): Pick<ComparisonModel, "inputs" | "inputsNote"> {
  const given = onSides(pair, ({ request }) => request?.inputs);
  const unknown = sides.filter((side) => given[side] === undefined);
  if (given.left === undefined || given.right === undefined)
    return {
      inputs: [],
      inputsNote:
        unknown.length === 2
          ? l10n.t("The inputs are not known: these executions were not kicked off from here.")
          : l10n.t(
              "The inputs of “{0}” are not known: it was not kicked off from here.",
              names[unknown[0] ?? "left"],
            ),
    };
  const { left, right } = given;
  const all = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  const inputs = all.map((name): ComparedInput => {
    const [one, other] = [left[name], right[name]];
    const isDifferent = !isDeepStrictEqual(one, other);
    const only = one === undefined ? names.right : other === undefined ? names.left : undefined;
    return {
      name,
      values: defined({
        left: one === undefined ? undefined : valueContent(one),
        right: other === undefined ? undefined : valueContent(other),
      }),
      difference:
        only !== undefined ? l10n.t("only in “{0}”", only) : isDifferent ? different() : same(),
      isDifferent,
    };
  });
  return {
    inputs: [
      ...inputs.filter(({ isDifferent }) => isDifferent),
      ...inputs.filter(({ isDifferent }) => !isDifferent),
    ],
  };
}

interface TaskOutput {
  /** The result's is empty. */
  readonly taskId: string;
  readonly task?: ExecutionTask;
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
  return [...tasks, ...unknownTasks(execution)].map((task) => {
    const { taskId, attempts } = task;
    const last = attempts.findLast(({ output }) => output !== undefined);
    const waits = waiting?.taskId === taskId && waiting.output !== undefined ? waiting : undefined;
    return {
      taskId,
      task,
      ...defined({
        attempt: waits?.attempt ?? last?.number,
        output: waits?.output ?? last?.output,
      }),
    };
  });
}

function comparedOutput(
  { id, left, right }: OutputPair,
  pair: Sides<Execution>,
  names: Sides<string>,
  views: Sides<ExecutionView>,
): ComparedOutput {
  const tasks = defined({
    left: left && comparedTask(left, views.left),
    right: right && comparedTask(right, views.right),
  });
  const [one, other] = [tasks.left?.name, tasks.right?.name];
  const only = left === undefined ? names.right : right === undefined ? names.left : undefined;
  const status = only === undefined ? statusOf(left?.output, right?.output) : "single";
  const time = differenceOf({
    left: timeOf(left?.task && taskTime(left.task, pair.left)),
    right: timeOf(right?.task && taskTime(right.task, pair.right)),
  });
  const tokens = differenceOf(
    onSides({ left: left?.task, right: right?.task }, (task) =>
      countOf(task && taskTokenUse(task)?.tokens.total, (count) =>
        l10n.t("{0} tokens", formatCount(count)),
      ),
    ),
  );
  return {
    id,
    name:
      one !== undefined && other !== undefined && one !== other
        ? `${one} ↔ ${other}`
        : (one ?? other ?? ""),
    tasks,
    status,
    facts: present(
      only !== undefined && l10n.t("only in “{0}”", only),
      status === "same" && l10n.t("same output"),
      status === "different" && l10n.t("different output"),
      time,
      tokens,
    ),
  };
}

function statusOf(left: string | undefined, right: string | undefined) {
  if (left === undefined || right === undefined) return "unknown";
  return isSameOutput(left, right) ? "same" : "different";
}

function comparedTask({ taskId, attempt, output }: TaskOutput, view: ExecutionView): ComparedTask {
  const missing = l10n.t("The crew has not returned this output.");
  const content = {
    taskId,
    ...(output === undefined ? { note: missing } : { output: contentOf(output) }),
  };
  const task = view.tasks.find((each) => each.taskId === taskId);
  if (task === undefined) return { name: l10n.t("Result"), facts: [], ...content };
  const { name, agent, state, label, facts } = task;
  return {
    name,
    state,
    facts: present(
      label,
      agent && shortName(agent),
      attempt !== undefined && attempt > 1 && l10n.t("attempt {0}", attempt),
      ...facts,
    ),
    ...content,
  };
}
