import * as l10n from "@vscode/l10n";
import { filledCallbacks } from "../api/callbacks.ts";
import type { CrewClient } from "../api/client.ts";
import { CrewApiError } from "../api/errors.ts";
import { safeUrl } from "../base/loopback.ts";
import type { ResumeAnswer, StatusReading } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import { type ErrorAction, messageOf, UserError, type ProblemLog } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import {
  type CrewRef,
  type Execution,
  type Feedback,
  type FlowRequest,
  hasEnded,
} from "../executions/model.ts";
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
import type { ExecutionStore } from "../executions/store.ts";
import { sessionOf } from "../executions/polls.ts";
import {
  buttonsOf,
  hadNoEffect,
  isUnsent,
  LostSecretsError,
  MaybeSentError,
  StaleFeedbackError,
  UnknownHostError,
} from "./errors.ts";
import type { AnswerHosts } from "./answer-hosts.ts";
import type { CallbackAddresses } from "./kickoff.ts";
import type { CallbackSecrets } from "./secrets.ts";
import type { Outbox } from "./outbox.ts";
import { staleByRecord, staleError } from "./stale.ts";

interface FeedbackSenderOptions {
  readonly store: Pick<ExecutionStore, "find" | "refresh" | "update">;
  readonly outbox: Pick<Outbox, "send" | "settle" | "recoverOne">;
  readonly secrets: Pick<CallbackSecrets, "complete">;
  readonly addresses: CallbackAddresses;
  readonly clock: Clock;
  readonly hosts: Pick<AnswerHosts, "has" | "add">;
  readonly crews: {
    client(crew: CrewRef): Promise<Pick<CrewClient, "status" | "resume" | "answerRequest">>;
  };
  readonly poll: (localId: string) => void;
  /** For what could not be recorded, when the person gets another message. */
  readonly log: ProblemLog;
}

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

/** Sends a person's feedback: at most once, across windows, clicks and crashes. */
export class FeedbackSender {
  readonly #options: FeedbackSenderOptions;

  constructor(options: FeedbackSenderOptions) {
    this.#options = options;
  }

  /**
   * Also sends the kickoff's callbacks, which a resume doesn't carry over (specification).
   * @throws {StaleFeedbackError} if that pause is over, CrewApiError or UserError if it certainly
   * had no effect, {@link LostSecretsError} or {@link UnknownHostError} before anything is sent,
   * {@link MaybeSentError} if it may have arrived
   */
  async send(given: FeedbackToSend): Promise<FeedbackResult> {
    const { store, outbox, secrets, addresses, clock, crews } = this.#options;
    const { execution: shown, taskId, isApprove } = given;
    const { localId } = shown;
    const target: ResumeTarget = { taskId, attempt: attemptToAnswer(shown, taskId) };
    if (hasEnded(shown)) throw staleError("ended", shown, target);
    const client = await crews.client(shown.crew);

    store.refresh();
    outbox.recoverOne(store, this.#current(localId));
    const current = this.#current(localId);
    const request = requestAt(current, target);
    const isAnswer = request !== undefined || asksFor(current, taskId);
    const text = isAnswer ? answerOf(given, current) : textOf(given);
    this.#refuse(current, given, target);
    const at = new Date(clock.now()).toISOString();
    const feedback: Feedback = isAnswer
      ? { isApprove: true, isAnswer, text, at }
      : { isApprove, text, at };
    let post: (executionId: string) => Promise<ResumeAnswer>;
    if (request !== undefined) {
      this.#allow(given, request);
      post = () => client.answerRequest(request.callbackUrl, text);
    } else {
      await this.#look(client, given, target);
      const { callbacks, lost } = await secrets.complete(this.#current(localId));
      if (lost.length > 0 && given.withoutSecrets !== true) throw new LostSecretsError(lost);
      const address = await addresses.for(shown.crew, localId);
      const said = {
        humanFeedback: text,
        isApprove: feedback.isApprove,
        ...(isAnswer && { isAnswer }),
      };
      post = (executionId) => {
        const request = { executionId, taskId, ...said, ...callbacks };
        return client.resume(address === undefined ? request : filledCallbacks(request, address));
      };
    }
    return await outbox.send(
      { kind: "resume", localId, ...target },
      () => this.#record(given, target, feedback),
      async (executionId) => {
        const answer = await this.#post(() => post(executionId), localId, target);
        return resultOf(answer, feedback.isApprove);
      },
    );
  }

  #current(localId: string): Execution {
    const current = this.#options.store.find(localId);
    if (current === undefined) throw untracked();
    return current;
  }

  /** The address comes with the request, so a person confirms each new host. */
  #allow({ execution: { crew }, allowedHost }: FeedbackToSend, request: FlowRequest): void {
    const { hosts } = this.#options;
    const host = safeUrl(request.callbackUrl)?.host;
    // Sending it fails, and says why.
    if (host === undefined || hosts.has(crew.id, host)) return;
    if (host !== allowedHost) throw new UnknownHostError(host);
    hosts.add(crew.id, host);
  }

