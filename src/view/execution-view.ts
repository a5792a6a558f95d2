import * as l10n from "@vscode/l10n";
import { defined, type JsonObject } from "../base/json.ts";
import type { Activity } from "../executions/activity.ts";
import {
  interruptedAt,
  lastTimeIn,
  stateChanges,
  timeUse,
  wholeTime,
} from "../executions/times.ts";
import {
  type Execution,
  hasEnded,
  type SentResume,
  type StateChange,
} from "../executions/model.ts";
import { type Price, tokenUse } from "../executions/tokens.ts";
import { stepsOf } from "../executions/steps.ts";
import type { Circumstances } from "./actions.ts";
import { briefOf } from "./brief.ts";
import { inlineName, inlineText } from "./markdown.ts";
import { noticesOf } from "./notices.ts";
import { decisionIn, tasksOf } from "./tasks.ts";
import {
  engineName,
  type Fact,
  formatDuration,
  formatSpan,
  formatTime,
  present,
  startLabel,
  stateName,
  triggerFacts,
  useLabels,
} from "./words.ts";

export type ExecutionView = ReturnType<typeof viewOf>;

/** Every surface lays it out. Texts are plain, and remote ones as they came, unless a member says Markdown. */
export function viewOf(
  execution: Execution,
  activity: Activity,
  circumstances: Circumstances = {},
) {
  const { prices = [], doubt, isCrewStopped = false } = circumstances;
  const { request, output } = execution;
  const { elapsed, ...brief } = briefOf(execution, circumstances, activity);
  // Nothing is shown as running that is no longer watched.
  const isLost = isCrewStopped || doubt?.isLasting === true;
  const isHalted = isLost && /^(?:running|queued)$/.test(brief.state);
  const tasks = tasksOf(execution, stepsOf(activity), circumstances);
  return {
    ...brief,
    ...(isHalted && { state: "unknown" as const }),
    ...(isHalted && isCrewStopped && { label: l10n.t("Local crew is stopped") }),
    use: useLabels(tokenUse(execution), prices),
    notices: noticesOf(execution, circumstances),
    tasks,
    times: timeLines(execution),
    models: modelFacts(execution, prices),
    history: historyOf(execution, activity, circumstances),
    about: aboutOf(execution),
    ...defined({
      elapsed: isHalted ? undefined : elapsed,
      earlier: circumstances.earlier,
      result: hasEnded(execution) ? output : undefined,
      toCome: toComeLabel(execution, tasks.length),
      inputs: request?.inputs,
      noInputs: noInputsIn(request?.inputs),
    }),
  };
}

function noInputsIn(inputs: JsonObject | undefined): string | undefined {
  if (inputs === undefined)
    return l10n.t(
      "It was started elsewhere and is followed by its ID, so its inputs aren't known.",
    );
  return Object.keys(inputs).length === 0 ? l10n.t("None.") : undefined;
}

/** A crew names a task when it begins. At the end, one that has many may name only some. */
function toComeLabel(execution: Execution, named: number): string | undefined {
  const { progress, state } = execution;
  if (state === "completed" || progress?.unit !== "task") return undefined;
  const { total = 0, completed } = progress;
  const count = total - (hasEnded(execution) ? Math.max(named, completed + 1) : named);
  return count < 1 ? undefined : l10n.t("Tasks that have not started: {0}", count);
}

function aboutOf(execution: Execution): readonly Fact[] {
  const { crew, kickoffIds, engine } = execution;
  return present<Fact>(
    { label: l10n.t("Crew"), value: crew.name },
    { label: l10n.t("Address"), value: crew.url },
    engine !== undefined && { label: l10n.t("Engine"), value: engineName(engine) },
    ...triggerFacts(execution),
    ...kickoffIds.map((value, at) => ({
      label: at === 0 ? l10n.t("Kickoff ID") : l10n.t("Continues as"),
      value,
    })),
  );
}

function timeLines(execution: Execution): readonly string[] {
  const { endedAt } = execution;
  const whole = wholeTime(execution);
  const { waited } = timeUse(execution);
  return present(
    startLabel(execution),
    endedAt && l10n.t("Finished: {0}", formatTime(endedAt)),
    whole && l10n.t("Duration: {0}", formatSpan(whole.seconds * 1000)),
    waited && l10n.t("Waited for you: {0}", formatDuration(waited)),
  );
}

function modelFacts(execution: Execution, prices: readonly Price[]): readonly Fact[] {
  const models = tokenUse(execution)?.models ?? [];
  if (models.every(({ model }) => model === undefined)) return [];
  return models.map((each) => ({
    label: each.model ?? l10n.t("not known"),
    value: useLabels({ tokens: each.tokens, models: [each] }, prices).join(" · "),
  }));
}

function historyOf(
  execution: Execution,
  activity: Activity,
  { isInterrupted = false }: Circumstances,
): readonly string[] {
  const { origin, startedAt, resumes } = execution;
  const start = origin === "tracked" ? l10n.t("Tracked from here on") : l10n.t("Kicked off");
  const entries = present<{ at: number; text: string }>(
    { at: Date.parse(startedAt), text: start },
    // Refused feedback changed nothing, and is shown with its output.
    ...resumes
      .filter(({ outcome }) => outcome !== "refused")
      .map((resume) => ({ at: Date.parse(resume.feedback.at), text: feedbackEvent(resume) })),
    ...stateChanges(execution).map((change) => ({
      at: Date.parse(change.at),
      text: changeEvent(change),
    })),
    ...activity.interruptions.flatMap(({ from, to }) => [
      { at: from, text: stateName("interrupted") },
      { at: to, text: l10n.t("Continued") },
    ]),
    // Of one that never began, nothing is known.
    isInterrupted &&
      lastTimeIn(activity) !== undefined && {
        at: interruptedAt(execution, activity),
        text: stateName("interrupted"),
      },
  );
  if (entries.length === 1) return [];
  return entries
    .sort((one, other) => one.at - other.at)
    .map(({ at, text }) => `${formatTime(at)} – ${text}`);
}

function changeEvent({ notBefore, taskId, attempt, state, stateText }: StateChange): string {
  const label = state === "unknown" ? (stateText ?? stateName(state)) : stateName(state);
  const text = atTask(inlineText(label), taskId, attempt);
  return notBefore === undefined
    ? text
    : l10n.t("{0} (at some time after {1})", text, formatTime(notBefore));
}

function feedbackEvent({ taskId, attempt, feedback, outcome }: SentResume): string {
  const text = atTask(decisionIn(feedback).title, taskId, attempt);
  return outcome === "unanswered" ? l10n.t("{0}; may have been sent", text) : text;
}

function atTask(text: string, taskId: string | undefined, attempt: number | undefined): string {
  if (taskId === undefined) return text;
  return attempt === undefined
    ? l10n.t("{0}, task {1}", text, inlineName(taskId))
    : l10n.t("{0}, task {1}, attempt {2}", text, inlineName(taskId), attempt);
}
