import * as l10n from "@vscode/l10n";
import type { CrewClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import { CrewApiError } from "../api/errors.ts";
import type { ResumeAnswer } from "../api/types.ts";
import { type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import type { Intents } from "./sends.ts";
import {
  type CrewRef,
  type Execution,
  type Feedback,
  hasEnded,
  keyOf,
} from "../executions/model.ts";
import { applyReading } from "../executions/reduce.ts";
import {
  attemptToAnswer,
  resumeAnswered,
  resumeRefused,
  resumeSending,
  resumesOf,
  resumeUnanswered,
  type ResumeTarget,
} from "../executions/resumes.ts";
import type { CallbackSecrets } from "./secrets.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { claimResume } from "./claim.ts";
import { LostSecretsError, MaybeSentError, StaleFeedbackError } from "./errors.ts";
import { isUnsent } from "./not-taken.ts";
import { staleByAnswer, staleByRecord, staleError } from "./stale.ts";

/** What is sent as the words of an approval without any: the specification asks for some, and later tasks read them. */
export const approved = "Approved.";

/** What a {@link FeedbackSender} works with. */
export interface FeedbackSenderOptions {
  readonly store: Pick<ExecutionStore, "find" | "refresh" | "update">;
  readonly intents: Pick<Intents, "all" | "claim" | "release">;
  /** Secrets of the kickoff's callbacks. */
  readonly secrets: Pick<CallbackSecrets, "complete">;
  readonly clock: Clock;
  readonly clientFor: (crew: CrewRef) => Pick<CrewClient, "status" | "resume">;
  /** Asks for the next status soon. */
  readonly poll: (localId: string) => void;
  /** Hears of what could not be written down where the person is told something else. */
  readonly onProblem: (message: string, error: unknown) => void;
}

/** What a person says of one output. */
export interface FeedbackToSend {
  /** The execution as the person saw it: what waits in it is what the feedback is for. */
  readonly execution: Execution;
  readonly taskId: string;
  readonly isApprove: boolean;
  /** Markdown. All of it becomes context for later tasks. An approval may be without words. */
  readonly text: string;
  /** The person knows that feedback for this output may have been sent, or was taken by the crew, and wants this sent all the same. */
  readonly again?: boolean;
  /** The person knows that secrets of callbacks do not read back, and wants it sent without them. */
  readonly withoutSecrets?: boolean;
}

/** What the crew answered. */
export interface FeedbackResult {
  /** `resumed`, `retrying` or `completed` (specification); where a crew only gives a new id (observed), what was asked for. */
  readonly status: "resumed" | "retrying" | "completed";
  readonly message: string;
  /** The id under which the execution goes on, where it changed. */
  readonly kickoffId?: string;
}

/** Sends a person's feedback to a crew: at most once, whatever windows, clicks and crashes there are. */
export class FeedbackSender {
  readonly #options: FeedbackSenderOptions;

  constructor(options: FeedbackSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends feedback once. The callbacks of the kickoff go with it, since a resume does not carry them over (specification).
   * Throws {@link StaleFeedbackError} when that pause is over, CrewApiError or UserError when it certainly was not taken,
   * {@link LostSecretsError} before anything is sent when the callbacks' secrets do not read back, {@link MaybeSentError} when it
   * may have arrived.
   */
  async send(feedback: FeedbackToSend): Promise<FeedbackResult> {
    const { store, poll, clientFor } = this.#options;
    const { execution: shown, taskId } = feedback;
    const target: ResumeTarget = { taskId, attempt: attemptToAnswer(shown, taskId) };
    if (hasEnded(shown)) throw staleError("ended", shown, target);
    const words = wordsOf(feedback);
    const { localId } = shown;
    const client = clientFor(shown.crew);
    await store.refresh();
    this.#refuse(this.#current(localId), shown, target, feedback.again === true);
    await this.#look(client, shown, target, feedback.again === true);
    const current = this.#current(localId);
    const executionId = current.kickoffIds.at(-1);
    if (executionId === undefined)
      throw new UserError(
        l10n.t(
          "This execution has no ID yet: the answer to its kickoff never came. Feedback needs one.",
        ),
      );
    this.#refuse(current, shown, target, feedback.again === true);
    const { callbacks, lost } = await this.#options.secrets.complete(current);
    if (lost.length > 0 && feedback.withoutSecrets !== true) throw new LostSecretsError(lost);
    const noted: Feedback = {
      isApprove: feedback.isApprove,
      text: words,
      at: new Date(this.#options.clock.now()).toISOString(),
    };
    const key = await claimResume(this.#options, current, target, noted, feedback.again === true);
    if (
      (await this.#note(key, () =>
        store.update(localId, (known) => resumeSending(known, target, noted)),
      )) === undefined
    ) {
      await this.#options.intents.release(key);
      throw untracked();
    }
    const answer = await this.#post(client, key, localId, target, {
      executionId,
      taskId,
      humanFeedback: words,
      isApprove: feedback.isApprove,
      ...callbacks,
    });
    try {
      const now = this.#options.clock.now();
      await store.update(localId, (known) => resumeAnswered(known, target, answer, now));
    } catch (error) {
      // It was taken; whoever hears of a failure must not take it for unsent words.
      throw new MaybeSentError(
        l10n.t(
          "The crew took your feedback, but that could not be written down here ({0}). Do not send it again.",
          messageOf(error),
        ),
        error,
      );
    } finally {
      poll(localId);
    }
    return resultOf(answer, feedback.isApprove);
  }

  #current(localId: string): Execution {
    const current = this.#options.store.find(localId);
    if (current === undefined) throw untracked();
    return current;
  }

  /** What was sent for this output before, here or in another window, is not sent a second time unless the person says so. */
  #refuse(current: Execution, shown: Execution, target: ResumeTarget, again: boolean): void {
    const stale = staleByRecord(current, shown, target, again);
    if (stale !== undefined) throw stale;
    const last = resumesOf(current, target).at(-1);
    if (last?.outcome === "sending")
      throw new MaybeSentError(l10n.t("Feedback for this output is being sent right now."));
    if (last?.outcome === "unanswered" && !again) {
      throw new MaybeSentError(
        l10n.t(
          "Feedback for this output may have been sent before: no answer came. Look at the execution whether it arrived; if it did not, send that again.",
        ),
        undefined,
        waysOn(current),
      );
    }
  }

  /** Looks whether the task still waits. Only a definite answer is a reason not to send: a deployed crew's pause reads NOT FOUND. */
  async #look(
    client: Pick<CrewClient, "status">,
    shown: Execution,
    target: ResumeTarget,
    again: boolean,
  ): Promise<void> {
    const { store, clock } = this.#options;
    const id = this.#current(shown.localId).kickoffIds.at(-1);
    if (id === undefined) return;
    try {
      const reading = await client.status(id);
      const now = await store.update(shown.localId, (known) =>
        applyReading(known, reading, clock.now()),
      );
      const stale = staleByAnswer(
        reading,
        now ?? this.#current(shown.localId),
        shown,
        target,
        again,
      );
      if (stale !== undefined) throw stale;
    } catch (error) {
      const isIndefinite =
        error instanceof CrewApiError &&
        error.kind !== "unauthorized" &&
        error.kind !== "forbidden";
      if (!isIndefinite) throw error;
    }
  }

  /** Without a record nothing is sent: the claim is given back when the record cannot be written. */
  async #note<T>(key: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      await this.#options.intents.release(key);
      throw error;
    }
  }

  async #post(
    client: Pick<CrewClient, "resume">,
    key: string,
    localId: string,
    target: ResumeTarget,
    request: Parameters<CrewClient["resume"]>[0],
  ): Promise<ResumeAnswer> {
    const { store, intents, poll, onProblem } = this.#options;
    try {
      return await client.resume(request);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      poll(localId);
      if (isCertainlyNotTaken(error)) {
        // The refusal is what the person must hear. A record that stays "sending" is settled by recovery, as its claim is gone.
        const unwritten = (problem: unknown) =>
          onProblem("A refusal of feedback could not be written down.", problem);
        await store
          .update(localId, (known) =>
            resumeRefused(known, target, message, { isUnsent: isUnsent(error) }),
          )
          .catch(unwritten);
        await intents.release(key).catch(unwritten);
        throw error;
      }
      // A record that can't be written stays "sending", which recovery turns into "unanswered".
      const noted = await store
        .update(localId, (known) => resumeUnanswered(known, target, message))
        .catch(() => undefined);
      throw new MaybeSentError(
        l10n.t("Your feedback may have been sent: {0} It is not sent again by itself.", message),
        error,
        noted && waysOn(noted),
      );
    }
  }
}

