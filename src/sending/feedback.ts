import * as l10n from "@vscode/l10n";
import { filledCallbacks } from "../api/callbacks.ts";
import type { CrewClient } from "../api/client.ts";
import { CrewApiError } from "../api/errors.ts";
import { safeUrl } from "../base/loopback.ts";
import type { ResumeAnswer, StatusReading } from "../api/types.ts";
import { type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import { asArray, defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { type Execution, type FlowRequest, hasEnded } from "../executions/model.ts";
import { requestAt, withNextRequest } from "../executions/flow-requests.ts";
import { applyReading } from "../executions/reduce.ts";
import {
  approved,
  asksFor,
  attemptToAnswer,
  resumeAnswered,
  resumeRefused,
  resumeSending,
  resumesOf,
  resumeUnanswered,
  type ResumeTarget,
} from "../executions/resumes.ts";
import { sessionOf } from "../executions/polls.ts";
import {
  buttonsOf,
  isUnsent,
  LostSecretsError,
  MaybeSentError,
  staleByRecord,
  staleError,
  StaleFeedbackError,
  UnknownHostError,
} from "./errors.ts";
import { crewValues } from "../store/crew-values.ts";
import type { SenderParts } from "./senders.ts";

export interface FeedbackToSend {
  /** As the person saw it. */
  readonly execution: Execution;
  readonly taskId: string;
  readonly isApprove: boolean;
  /** Markdown. All of it becomes context for later tasks. May be empty for an approval. */
  readonly text: string;
  /** The person knows that feedback for this output may have been sent, or was accepted. */
  readonly again?: boolean;
  /** The person knows that secrets of callbacks can't be read. */
  readonly withoutSecrets?: boolean;
  /** The person allows to send this crew's answers to this host, from now on. */
  readonly allowedHost?: string;
}

export interface FeedbackResult extends Pick<ResumeAnswer, "kickoffId"> {
  /** If the crew only gives a new ID (observed), what was requested. */
  readonly status: NonNullable<ResumeAnswer["status"]>;
  readonly message: string;
}

type Parts = SenderParts<"status" | "resume" | "answerRequest">;

/**
 * Sends a person's feedback: at most once, across windows, clicks and crashes. Also sends the kickoff's callbacks,
 * which a resume doesn't carry over (specification).
 * @throws {StaleFeedbackError} if that pause is over, CrewApiError or UserError if it certainly
 * had no effect, {@link LostSecretsError} or {@link UnknownHostError} before anything is sent,
 * {@link MaybeSentError} if it may have arrived
 */
export async function sendFeedback(parts: Parts, given: FeedbackToSend): Promise<FeedbackResult> {
  const { store, outbox, clock, crews } = parts;
  const { execution: shown, taskId } = given;
  const { localId } = shown;
  const target: ResumeTarget = { taskId, attempt: attemptToAnswer(shown, taskId) };
  if (hasEnded(shown)) throw staleError("ended", shown, target);
  const client = await crews.client(shown.crew);
  store.refresh();
  outbox.recoverOne(store, tracked(store.find(localId)));
  const current = tracked(store.find(localId));
  const request = requestAt(current, target);
  const isAnswer = request !== undefined || asksFor(current, taskId);
  const text = isAnswer ? answerOf(given, current) : textOf(given);
  refuse(current, given, target);
  const isApprove = isAnswer || given.isApprove;
  const answered = { isApprove, ...(isAnswer && { isAnswer }) };
  const feedback = { ...answered, text, at: new Date(clock.now()).toISOString() };
  let post: (executionId: string) => Promise<ResumeAnswer>;
  if (request !== undefined) {
    allow(parts, given, request);
    post = () => client.answerRequest(request.callbackUrl, text);
  } else {
    await look(parts, client, given, target);
    const { callbacks, lost } = await parts.secrets.complete(tracked(store.find(localId)));
    if (lost.length > 0 && given.withoutSecrets !== true) throw new LostSecretsError(lost);
    const address = await parts.addresses.for(shown.crew, localId);
    post = (executionId) => {
      const request = { executionId, taskId, humanFeedback: text, ...answered, ...callbacks };
      return client.resume(address === undefined ? request : filledCallbacks(request, address));
    };
  }
  const settle = (change: (known: Execution) => Execution) => store.update(localId, change);
  return await outbox.send<string, ResumeAnswer, FeedbackResult>({
    intent: { kind: "resume", localId, ...target },
    record() {
      const recorded = settle((known) => {
        refuse(known, given, target);
        return resumeSending(known, target, feedback);
      });
      return tracked(recorded).kickoffIds.at(-1) ?? "";
    },
    post,
    answered(answer) {
      settle((known) => withNextRequest(resumeAnswered(known, target, answer, clock.now())));
      return resultOf(answer, isApprove);
    },
    refused: (error) =>
      settle((known) => resumeRefused(known, target, textIn(error), { isUnsent: isUnsent(error) })),
    unanswered: (error) => settle((known) => resumeUnanswered(known, target, textIn(error))),
    inDoubt: (error) =>
      new MaybeSentError(
        l10n.t(
          "Your feedback may have been sent: {0} It is not sent again automatically.",
          textIn(error),
        ),
        doubtButtons(shown),
        { cause: error },
      ),
    unrecorded(error) {
      throw new MaybeSentError(
        l10n.t(
          "The crew accepted your feedback, but that could not be recorded here ({0}). Do not send it again.",
          messageOf(error),
        ),
        [],
        { cause: error },
      );
    },
  });
}

/** Without what to do about it: the feedback may have been sent. */
function textIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tracked(execution: Execution | undefined): Execution {
  if (execution !== undefined) return execution;
  throw new StaleFeedbackError(
    "untracked",
    l10n.t("the execution is no longer tracked here. Track it by its ID to see what waits."),
  );
}

/** The address comes with the request, so a person confirms each new host. */
function allow(
  { database }: Parts,
  { execution: { crew }, allowedHost }: FeedbackToSend,
  request: FlowRequest,
): void {
  // If the hosts that were allowed can't be read, the person is asked again.
  const hosts = crewValues(database, "answer hosts", asArray, () => undefined);
  const host = safeUrl(request.callbackUrl)?.host;
  // Sending it fails, and says why.
  if (host === undefined || hosts.get(crew.id)?.includes(host) === true) return;
  if (host !== allowedHost) throw new UnknownHostError(host);
  hosts.change(crew.id, (before = []) => [...before, host]);
}

/** What any window sent for this output before is not sent again unless the person says so. */
function refuse(current: Execution, given: FeedbackToSend, target: ResumeTarget): void {
  const again = isAgreed(given, current, target);
  const stale = staleByRecord(current, given.execution, target, again);
  if (stale !== undefined) throw stale;
  const last = resumesOf(current, target).at(-1);
  if (last?.outcome === "sending")
    throw new MaybeSentError(l10n.t("Feedback for this output is already being sent."));
  if (last?.outcome === "unanswered" && !again)
    throw new MaybeSentError(
      l10n.t(
        "Feedback for this output may have been sent before: no answer arrived. Check the execution; if the feedback did not arrive, send it again.",
      ),
      doubtButtons(current),
    );
  if (current.kickoffIds.length === 0)
    throw new UserError(
      l10n.t(
        "This execution has no ID, because its kickoff was never answered. Feedback needs one.",
      ),
    );
}

/** Only a definite answer prevents sending: a deployed crew's pause reads NOT FOUND. */
async function look(
  parts: Parts,
  client: Pick<CrewClient, "status">,
  given: FeedbackToSend,
  target: ResumeTarget,
): Promise<void> {
  const { store, clock } = parts;
  const { localId } = given.execution;
  const asked = tracked(store.find(localId));
  try {
    const reading = await client.status(asked.kickoffIds.at(-1) ?? "");
    // An answer from before another window's resume doesn't count.
    const answer = { isOvertaken: false };
    const now = store.update(localId, (known) => {
      answer.isOvertaken = sessionOf(known) !== sessionOf(asked);
      return answer.isOvertaken ? known : applyReading(known, reading, clock.now());
    });
    refuse(tracked(now), given, target);
    if (answer.isOvertaken) await look(parts, client, given, target);
    else if (isElsewhere(reading, target.taskId))
      throw staleError("answered", tracked(now), target);
  } catch (error) {
    // Only an answer, or a refused token, is definite.
    if (!(error instanceof CrewApiError) || ["unauthorized", "forbidden"].includes(error.kind))
      throw error;
  }
}

/** Whether the crew is at another task, or at none that waits. Whoever typed the task's ID has seen no output. */
function isElsewhere({ state, waiting }: StatusReading, taskId: string): boolean {
  return state === "running" || (waiting !== undefined && waiting.taskId !== taskId);
}

/** Whether the person wants it sent again, knowing all that any window sent for this output. */
function isAgreed(
  { again, execution }: FeedbackToSend,
  now: Execution,
  target: ResumeTarget,
): boolean {
  return again === true && resumesOf(now, target).length === resumesOf(execution, target).length;
}

function answerOf({ text }: FeedbackToSend, { waiting }: Execution): string {
  if (text.trim() !== "") return text;
  const options = (waiting?.options ?? []).map(shortName);
  throw new UserError(
    options.length === 0
      ? l10n.t("Enter your answer: the flow continues with it.")
      : l10n.t("Enter your answer, such as: {0}.", options.join(", ")),
  );
}

function textOf({ isApprove, text }: FeedbackToSend): string {
  if (text.trim() !== "") return text;
  if (isApprove) return approved;
  throw new UserError(
    l10n.t("Enter what should be different: the task runs again with your feedback."),
  );
}

function doubtButtons(execution: Execution): readonly ErrorAction[] {
  const { open, again } = buttonsOf(execution);
  return [open, again];
}

function resultOf(answer: ResumeAnswer, isApprove: boolean): FeedbackResult {
  const { kickoffId, status = isApprove ? "resumed" : "retrying" } = answer;
  const fallback = kickoffId ? l10n.t("The execution continues as {0}.", kickoffId) : status;
  return { status, message: answer.message ?? fallback, ...defined({ kickoffId }) };
}