  /** What any window sent for this output before is not sent again unless the person says so. */
  #refuse(current: Execution, given: FeedbackToSend, target: ResumeTarget): void {
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
  async #look(
    client: Pick<CrewClient, "status">,
    given: FeedbackToSend,
    target: ResumeTarget,
  ): Promise<void> {
    const { store, clock } = this.#options;
    const { execution: shown, taskId } = given;
    const asked = this.#current(shown.localId);
    try {
      const reading = await client.status(asked.kickoffIds.at(-1) ?? "");
      // An answer from before another window's resume doesn't count.
      const answer = { isOvertaken: false };
      const now = store.update(shown.localId, (known) => {
        answer.isOvertaken = sessionOf(known) !== sessionOf(asked);
        return answer.isOvertaken ? known : applyReading(known, reading, clock.now());
      });
      if (now === undefined) throw untracked();
      this.#refuse(now, given, target);
      if (answer.isOvertaken) await this.#look(client, given, target);
      else if (isElsewhere(reading, taskId)) throw staleError("answered", now, target);
    } catch (error) {
      // Only an answer, or a refused token, is definite.
      if (!(error instanceof CrewApiError) || ["unauthorized", "forbidden"].includes(error.kind))
        throw error;
    }
  }

  /** Runs in the transaction that allows sending, on the newest state. @returns the ID to resume */
  #record(given: FeedbackToSend, target: ResumeTarget, feedback: Feedback): string {
    const recorded = this.#options.store.update(given.execution.localId, (known) => {
      this.#refuse(known, given, target);
      return resumeSending(known, target, feedback);
    });
    const id = recorded?.kickoffIds.at(-1);
    if (id === undefined) throw untracked();
    return id;
  }

  async #post(
    post: () => Promise<ResumeAnswer>,
    localId: string,
    target: ResumeTarget,
  ): Promise<ResumeAnswer> {
    const { store, outbox, clock, poll, log } = this.#options;
    const settle = (change: (known: Execution) => Execution) =>
      outbox.settle({ kind: "resume", localId, ...target }, () => store.update(localId, change));
    const answer = await post().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const isRefused = hadNoEffect(error);
      let recorded: Execution | undefined;
      try {
        recorded = settle((known) =>
          isRefused
            ? resumeRefused(known, target, message, { isUnsent: isUnsent(error) })
            : resumeUnanswered(known, target, message),
        );
      } catch (problem) {
        // It stays "sending", which recovery turns into "unanswered".
        log.problem("What became of feedback could not be recorded.", problem);
      }
      poll(localId);
      if (isRefused) throw error;
      throw new MaybeSentError(
        l10n.t(
          "Your feedback may have been sent: {0} It is not sent again automatically.",
          message,
        ),
        recorded && doubtButtons(recorded),
        { cause: error },
      );
    });
    try {
      settle((known) => withNextRequest(resumeAnswered(known, target, answer, clock.now())));
      return answer;
    } catch (error) {
      throw new MaybeSentError(
        l10n.t(
          "The crew accepted your feedback, but that could not be recorded here ({0}). Do not send it again.",
          messageOf(error),
        ),
        [],
        { cause: error },
      );
    } finally {
      poll(localId);
    }
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

function untracked(): StaleFeedbackError {
  return new StaleFeedbackError(
    "untracked",
    l10n.t("the execution is no longer tracked here. Track it by its ID to see what waits."),
  );
}

function resultOf(answer: ResumeAnswer, isApprove: boolean): FeedbackResult {
  const { kickoffId, status = isApprove ? "resumed" : "retrying" } = answer;
  const fallback = kickoffId ? l10n.t("The execution continues as {0}.", kickoffId) : status;
  return { status, message: answer.message ?? fallback, ...defined({ kickoffId }) };
}
