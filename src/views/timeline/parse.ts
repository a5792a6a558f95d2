import * as v from "valibot";
import { spanKinds } from "../../executions/activity.ts";

const time = v.pipe(v.number(), v.finite());

/** How a person looks at a timeline: also the page's saved state, and what a picture shows. */
const look = v.object({
  localId: v.string(),
  /** IDs of rows whose children are hidden. */
  closed: v.array(v.string()),
  text: v.string(),
  /** Shown alone; all without any. */
  kinds: v.array(v.picklist(spanKinds)),
  /** Milliseconds since the start of the execution; undefined if everything fits. */
  zoom: v.exactOptional(v.object({ from: time, to: time })),
  /** Whether waits are drawn at full length. */
  isWhole: v.boolean(),
  active: v.exactOptional(v.string()),
});

export type Look = Readonly<v.InferOutput<typeof look>>;

const place = { localId: v.string(), spanId: v.string() };
const fromTimeline = v.variant("type", [
  /** The script runs. The look is from before the page was hidden. */
  v.object({ type: v.literal("ready"), look: v.exactOptional(look) }),
  v.object({ type: v.literal("look"), look }),
  v.object({ type: v.literal("reveal"), ...place, takesFocus: v.boolean() }),
  v.object({ type: v.literal("define"), ...place }),
  v.object({ type: v.literal("list") }),
]);

export type FromTimeline = v.InferOutput<typeof fromTimeline>;

/** The webview isn't trusted. Undefined if invalid. */
export function parseFromTimeline(raw: unknown): FromTimeline | undefined {
  const result = v.safeParse(fromTimeline, raw);
  return result.success ? result.output : undefined;
}
