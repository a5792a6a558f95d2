import * as v from "valibot";
import type { ExecutionState } from "../../executions/model.ts";
import { type Action, verbs } from "../../view/actions.ts";
import type { AttemptView, FeedbackView, TaskView } from "../../view/tasks.ts";
import type { Fact } from "../../view/words.ts";
import type { TimelineView } from "../timeline/messages.ts";

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
  /** What it is about, and what leads there. */
  readonly links: readonly { readonly label: string; readonly message: FromPage }[];
}

export interface PageAttempt extends Pick<AttemptView, "number" | "previous" | "note" | "steps"> {
  /** Without an output: the crew has not returned it. */
  readonly content?: Content;
  /** Its output is shown above, where it is answered. */
  readonly isInReview: boolean;
  readonly feedback: readonly (Omit<FeedbackView, "text"> & { readonly content: Content })[];
  /** Feedback that was typed and not sent before this attempt stopped waiting. */
  readonly oldDraft?: string;
  /** Steps before these, which are not shown. */
  readonly hiddenSteps: number;
}

export interface PageTask extends Omit<TaskView, "attempts"> {
  readonly attempts: readonly PageAttempt[];
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
  readonly label: string;
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
  readonly tasks: readonly PageTask[];
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

const attempt = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
/** Of an output. Nothing but a web or mail address is opened, such as a command. */
export const openLink = v.object({
  type: v.literal("openLink"),
  href: v.pipe(v.string(), v.maxLength(10_000), v.check(isWebAddress)),
});

function isWebAddress(href: string): boolean {
  return URL.canParse(href) && ["http:", "https:", "mailto:"].includes(new URL(href).protocol);
}

const target = { taskId: v.string(), attempt };

/** What the page sends: it isn't trusted. */
export const fromPage = v.variant("type", [
  /** The script runs. */
  v.object({ type: v.literal("ready") }),
  v.object({
    type: v.literal("draft"),
    ...target,
    text: v.string(),
    /** When the key was pressed (milliseconds since 1970), later with each keystroke. */
    number: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(8.64e15)),
  }),
  /** The feedback box lost the focus. */
  v.object({ type: v.literal("leave") }),
  v.object({
    type: v.literal("answer"),
    ...target,
    kind: v.picklist(["approve", "approveWithNote", "reject", "answer"]),
    text: v.string(),
  }),
  /** Runs a command of the execution, about an output of it or a picture in it. */
  v.object({
    type: v.literal("act"),
    action: v.picklist([...verbs, "openOutput", "compareAttempts", "showLog"]),
    taskId: v.exactOptional(v.string()),
    attempt: v.exactOptional(attempt),
    result: v.exactOptional(v.literal(true)),
    /** Of a step. */
    picture: v.exactOptional(v.string()),
  }),
  /** Puts a canned answer into the feedback box. */
  v.object({ type: v.literal("insert"), ...target }),
  v.object({ type: v.literal("oldDraft"), ...target, action: v.picklist(["copy", "discard"]) }),
  /** Opens the execution of which this one has earlier outputs. */
  v.object({ type: v.literal("openEarlier") }),
  /** Opens a file of the crew's project that an error names. */
  v.object({
    type: v.literal("openFile"),
    file: v.pipe(v.string(), v.regex(/^[\w./-]+$/)),
    line: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  }),
  /** Opens the definition of a task, or of the crew. */
  v.object({ type: v.literal("define"), taskId: v.exactOptional(v.string()) }),
  openLink,
]);

export type FromPage = v.InferOutput<typeof fromPage>;
