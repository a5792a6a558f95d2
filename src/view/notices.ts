import * as l10n from "@vscode/l10n";
import type { RunAgainFrom, UndeliveredCallbacks } from "../api/types.ts";
import { safeUrl } from "../base/loopback.ts";
import { requestAt } from "../executions/flow-requests.ts";
import {
  asksElsewhere,
  failedCallbacks,
  hasEnded,
  isLocalCrew,
  isNeverSeen,
  mayWait,
  type CrewRef,
  type Execution,
  type FlowRequest,
  type ResumeSummary,
} from "../executions/model.ts";
import { answeredPause } from "../executions/resumes.ts";
import type { Circumstances } from "./actions.ts";
import { fencedLines, inlineName, inlineText } from "./markdown.ts";
import { answerLabel, failedAtModel, isRehearsal, present } from "./words.ts";

/** What a person should know or do next. */
export interface Notice {
  readonly id:
    | "doubt"
    | "rehearsal"
    | "waits"
    | "unconfirmed"
    | "may be waiting"
    | "queued"
    | "run again"
    | "answered pause"
    | "stopped watching"
    | "undelivered callbacks"
    | "no result"
    | "error";
  readonly kind: "info" | "warning" | "error";
  readonly title?: string;
  /** Lines of Markdown. */
  readonly lines: readonly string[];
}

export function noticesOf(
  execution: Execution,
  { doubt, isKickingOff = false, isInterrupted = false, earlier }: Circumstances,
): readonly Notice[] {
  const { state, watchingStoppedAt, crew, engine, request } = execution;
  const runAgain = request?.runAgain;
  const isQueuedHere =
    state === "queued" && engine === "crewai" && isLocalCrew(crew) && !isInterrupted;
  const pause = answeredPause(execution);
  const stopped = l10n.t(
    "This execution did not end within a day, and is no longer watched. “Watch Again” continues.",
  );
  return present<Notice>(
    doubt !== undefined && { id: "doubt", kind: "warning", lines: [inlineText(doubt.text)] },
    isRehearsal(execution) && info("rehearsal", rehearsalText()),
    pause === undefined && waitsNotice(execution),
    state === "unconfirmed" && unconfirmedNotice(execution, isKickingOff),
    mayWait(execution) && mayBeWaitingNotice(execution),
    isQueuedHere && info("queued", queuedText()),
    runAgain && info("run again", runAgainText(runAgain, earlier)),
    pause && info("answered pause", answeredPauseText(pause, execution)),
    watchingStoppedAt !== undefined && info("stopped watching", stopped),
    undeliveredNotice(execution),
    noResultNotice(execution),
    errorNotice(execution),
  );
}

function info(id: Notice["id"], ...lines: readonly string[]): Notice {
  return { id, kind: "info", lines };
}

function rehearsalText(): string {
  return l10n.t(
    "Rehearsal: no language model was called. The outputs only repeat what the agents were asked.",
  );
}

function runAgainText(
  { taskId, executionId, outputs = {} }: RunAgainFrom,
  earlier: string | undefined,
): string {
  const task = inlineName(taskId);
  const from = earlier === undefined ? `\`${executionId}\`` : inlineName(earlier);
  const edited = Object.keys(outputs).map(inlineName).join(", ");
  return present(
    l10n.t("It began at task {0}, with the earlier outputs of {1}.", task, from),
    edited !== "" && l10n.t("Edited before it began: {0}.", edited),
  ).join(" ");
}

function queuedText(): string {
  return l10n.t(
    "It starts when Python has loaded the project, and after the crew's other executions: they run one at a time, unless the setting “crewdeck.local.parallel” allows more.",
  );
}

