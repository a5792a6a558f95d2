import * as v from "valibot";
import type { BriefView } from "../../view/brief.ts";

/** An execution of a batch. One that has completed, and isn't as its test expects, is shown as failed. */
export interface CellView extends Pick<BriefView, "state" | "label"> {
  readonly localId: string;
  /** Or since when it counts (milliseconds since 1970). */
  readonly elapsed?: string | number;
  readonly tokens: string;
  readonly cost: string;
  readonly output: string;
  /** Such as “8 of 10”. */
  readonly grade: string;
  /** What isn't as its test expects. */
  readonly failures: readonly string[];
}

/** A batch. Several are compared by the labels of their rows. */
export interface ColumnView {
  readonly id: string;
  readonly name: string;
  readonly sum: string;
  readonly left: number;
  readonly isSending: boolean;
  readonly problem?: string | undefined;
}

export interface BatchView {
  readonly crew: string;
  readonly columns: readonly ColumnView[];
  /** A cell for each column; null if it has none. */
  readonly rows: readonly {
    readonly label: string;
    readonly cells: readonly (CellView | null)[];
  }[];
  readonly hasOthers: boolean;
}

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
