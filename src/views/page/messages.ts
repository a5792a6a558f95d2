import type { ExecutionState, TaskSummary } from "../../executions/model.ts";
import type { Action } from "../../view/actions.ts";
import type { Fact } from "../../view/words.ts";
import type { TimelineView } from "../timeline/messages.ts";
import type { FromPage } from "./parse.ts";

export type { FromPage };

/** A text of the crew or of a person, as the page shows it. */
export interface Content {
  /** `json` is formatted; `text` keeps its lines. */
  readonly kind: "markdown" | "json" | "text";
  readonly text: string;
  /** The size of the whole output, of which the text is the beginning. */
  readonly cutFrom?: string;
}

export interface Notice {
  readonly id: string;
  readonly kind: "info" | "warning" | "error";
  /** Markdown. */
  readonly text: string;
}

/** A tool call with the thought before it, a thought that led to none, or a picture. */
export interface PageStep {
  /** Of its span in the timeline. */
  readonly id: string;
  readonly title: string;
  readonly isTool: boolean;
  readonly state: "running" | "completed" | "failed" | "interrupted";
  /** Its duration. */
  readonly facts: string;
  /** It can be opened. */
  readonly hasPicture?: true;
  readonly thought?: string;
  readonly arguments?: string;
  readonly result?: string;
  readonly error?: string;
}

interface GivenFeedback {
  readonly title: string;
  readonly kind: "approved" | "rejected" | "answered";
  readonly content: Content;
  /** Markdown. */
  readonly outcome: string;
}

export interface AttemptCard {
  readonly number: number;
  /** Without an output: the crew has not returned it. */
  readonly content?: Content;
  /** The earlier attempt that can be compared with it. */
  readonly previous?: number;
  /** Its output is shown above, where it is answered. */
  readonly isInReview: boolean;
  /** What became of a flow's request. */
  readonly note?: string;
  readonly feedback: readonly GivenFeedback[];
  /** Feedback that was typed and not sent before this attempt stopped waiting. */
  readonly oldDraft?: string;
  readonly steps: readonly PageStep[];
  /** Steps before these, which are not shown. */
  readonly hiddenSteps: number;
}

export interface TaskCard {
  readonly taskId: string;
  readonly name: string;
  readonly agent?: string;
  readonly state: TaskSummary["state"] | "interrupted";
  readonly stateLabel: string;
  /** Duration, tokens. */
  readonly facts: readonly string[];
  readonly attempts: readonly AttemptCard[];
  /** Its output comes with the end. */
  readonly note?: string;
}

/** The output that waits, or the rejected one whose next attempt is awaited. */
export interface Review {
  readonly taskId: string;
  readonly name: string;
  readonly attempt: number;
  readonly agent?: string;
  readonly content?: Content;
  /** `again`: rejected, and the task runs again. */
  readonly status: "waits" | "sending" | "unanswered" | "answered" | "again";
  /** Markdown; what a flow asks, or what happened to the feedback. */
  readonly note?: string;
  readonly action?: Action;
  /** A flow asks: the answers that it names, maybe none. */
  readonly answers?: readonly { readonly label: string; readonly text: string }[];
  /** Where feedback goes, and what it does. */
  readonly goesTo: string;
  /** The stored draft of the feedback. */
  readonly draft: string;
  /** The newest keystroke that the draft has, or when it was changed elsewhere (milliseconds since 1970). */
  readonly draftNumber: number;
}

export interface PageModel {
  readonly title: string;
  readonly crew: string;
  readonly state: ExecutionState | "interrupted";
  readonly stateLabel: string;
  /** Progress, the task under way. */
  readonly facts: readonly string[];
  /** For screen readers, when it changes. */
  readonly spoken: string;
  /** How long it took, or since when it runs (milliseconds since 1970). */
  readonly elapsed?: string | number;
  /** Tokens, estimated cost. */
  readonly use: readonly string[];
  readonly actions: readonly Action[];
  readonly notices: readonly Notice[];
  readonly review?: Review;
  readonly result?: Content;
  readonly tasks: readonly TaskCard[];
  /** How many tasks follow that the crew has not named yet. */
  readonly toCome?: string;
  readonly inputs: readonly { readonly name: string; readonly value: Content }[];
  /** In place of inputs. */
  readonly noInputs?: string;
  readonly details: readonly Fact[];
}

export type ToPage =
  /** Before the model that it belongs to. */
  | { readonly type: "timeline"; readonly view: TimelineView }
  | { readonly type: "show"; readonly model: PageModel }
  /** The stored draft for what waits has changed, and nothing else. */
  | ({ readonly type: "draft" } & Pick<Review, "taskId" | "attempt" | "draft" | "draftNumber">)
  /** There is no such execution; Markdown. */
  | { readonly type: "missing"; readonly text: string }
  /** The answer from the page to this output was sent, or was refused with a message. */
  | { readonly type: "settled"; readonly taskId: string; readonly attempt: number }
  | { readonly type: "reveal"; readonly place: Place };

/** The feedback box, a task, or what a row of the timeline is about. */
export type Place =
  | "feedback"
  | { readonly taskId: string }
  | { readonly spanId: string; readonly takesFocus: boolean };
