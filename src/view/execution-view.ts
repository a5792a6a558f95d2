import * as l10n from "@vscode/l10n";
import type { JsonObject } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import type { Activity } from "../executions/activity.ts";
import { interruptedAt } from "../executions/interruptions.ts";
import { type Execution, type ExecutionState, hasEnded } from "../executions/model.ts";
import { stepsOf } from "../executions/steps.ts";
import { titleOf } from "../executions/title.ts";
import { tokenUse } from "../executions/tokens.ts";
import { aboutOf, callbacksOf, eventFacts } from "./about.ts";
import { type Action, actionsOf, answersTo, type Circumstances } from "./actions.ts";
import { historyOf, type HistoryEntry } from "./history.ts";
import { type Notice, noticesOf } from "./notices.ts";
import { tasksOf, type TaskView } from "./tasks.ts";
import { timesOf, type TimesView } from "./times.ts";
import { tokensOf, type TokensView } from "./tokens.ts";
import {
  elapsedLabel,
  type Fact,
  fullProgress,
  hasClock,
  interruptedLabel,
  kickingOffLabel,
  present,
  stateLabel,
  useLabels,
} from "./words.ts";

/**
 * An execution as a person sees it: plain data, which every surface lays out. Texts are plain, and
 * remote ones as they came, unless a member says Markdown.
 */
export interface ExecutionView {
  readonly title: string;
  readonly crew: string;
  readonly state: ExecutionState | "interrupted";
  readonly label: string;
  /** The task under way, progress. */
  readonly facts: readonly string[];
  /** How long it took, or since when it runs (milliseconds since 1970). */
  readonly elapsed?: string | number;
  /** Tokens, estimated cost. */
  readonly use: readonly string[];
  readonly actions: readonly Action[];
  /** What a person may do about the output that waits, or may wait. */
  readonly answers: readonly Action[];
  readonly notices: readonly Notice[];
  /** After the end. */
  readonly result?: string;
  readonly tasks: readonly TaskView[];
  /** How many tasks follow that the crew has not named yet. */
  readonly toCome?: string;
  /** Undefined if it was started elsewhere. */
  readonly inputs?: JsonObject;
  /** In place of inputs. */
  readonly noInputs?: string;
  readonly meta?: JsonObject;
  /** Of its own request: name, and address without its path. */
  readonly callbacks: readonly Fact[];
  readonly times: TimesView;
  readonly tokens?: TokensView;
  readonly history: readonly HistoryEntry[];
  /** Its crew and IDs, and who or what started it. */
  readonly about: readonly Fact[];
  /** How many events of which kind came. */
  readonly events: readonly Fact[];
}

/** The one description of an execution. */
export function viewOf(
  execution: Execution,
  activity: Activity,
  circumstances: Circumstances = {},
): ExecutionView {
  const { isInterrupted = false, prices = [] } = circumstances;
  const { crew, state, request, output } = execution;
  const steps = stepsOf(activity);
  const tasks = tasksOf(execution, { steps, prices, isInterrupted });
  return {
    title: titleOf(execution),
    crew: crew.name,
    state: isInterrupted ? "interrupted" : state,
    ...stateOf(execution, circumstances),
    use: useLabels(tokenUse(execution), prices),
    actions: actionsOf(execution, circumstances),
    answers: answersTo(execution, circumstances),
    notices: noticesOf(execution, circumstances),
    tasks,
    callbacks: callbacksOf(request?.callbacks ?? {}),
    times: timesOf(execution),
    history: historyOf(execution, activity, circumstances),
    about: aboutOf(execution),
    events: eventFacts(execution),
    ...defined({
      elapsed: elapsedOf(execution, isInterrupted ? interruptedAt(execution, activity) : undefined),
      result: hasEnded(execution) ? output : undefined,
      toCome: toComeLabel(execution, tasks.length),
      inputs: request?.inputs,
      noInputs: noInputsIn(request?.inputs),
      meta: request?.meta,
      tokens: tokensOf(execution, prices),
    }),
  };
}

/** What it does now, and what else is known of that. */
function stateOf(
  execution: Execution,
  { isKickingOff = false, isInterrupted = false }: Circumstances,
): Pick<ExecutionView, "label" | "facts"> {
  const { progress, waiting, stateText, state } = execution;
  const own = isInterrupted ? interruptedLabel() : stateLabel(execution);
  const label = isKickingOff ? kickingOffLabel() : own;
  const task = waiting?.taskId ?? (state === "running" ? progress?.current : undefined);
  const facts = present(
    stateText !== undefined && stateText !== label && l10n.t("the crew says “{0}”", stateText),
    task && l10n.t("task {0}", shortName(task)),
    fullProgress(execution),
  );
  return { label, facts };
}

/** While it runs the surfaces count themselves. */
function elapsedOf(execution: Execution, interrupted?: number): string | number | undefined {
  const started = Date.parse(execution.startedAt);
  if (hasEnded(execution) || interrupted !== undefined)
    return elapsedLabel(execution, started, interrupted);
  return hasClock(execution) ? started : undefined;
}

function noInputsIn(inputs: JsonObject | undefined): string | undefined {
  if (inputs === undefined)
    return l10n.t("Not known: this execution was started elsewhere and is followed by its ID.");
  return Object.keys(inputs).length === 0 ? l10n.t("None.") : undefined;
}

/** A crew names a task when it begins. */
function toComeLabel(execution: Execution, named: number): string | undefined {
  const { progress } = execution;
  if (hasEnded(execution) || progress?.unit !== "task") return undefined;
  const count = (progress.total ?? 0) - named;
  if (count < 1) return undefined;
  return count === 1
    ? l10n.t("1 task is still to come.")
    : l10n.t("{0} tasks are still to come.", count);
}
