import * as v from "valibot";
import type { BatchView } from "./model.ts";

export type ToBatch = {
  readonly type: "show";
  readonly view: BatchView;
  readonly ids: readonly string[];
  readonly now: number;
};

const id = v.string();

/** What the page sends: it isn't trusted. */
export const fromBatch = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("open"), localId: v.string() }),
  v.object({ type: v.literal("stop"), id }),
  v.object({ type: v.literal("goOn"), id }),
  v.object({ type: v.literal("compare") }),
  v.object({ type: v.literal("export") }),
]);

export type FromBatch = v.InferOutput<typeof fromBatch>;

const saved = v.object({ batches: v.optional(v.array(v.string()), []) });

/** What VS Code keeps of a page: the IDs of its batches. Empty for a state that isn't ours. */
export const savedBatches = (state: unknown) =>
  v.parse(v.fallback(saved, { batches: [] }), state).batches;
