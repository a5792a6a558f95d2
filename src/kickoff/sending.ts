import { CrewApiError } from "../api/errors.ts";
import type { Execution } from "../executions/model.ts";
import type { FormContent } from "./form/content.ts";
import type { Draft, Explanation, Outcome } from "./form/messages.ts";
import type { FormSecrets } from "./callbacks.ts";
import type { SessionOptions } from "./session-options.ts";
import { MaybeStartedError } from "../sending/kickoff.ts";
import { toRequest } from "./form/values.ts";

/** What {@link FormSending} needs of its form. */
export interface SendingOptions extends Pick<SessionOptions, "send"> {
  readonly explain: (error: unknown) => Explanation;
  /** It started what this draft says. */
  readonly onStarted: (execution: Execution, sent: Draft) => void;
  /** It did not start, or nobody knows; {@link FormSending.outcome} says which, and the content is ready for what comes next. */
  readonly onNotStarted: (error: unknown, content: FormContent) => void;
}

/** Sends what a form holds, and knows how the last attempt ended. */
export class FormSending {
  readonly #options: SendingOptions;
  #isUnderWay = false;
  #done: Promise<void> = Promise.resolve();
  #outcome: Outcome | undefined;
  #unconfirmed: Execution | undefined;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** Whether it is being sent. It stays so after a start, for there is nothing left to send. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Settles when the sending under way, if any, has. */
  get done(): Promise<void> {
    return this.#done;
  }

  /** How the last attempt ended, unless it started. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** What may have started; nothing where only its claim is left. */
  get unconfirmed(): Execution | undefined {
    return this.#unconfirmed;
  }

  /** Nothing more is to be told of the last attempt. */
  forgetOutcome(): void {
    this.#outcome = undefined;
  }

  /** An earlier sending of the same draft, before the form was opened, may have started. */
  recall(error: MaybeStartedError): void {
    this.#unconfirmed = error.execution;
    this.#outcome = { kind: "maybeStarted", ...this.#options.explain(error) };
  }

  /** Sends once. @param save puts what is typed on disk, before it leaves */
  begin(content: FormContent, secrets: FormSecrets, save: () => void): void {
    this.#isUnderWay = true;
    this.#outcome = undefined;
    this.#done = this.#send(content, secrets, save);
  }

  async #send(content: FormContent, secrets: FormSecrets, save: () => void): Promise<void> {
    save();
    const { draft } = content;
    let execution: Execution;
    try {
      execution = await this.#options.send(
        toRequest(content.fields, content.values, secrets),
        draft.id,
      );
    } catch (error) {
      this.#isUnderWay = false;
      this.#outcome = this.#outcomeOf(error, content);
      this.#options.onNotStarted(error, content);
      return;
    }
    this.#options.onStarted(execution, draft);
  }

  #outcomeOf(error: unknown, content: FormContent): Outcome {
    const explanation = this.#options.explain(error);
    if (error instanceof MaybeStartedError) {
      this.#unconfirmed = error.execution;
      return { kind: "maybeStarted", ...explanation };
    }
    const missing = error instanceof CrewApiError ? error.missingInputs : [];
    content.require(missing);
    // The next attempt is another kickoff.
    content.renew();
    return { kind: "refused", missing, ...explanation };
  }
}
