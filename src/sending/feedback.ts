import * as l10n from "@vscode/l10n";
import type { CrewClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import { CrewApiError } from "../api/errors.ts";
import type { ResumeAnswer } from "../api/types.ts";
import { type ErrorAction, messageOf, UserError } from "../base/errors.ts";
import {
  type CrewRef,
  type Execution,
  type Feedback,
  hasEnded,
  keyOf,
} from "../executions/model.ts";
import { applyReading } from "../executions/reduce.ts";
import {
  approved,
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
import {
  isCertainlyNotTaken,
  LostSecretsError,
  MaybeSentError,
  StaleFeedbackError,
} from "./errors.ts";
import { isUnsent } from "./not-taken.ts";
import { recoverResumes } from "./recover.ts";
import type { Sends } from "./sends.ts";
import { staleByAnswer, staleByRecord, staleError } from "./stale.ts";

/** What a {@link FeedbackSender} works with. */
export interface FeedbackSenderOptions {
  readonly store: Pick<ExecutionStore, "find" | "refresh" | "update">;
  readonly sends: Pick<Sends, "once" | "settle" | "settleLost">;
  /** Secrets of the kickoff's callbacks. */
  readonly secrets: Pick<CallbackSecrets, "complete">;
  readonly clock: Clock;
  readonly clientFor: (crew: CrewRef) => Pick<CrewClient, "status" | "resume">;
  /** Asks for the next status soon. */
  readonly poll: (localId: string) => void;
  /** Gets what could not be recorded where the person learns something else. */
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
  async send(given: FeedbackToSend): Promise<FeedbackResult> {
    const { store, sends, secrets, clock, clientFor } = this.#options;
    const { execution: shown, taskId, isApprove } = given;
    const { localId } = shown;
    const target: ResumeTarget = { taskId, attempt: attemptToAnswer(shown, taskId) };
    if (hasEnded(shown)) throw staleError("ended", shown, target);
    const text = textOf(given);
    const client = clientFor(shown.crew);

    store.refresh();
    recoverResumes({ store, sends }, this.#current(localId));
    this.#refuse(this.#current(localId), given, target);
    await this.#look(client, given, target);
    const { callbacks, lost } = await secrets.complete(this.#current(localId));
    if (lost.length > 0 && given.withoutSecrets !== true) throw new LostSecretsError(lost);

    const feedback: Feedback = { isApprove, text, at: new Date(clock.now()).toISOString() };
    return await sends.once(
      { kind: "resume", localId, ...target },
      () => this.#record(given, target, feedback),
      async (executionId) => {
        const request = { executionId, taskId, humanFeedback: text, isApprove, ...callbacks };
        const answer = await this.#post(client, request, localId, target);
        this.#recordAnswer(answer, localId, target);
        return resultOf(answer, isApprove);
      },
    );
  }

  #current(localId: string): Execution {
    const current = this.#options.store.find(localId);
    if (current === undefined) throw untracked();
    return current;
  }

  /** What was sent for this output before, here or in another window, is not sent a second time unless the person says so. */
  #refuse(
    current: Execution,
    { execution: shown, again }: FeedbackToSend,
    target: ResumeTarget,
  ): void {
    const stale = staleByRecord(current, shown, target, again === true);
    if (stale !== undefined) throw stale;
    const last = resumesOf(current, target).at(-1);
    if (last?.outcome === "sending")
      throw new MaybeSentError(l10n.t("Feedback for this output is being sent right now."));
    if (last?.outcome === "unanswered" && again !== true) {
      throw new MaybeSentError(
        l10n.t(
          "Feedback for this output may have been sent before: no answer came. Look at the execution whether it arrived; if it did not, send that again.",
        ),
        undefined,
        waysOn(current),
      );
    }
    if (current.kickoffIds.length === 0)
      throw new UserError(
        l10n.t(
          "This execution has no ID yet: the answer to its kickoff never came. Feedback needs one.",
        ),
      );
  }

  /** Looks whether the task still waits. Only a definite answer is a reason not to send: a deployed crew's pause reads NOT FOUND. */
  async #look(
    client: Pick<CrewClient, "status">,
    { execution: shown, again }: FeedbackToSend,
    target: ResumeTarget,
  ): Promise<void> {
    const { store, clock } = this.#options;
    const id = this.#current(shown.localId).kickoffIds.at(-1);
    if (id === undefined) return;
    try {
      const reading = await client.status(id);
      const now = store.update(shown.localId, (known) => applyReading(known, reading, clock.now()));
      if (now === undefined) throw untracked();
      const stale = staleByAnswer(reading, now, shown, target, again === true);
      if (stale !== undefined) throw stale;
    } catch (error) {
      const isIndefinite =
        error instanceof CrewApiError &&
        error.kind !== "unauthorized" &&
        error.kind !== "forbidden";
      if (!isIndefinite) throw error;
    }
  }

  /** Runs in the transaction that allows the feedback to leave, on the newest state, whichever window wrote it. @returns the id to resume */
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
    client: Pick<CrewClient, "resume">,
    request: Parameters<CrewClient["resume"]>[0],
    localId: string,
    target: ResumeTarget,
  ): Promise<ResumeAnswer> {
    try {
      return await client.resume(request);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isRefused = isCertainlyNotTaken(error);
      const recorded = this.#settle(localId, target, (known) =>
        isRefused
          ? resumeRefused(known, target, message, { isUnsent: isUnsent(error) })
          : resumeUnanswered(known, target, message),
      );
      this.#options.poll(localId);
      if (isRefused) throw error;
      throw new MaybeSentError(
        l10n.t("Your feedback may have been sent: {0} It is not sent again by itself.", message),
        error,
        recorded && waysOn(recorded),
      );
    }
  }

  /** Records what became of feedback that the crew did not take for sure. The person must learn that in any case; what can't be recorded stays "sending", which recovery turns into "unanswered". */
  #settle(
    localId: string,
    target: ResumeTarget,
    change: (known: Execution) => Execution,
  ): Execution | undefined {
    const { store, sends, onProblem } = this.#options;
    try {
      return sends.settle({ kind: "resume", localId, ...target }, () =>
        store.update(localId, change),
      );
    } catch (error) {
      onProblem("What became of feedback could not be recorded.", error);
      return undefined;
    }
  }

  #recordAnswer(answer: ResumeAnswer, localId: string, target: ResumeTarget): void {
    const { store, sends, clock, poll } = this.#options;
    try {
      sends.settle({ kind: "resume", localId, ...target }, () =>
        store.update(localId, (known) => resumeAnswered(known, target, answer, clock.now())),
      );
    } catch (error) {
      // It was taken: the person must not think that it was not sent.
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
  }
}

/** The text to send. An approval without any says so in one word, since some crews want some. */
function textOf({ isApprove, text }: FeedbackToSend): string {
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
