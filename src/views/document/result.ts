import * as l10n from "@vscode/l10n";
import type { RunAgainFrom, UndeliveredCallbacks } from "../../api/types.ts";
import { safeUrl } from "../../base/loopback.ts";
import { shortName } from "../../base/text.ts";
import { requestAt } from "../../executions/flow-requests.ts";
import {
  hasEnded,
  isLocalCrew,
  isNeverSeen,
  asksElsewhere,
  mayWait,
} from "../../executions/model.ts";
import type { CrewRef, Execution, FlowRequest, ResumeSummary } from "../../executions/model.ts";
import { answeredPause } from "../../executions/resumes.ts";
import { failedCallbacks } from "../../executions/undelivered.ts";
import { answerLabel } from "../../feedback/target.ts";
import { outputPart } from "./embed.ts";
import { fencedLines, inlineName, inlineText } from "./markdown.ts";
import type { RenderCircumstances } from "./render.ts";
import {
  failedAtModel,
  fullProgress,
  interruptedLabel,
  kickingOffLabel,
  present,
  stateLabel,
} from "../labels.ts";
import { mayBeWaitingSection, resultSection, undeliveredSection, type Part } from "./sections.ts";

/** What it does now, and what else is known of that. Remote text, as it came. */
export function stateFacts(
  execution: Execution,
  { isKickingOff = false, isInterrupted = false }: RenderCircumstances,
): { readonly label: string; readonly facts: readonly string[] } {
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

export function rehearsalNote(): string {
  return l10n.t(
    "Rehearsal: no language model was called. The outputs only repeat what the agents were asked.",
  );
}

function runAgainText({ taskId, executionId, outputs = {} }: RunAgainFrom): string {
  const task = inlineName(taskId);
  const edited = Object.keys(outputs).map(inlineName).join(", ");
  return present(
    l10n.t("It began at task {0}, with the earlier outputs of {1}.", task, `\`${executionId}\``),
    edited !== "" && l10n.t("Edited before it began: {0}.", edited),
  ).join(" ");
}

function queuedText(): string {
  return l10n.t(
    "It starts when Python has loaded the project, and after the crew's other executions: they run one at a time, unless the setting “crewdeck.local.parallel” allows more.",
  );
}

export function situationParts(
  execution: Execution,
  { isKickingOff = false, isInterrupted = false }: RenderCircumstances = {},
): Part[] {
  const { state, watchingStoppedAt, crew, engine, request } = execution;
  const runAgain = request?.runAgain;
  const isQueuedHere =
    state === "queued" && engine === "crewai" && isLocalCrew(crew) && !isInterrupted;
  const pause = answeredPause(execution);
  const stopped = l10n.t(
    "This execution did not end within a day, and is no longer watched. “Watch Again” continues.",
  );
  const asks = questionLines(execution);
  const waits =
    execution.waiting !== undefined &&
    asks === undefined &&
    pause === undefined &&
    l10n.t(
      "The output of task {0} waits for you: approve it, or reject it with feedback.",
      inlineName(execution.waiting.taskId),
    );
  return present<Part>(
    waits !== false && { id: "waits", lines: [waits] },
    asks && { id: "waits", lines: asks },
    state === "unconfirmed" && unconfirmedPart(execution, isKickingOff),
    mayWait(execution) && mayBeWaitingPart(execution),
    isQueuedHere && { id: "queued", lines: [queuedText()] },
    runAgain && { id: "run again", lines: [runAgainText(runAgain)] },
    pause && { id: "answered pause", lines: [answeredPauseText(pause, execution)] },
    watchingStoppedAt !== undefined && { id: "stopped watching", lines: [stopped] },
    undeliveredPart(execution),
  );
}

function undeliveredPart(execution: Execution): Part | undefined {
  const failed = failedCallbacks(execution);
  if (failed.length === 0) return undefined;
  const count = failed.reduce((sum, each) => sum + each.count, 0);
  const list = failed.map(undeliveredText).join(", ");
  const text =
    count === 1
      ? l10n.t("1 callback has not arrived: {0}.", list)
      : l10n.t("{0} callbacks have not arrived: {1}.", count, list);
  return { id: undeliveredSection, lines: [text] };
}

function undeliveredText({ kind, attempts, error = "", isGivenUp }: UndeliveredCallbacks): string {
  const name = inlineText(kind.replaceAll("_", " "));
  const tries =
    isGivenUp === true
      ? l10n.t("given up after {0} attempts", attempts)
      : attempts === 1
        ? l10n.t("1 attempt")
        : l10n.t("{0} attempts", attempts);
  const problem = inlineText(error.replace(/\.$/, ""));
  return `${name} (${problem === "" ? tries : `${tries}: ${problem}`})`;
}

/** Of a flow that waits for an answer. */
function questionLines(execution: Execution): readonly string[] | undefined {
  const { waiting } = execution;
  if (waiting?.options === undefined) return undefined;
  const { taskId, options } = waiting;
  const answers = options.map((option) => `“${inlineText(answerLabel(option, waiting))}”`);
  return [
    l10n.t("The flow asks you at {0} and continues with your answer.", inlineName(taskId)),
    "",
    ...present(
      answers.length > 0 &&
        `- ${l10n.t("Choose an answer, or write another: {0}", answers.join(", "))}`,
      ...requestFacts(requestAt(execution, waiting)).map((fact) => `- ${fact}`),
    ),
  ];
}

function requestFacts(request: FlowRequest | undefined): readonly string[] {
  if (request === undefined) return [];
  const { callbackUrl, assignedTo } = request;
  const host = safeUrl(callbackUrl)?.host;
  return present(
    assignedTo !== undefined && l10n.t("Assigned to: {0}", inlineText(assignedTo)),
    host === undefined
      ? l10n.t("Its address for the answer can't be used. Answer in the dashboard.")
      : l10n.t("The answer goes to {0}", inlineText(host)),
  );
}

function unconfirmedPart({ crew }: Execution, isKickingOff: boolean): Part {
  const sent = l10n.t("The kickoff request was sent. Waiting for the response…");
  const doubt = l10n.t(
    "The kickoff request was sent, but no response says whether the execution started. It may have. The request is not sent again by itself, since a kickoff can cost money.",
  );
  const next = l10n.t(
    "Look in {0}. If it runs there, use “Crewdeck: Track an Execution by Its ID…” with its ID; then, or if it does not run, remove this one from the list.",
    logOf(crew),
  );
  return { id: "unconfirmed", lines: isKickingOff ? [sent] : [doubt, "", next] };
}

function mayBeWaitingPart(execution: Execution): Part {
  if (asksElsewhere(execution))
    return {
      id: mayBeWaitingSection,
      lines: [
        `## ${l10n.t("The flow asks a person")}`,
        "",
        l10n.t(
          "It waits for an answer, which is given in the crew's dashboard: run “Crewdeck: Open Dashboard”.",
        ),
        "",
        l10n.t(
          "To be asked here, let the deployment send its feedback webhook to this machine: “Crewdeck: Copy Feedback Webhook Address” gives the address.",
        ),
      ],
    };
  const isWrong = l10n.t(
    "Check the ID, and that it is of an execution of this crew. If it is wrong, remove this one from the list and track the right ID.",
  );
  const isRight = l10n.t(
    "If it is right, the execution may be waiting for you: a deployed crew's pause looks the same. Only its human-input callback reports which task waits.",
  );
  const isGone = l10n.t(
    "The crew no longer knows this ID. A deployed crew that waits for a person looks the same: only its human-input callback reports which task waits.",
  );
  const lines = isNeverSeen(execution)
    ? [`## ${l10n.t("The crew does not know this ID")}`, "", isWrong, "", isRight]
    : [`## ${l10n.t("It may be waiting for you")}`, "", isGone];
  const next = l10n.t(
    "If your own webhook received that callback, copy it and use “Paste Received Callback…”. If you know the task's ID, give feedback here: if it does not wait, the crew says so and nothing is lost.",
  );
  return { id: mayBeWaitingSection, lines: [...lines, "", next] };
}

function logOf(crew: CrewRef): string {
  return isLocalCrew(crew)
    ? l10n.t("the local crew's log")
    : l10n.t("the crew's dashboard or its log");
}

/** At first the crew only lags; later a person must decide. */
function answeredPauseText(
  { taskId, feedback }: ResumeSummary,
  { waiting, crew }: Execution,
): string {
  const task = inlineName(taskId);
  const answered = l10n.t("“{0}” took your answer, but the crew still reports its pause.", task);
  const decided = feedback.isApprove
    ? l10n.t(
        "You approved the output of “{0}” and the crew accepted that, but it still reports the pause.",
        task,
      )
    : l10n.t(
        "You rejected the output of “{0}” and the crew accepted that, but it still reports the pause.",
        task,
      );
  const text = feedback.isAnswer === true ? answered : decided;
  if (waiting === undefined)
    return `${text} ${l10n.t("Most likely it is only slow. Nothing is sent again by itself.")}`;
  const look = l10n.t("Look in {0} for the cause.", logOf(crew));
  return `${text} ${look} ${l10n.t("“Send Again…” sends the same feedback once more; it asks first.")}`;
}

export function resultParts(execution: Execution): Part[] {
  const { state, output, error, tasks, crew } = execution;
  if (!hasEnded(execution)) return [];
  const heading = `## ${l10n.t("Result")}`;
  const note = (text: string): Part => ({ id: resultSection, lines: [heading, "", text] });
  const hasNone = l10n.t(
    "The crew ended without an output. Look in {0} for the cause.",
    logOf(crew),
  );
  const isStopped = l10n.t("It was stopped before it was done. Kick off again to start over.");
  const cause =
    error === undefined
      ? [l10n.t("The crew does not say what went wrong.")]
      : fencedLines(error, "text");
  const remedy = present(
    tasks.length > 0 && l10n.t("The tasks below show how far it came."),
    failedAtModel(execution)
      ? l10n.t(
          "Check the crew's model and its key in the project's .env file, or use “Choose Model…” in the menu of the crew's row, then kick off again.",
        )
      : l10n.t("Look in {0} for the cause, then kick off again.", logOf(crew)),
  ).join(" ");
  const errorLines = [`## ${l10n.t("Error")}`, "", ...cause, "", remedy];
  const parts = present<Part>(
    output !== undefined && outputPart(resultSection, [heading], output, 3),
    output === undefined && state === "completed" && note(hasNone),
    (error !== undefined || state === "failed") && { id: "error", lines: errorLines },
  );
  return state === "stopped" && parts.length === 0 ? [note(isStopped)] : parts;
}