/** The words to send. An approval without any says so in one word, since some crews want some. */
function wordsOf({ isApprove, text }: FeedbackToSend): string {
  if (text.trim() !== "") return text;
  if (isApprove) return approved;
  throw new UserError(
    l10n.t("Say what should be different: the task is done again with your words."),
  );
}

/** What a person can do where feedback may have arrived: look first, and send it again knowingly. */
function waysOn(execution: Execution): readonly ErrorAction[] {
  const target = { kind: "maybeSent", crew: execution.crew.id, kickoffId: keyOf(execution) };
  return [
    { title: l10n.t("Open Execution"), command: "crewdeck.openExecution", arguments: [target] },
    { title: l10n.t("Send Again…"), command: "crewdeck.sendAgain", arguments: [target] },
  ];
}

function untracked(): StaleFeedbackError {
  return new StaleFeedbackError(
    "untracked",
    l10n.t("the execution is no longer tracked here. Track it by its ID to see what waits."),
  );
}

/** A crew's definite refusal, or an error from before the request, such as a missing token. */
function isCertainlyNotTaken(error: unknown): boolean {
  return error instanceof CrewApiError ? error.sent === "no" : error instanceof UserError;
}

function resultOf(
  { status, message, kickoffId }: ResumeAnswer,
  isApprove: boolean,
): FeedbackResult {
  const said = status ?? (isApprove ? "resumed" : "retrying");
  const fallback =
    kickoffId === undefined ? said : l10n.t("The execution goes on as {0}.", kickoffId);
  return {
    status: said,
    message: message ?? fallback,
    ...(kickoffId === undefined ? {} : { kickoffId }),
  };
}
