import * as v from "valibot";
import type { TimelineView } from "../timeline/messages.ts";
import type { ComparisonModel } from "./model.ts";

export interface Sides<T> {
  readonly left: T;
  readonly right: T;
}

export type Side = keyof Sides<unknown>;
export const sides = ["left", "right"] as const;

export function onSides<T, R>(of: Sides<T>, map: (value: T, side: Side) => R): Sides<R> {
  return { left: map(of.left, "left"), right: map(of.right, "right") };
}

export interface ComparedRow {
  readonly id: string;
  readonly label: string;
  readonly values: Partial<Sides<string>>;
  readonly difference: string;
  readonly isDifferent: boolean;
  readonly opens?: true;
}

export type ToComparison =
  | {
      readonly type: "show";
      readonly model: ComparisonModel;
      readonly timelines: Sides<TimelineView>;
    }
  | { readonly type: "missing"; readonly text: string };

/** What the page sends: it isn't trusted. */
export const fromComparison = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("open"), side: v.picklist(sides) }),
  v.object({ type: v.literal("openOutput"), id: v.string() }),
]);

export type FromComparison = v.InferOutput<typeof fromComparison>;

const saved = v.object({ pair: v.optional(v.object({ left: v.string(), right: v.string() })) });

export const savedPair = (state: unknown) => v.parse(v.fallback(saved, {}), state).pair;