function undeliveredNotice(execution: Execution): Notice | undefined {
  const failed = failedCallbacks(execution);
  if (failed.length === 0) return undefined;
  const count = failed.reduce((sum, each) => sum + each.count, 0);
  const list = failed.map(undeliveredText).join(", ");
  const text =
    count === 1
      ? l10n.t("1 callback has not arrived: {0}.", list)
      : l10n.t("{0} callbacks have not arrived: {1}.", count, list);
  return { id: "undelivered callbacks", kind: "warning", lines: [text] };
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

function waitsNotice(execution: Execution): Notice | undefined {
  const { waiting } = execution;
  if (waiting === undefined) return undefined;
  const { taskId, options } = waiting;
  if (options === undefined)
    return info(
      "waits",
      l10n.t(
        "The output of task {0} waits for you: approve it, or reject it with feedback.",
        inlineName(taskId),
      ),
    );
  const answers = options.map((option) => `“${inlineText(answerLabel(option, waiting))}”`);
  return info(
    "waits",
    l10n.t("The flow asks you at {0} and continues with your answer.", inlineName(taskId)),
    "",
    ...present(
      answers.length > 0 &&
        `- ${l10n.t("Choose an answer, or write another: {0}", answers.join(", "))}`,
      ...requestFacts(requestAt(execution, waiting)).map((fact) => `- ${fact}`),
    ),
  );
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

function unconfirmedNotice({ crew }: Execution, isKickingOff: boolean): Notice {
  const sent = l10n.t("The kickoff request was sent. Waiting for the response…");
  const doubt = l10n.t(
    "The kickoff request was sent, but no response says whether the execution started. It may have. The request is not sent again by itself, since a kickoff can cost money.",
  );
  const next = l10n.t(
    "Look in {0}. If it runs there, use “Crewdeck: Track an Execution by Its ID…” with its ID; then, or if it does not run, remove this one from the list.",
    logOf(crew),
  );
  return { id: "unconfirmed", kind: "warning", lines: isKickingOff ? [sent] : [doubt, "", next] };
}

function mayBeWaitingNotice(execution: Execution): Notice {
  const notice = (title: string, ...lines: readonly string[]): Notice => ({
    id: "may be waiting",
    kind: "warning",
    title,
    lines,
  });
  if (asksElsewhere(execution))
    return notice(
      l10n.t("The flow asks a person"),
      l10n.t(
        "It waits for an answer, which is given in the crew's dashboard: “Open Dashboard” in the menu of its row leads there.",
      ),
      "",
      l10n.t(
        "To be asked here, let the deployment send its feedback webhook to this machine: “Crewdeck: Test Callbacks” gives the address.",
      ),
    );
  const isWrong = l10n.t(
    "Check the ID, and that it is of an execution of this crew. If it is wrong, remove this one from the list and track the right ID.",
  );
  const isRight = l10n.t(
    "If it is right, the execution may be waiting for you: a deployed crew's pause looks the same. Only its human-input callback reports which task waits.",
  );
  const isGone = l10n.t(
    "The crew no longer knows this ID. A deployed crew that waits for a person looks the same: only its human-input callback reports which task waits.",
  );
  const next = l10n.t(
    "If your own webhook received that callback, copy it and use “Paste Received Callback…”. If you know the task's ID, give feedback here: if it does not wait, the crew says so and nothing is lost.",
  );
  return isNeverSeen(execution)
    ? notice(l10n.t("The crew does not know this ID"), isWrong, "", isRight, "", next)
    : notice(l10n.t("It may be waiting for you"), isGone, "", next);
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

function noResultNotice({ state, output, error, crew }: Execution): Notice | undefined {
  if (output !== undefined) return undefined;
  const title = l10n.t("Result");
  const hasNone = l10n.t(
    "The crew ended without an output. Look in {0} for the cause.",
    logOf(crew),
  );
  const isStopped = l10n.t("It was stopped before it was done. Kick off again to start over.");
  if (state === "completed") return { ...info("no result", hasNone), title };
  return state === "stopped" && error === undefined
    ? { ...info("no result", isStopped), title }
    : undefined;
}

function errorNotice(execution: Execution): Notice | undefined {
  const { state, error, tasks, crew } = execution;
  if (!hasEnded(execution) || (error === undefined && state !== "failed")) return undefined;
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
  return { id: "error", kind: "error", title: l10n.t("Error"), lines: [...cause, "", remedy] };
}
