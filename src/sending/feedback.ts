import * as l10n from "@vscode/l10n";
import { filledCallbacks } from "../api/callbacks.ts";
import type { CrewClient } from "../api/client.ts";
import { CrewApiError } from "../api/errors.ts";
import type { ResumeAnswer, StopAnswer } from "../api/types.ts";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { asArray, defined } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { requestAt, withNextRequest } from "../executions/flow-requests.ts";
import {
  type Execution,
  type FlowRequest,
  hasEnded,
  type StopRequest,
  without,
} from "../executions/model.ts";
import { sessionOf } from "../executions/poller.ts";
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
import { crewValues } from "../store/crew-values.ts";
import {
  againButtons,
  LostSecretsError,
  MaybeSentError,
  staleByRecord,
  staleError,
  StaleFeedbackError,
  UnknownHostError,
} from "./errors.ts";
import type { SenderParts } from "./senders.ts";

export interface FeedbackToSend {
  readonly execution: Execution;
  readonly taskId: string;
  readonly isApprove: boolean;
  /** Markdown. All of it becomes context for later tasks. May be empty for an approval. */
  readonly text: string;
  readonly isForRun?: boolean;
  /** The person knows that feedback for this output may have been sent, or was accepted. */
  readonly again?: boolean;
  /** The person knows that secrets of callbacks can't be read. */
  readonly withoutSecrets?: boolean;
  /** The person allows to send this crew's answers to this host, from now on. */
  readonly allowedHost?: string;
}

export interface FeedbackResult {
  /** If the crew only gives a new ID (observed), what was requested. */
  readonly status: NonNullable<ResumeAnswer["status"]>;
  readonly message: string;
  readonly kickoffId?: string;
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
  const client = await crews.client(shown.crew);
  store.refresh();
  outbox.recoverOne(store, tracked(store.find(localId)));
  const current = tracked(store.find(localId));
  const request = requestAt(current, target);
  const isAnswer = request !== undefined || asksFor(current, taskId);
  const isApprove = isAnswer || given.isApprove;
  const text = given.text.trim() === "" && isApprove && !isAnswer ? approved : given.text;
  if (text.trim() === "")
    throw new UserError(l10n.t("Nothing was sent. Enter what the crew continues with."));
  refuse(current, given, target);
  const answered = {
    ...{ isApprove, ...(isAnswer && { isAnswer }) },
    ...(given.isForRun === true && { isForRun: true as const }),
  };
  const isCall = shown.waiting?.call !== undefined && { isCall: true as const };
  const feedback = { ...answered, ...isCall, text, at: new Date(clock.now()).toISOString() };
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
      const { kickoffId, status = isApprove ? "resumed" : "retrying", message = status } = answer;
      return { status, message, ...defined({ kickoffId }) };
    },
    refused: (error) => settle((known) => resumeRefused(known, target, textIn(error))),
    unanswered: (error) => settle((known) => resumeUnanswered(known, target, textIn(error))),
    inDoubt: (error) =>
      new MaybeSentError(
        l10n.t(
          "Your feedback may have been sent: {0} It is not sent again automatically.",
          textIn(error),
        ),
        againButtons(shown),
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
    l10n.t("The execution is no longer tracked here. Nothing was sent."),
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

/** What any window sent for this output before is not sent again unless the person, knowing all of it, says so. */
function refuse(current: Execution, given: FeedbackToSend, target: ResumeTarget): void {
  const { execution: shown } = given;
  const sent = resumesOf(current, target);
  const again = given.again === true && sent.length === resumesOf(shown, target).length;
  const stale = staleByRecord(current, shown, target, again);
  if (stale !== undefined) throw stale;
  const last = sent.at(-1)?.outcome;
  if (last === "sending" || (last === "unanswered" && !again))
    throw new MaybeSentError(
      l10n.t(
        "Feedback for this output may have been sent before: there is no answer yet. Check the execution; if the feedback did not arrive, send it again.",
      ),
      againButtons(current),
    );
  newestId(current);
}

/** @throws UserError if its kickoff was never answered */
function newestId({ kickoffIds }: Execution): string {
  const id = kickoffIds.at(-1);
  if (id !== undefined) return id;
  throw new UserError(
    l10n.t("This execution has no ID, because its kickoff was never answered. Nothing was sent."),
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
    const reading = await client.status(newestId(asked));
    // An answer from before another window's resume doesn't count.
    const answer = { isOvertaken: false };
    const now = store.update(localId, (known) => {
      answer.isOvertaken = sessionOf(known) !== sessionOf(asked);
      return answer.isOvertaken ? known : applyReading(known, reading, clock.now());
    });
    refuse(tracked(now), given, target);
    const { state, waiting } = reading;
    // At another task, or at none that waits. Whoever typed the task's ID has seen no output.
    const isElsewhere = state === "running" || (waiting ?? target).taskId !== target.taskId;
    if (answer.isOvertaken) await look(parts, client, given, target);
    else if (isElsewhere) throw staleError(tracked(now), target.taskId);
  } catch (error) {
    // Only an answer, or a refused token, is definite.
    if (!(error instanceof CrewApiError) || ["unauthorized", "forbidden"].includes(error.kind))
      throw error;
  }
}

/**
 * Asks a crew to stop an execution: one request at a time across windows, and never again on its own.
 * @throws {NothingToDo} if it has ended, CrewApiError or UserError if the request certainly had no effect,
 * {@link MaybeSentError} if it may have arrived
 */
export async function sendStop(
  { store, outbox, clock, crews }: SenderParts<"stop">,
  { localId, crew }: Pick<Execution, "localId" | "crew">,
): Promise<StopAnswer> {
  const client = await crews.client(crew);
  store.refresh();
  const current = store.find(localId);
  if (current !== undefined) outbox.recoverOne(store, current);
  const intent = { kind: "stop", localId } as const;
  const at = new Date(clock.now()).toISOString();
  const settle = (outcome: StopRequest["outcome"]) =>
    store.update(localId, (known) => ({ ...known, stop: { at, outcome } }));
  return await outbox.send<string, StopAnswer, StopAnswer>({
    intent,
    record() {
      const known = store.find(localId);
      if (known === undefined || hasEnded(known))
        throw new NothingToDo(l10n.t("The execution has ended or is no longer tracked here."));
      const id = newestId(known);
      if (outbox.isUnderWay(intent))
        throw new UserError(l10n.t("The request to stop this execution is already being sent."));
      settle("sending");
      return id;
    },
    post: (id) => client.stop(id),
    answered: (answer) => (settle("answered"), answer),
    refused: () => store.update(localId, (known) => without(known, "stop")),
    unanswered: () => settle("unanswered"),
    inDoubt: (error) =>
      new MaybeSentError(
        l10n.t(
          "The request to stop may have arrived: {0} The execution's state shows whether it stopped.",
          messageOf(error),
        ),
        [],
        { cause: error },
      ),
    // It is recorded as unanswered after the next poll, and the state shows whether it stopped.
    unrecorded: (_, answer) => answer,
  });
}
