import * as v from "valibot";
import { verbs } from "../../view/actions.ts";
import type { TimelineView } from "../timeline/messages.ts";
import type { CallModel } from "./calls.ts";
import type { PageModel } from "./model.ts";

export interface PageDraft {
  readonly taskId: string;
  readonly attempt: number;
  readonly text: string;
  /** Of its newest keystroke, or when it was changed elsewhere (milliseconds since 1970). */
  readonly number: number;
}

export interface PageDrafts {
  readonly current?: PageDraft;
  readonly old: readonly Omit<PageDraft, "number">[];
}

export type ToPage =
  | { readonly type: "drafts"; readonly drafts: PageDrafts }
  /** The timeline is only there if it has changed: it may have 10,000 spans. */
  | { readonly type: "show"; readonly model: PageModel; readonly timeline?: TimelineView }
  /** There is no such execution; Markdown. */
  | { readonly type: "missing"; readonly text: string }
  /** The answer from the page to this output was sent, or was refused with a message. */
  | { readonly type: "settled"; readonly taskId: string; readonly attempt: number }
  | { readonly type: "reveal"; readonly place: Place }
  | { readonly type: "call"; readonly span: string; readonly call: CallModel };

export type Place =
  | "feedback"
  | { readonly taskId: string }
  | { readonly spanId: string; readonly takesFocus: boolean };

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const target = { taskId: v.string(), attempt: number };

const callAction = v.picklist(["compareCalls", "copyCall", "copyCallAsCurl"]);
export type CallAction = v.InferOutput<typeof callAction>;

/** What the page sends: it isn't trusted. */
export const fromPage = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({
    type: v.literal("draft"),
    ...target,
    text: v.string(),
    /** When the key was pressed (milliseconds since 1970), later with each keystroke. */
    number: v.pipe(number, v.maxValue(8.64e15)),
  }),
  v.object({ type: v.literal("leave") }),
  v.object({
    type: v.literal("answer"),
    ...target,
    kind: v.picklist(["approve", "reject", "answer"]),
    text: v.string(),
    isForRun: v.exactOptional(v.literal(true)),
  }),
  v.object({
    type: v.literal("act"),
    action: v.picklist([...verbs, "openOutput", "compareAttempts", "showLog"]),
    taskId: v.exactOptional(v.string()),
    attempt: v.exactOptional(number),
    result: v.exactOptional(v.literal(true)),
    picture: v.exactOptional(v.string()),
  }),
  /** Of the span's ID: reads it, or does something with it. */
  v.object({ type: v.literal("call"), span: v.string(), action: v.exactOptional(callAction) }),
  v.object({ type: v.literal("insert"), ...target }),
  v.object({ type: v.literal("discardDraft"), ...target }),
  v.object({ type: v.literal("openEarlier") }),
  v.object({ type: v.literal("askBefore"), tool: v.string() }),
  v.object({
    type: v.literal("openFile"),
    file: v.pipe(v.string(), v.regex(/^[\w./-]+$/)),
    line: v.exactOptional(number),
  }),
  v.object({ type: v.literal("define"), taskId: v.exactOptional(v.string()) }),
  /** Of an output. Nothing but a web or mail address is opened, such as a command. */
  v.object({
    type: v.literal("openLink"),
    href: v.pipe(v.string(), v.maxLength(10_000), v.url(), v.regex(/^(?:https?|mailto):/i)),
  }),
]);

export type FromPage = v.InferOutput<typeof fromPage>;
