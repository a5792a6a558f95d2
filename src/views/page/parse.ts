import * as v from "valibot";
import { verbs } from "../../view/actions.ts";

const attempt = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const target = { taskId: v.string(), attempt };

const fromPage = v.variant("type", [
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
  v.object({ type: v.literal("act"), action: v.picklist(verbs) }),
  /** Without a task, the result. */
  v.object({
    type: v.literal("openOutput"),
    taskId: v.exactOptional(v.string()),
    attempt: v.exactOptional(attempt),
  }),
  v.object({ type: v.literal("openPicture"), step: v.string() }),
  v.object({ type: v.literal("compare"), ...target }),
  /** Puts a canned answer into the feedback box. */
  v.object({ type: v.literal("insert"), ...target }),
  v.object({ type: v.literal("oldDraft"), ...target, action: v.picklist(["copy", "discard"]) }),
  /** Opens the definition of a task, or of the crew. */
  v.object({ type: v.literal("define"), taskId: v.exactOptional(v.string()) }),
  v.object({ type: v.literal("openLink"), href: v.pipe(v.string(), v.maxLength(10_000)) }),
]);

export type FromPage = v.InferOutput<typeof fromPage>;

/** The webview isn't trusted. Undefined if invalid. */
export function parseFromPage(raw: unknown): FromPage | undefined {
  const result = v.safeParse(fromPage, raw);
  return result.success ? result.output : undefined;
}

/** A link that may be opened outside. Undefined for anything else, such as a command. */
export function webAddress(href: string): string | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  return url !== undefined && ["http:", "https:", "mailto:"].includes(url.protocol)
    ? url.href
    : undefined;
}
