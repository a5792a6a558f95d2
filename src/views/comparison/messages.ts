import * as v from "valibot";
import type { ExecutionState } from "../../executions/model.ts";
import type { TaskView } from "../../view/tasks.ts";
import { type Content, openLink } from "../page/messages.ts";
import type { TimelineView } from "../timeline/messages.ts";

export interface Sides<T> {
  readonly left: T;
  readonly right: T;
}

export type Side = keyof Sides<unknown>;
export const sides = ["left", "right"] as const;

export function onSides<T, R>({ left, right }: Sides<T>, of: (value: T) => R): Sides<R> {
  return { left: of(left), right: of(right) };
}

export interface ComparedExecution {
  /** Its title, with its crew if both have the same. */
  readonly name: string;
  readonly state: ExecutionState | "interrupted";
  readonly label: string;
  /** With its engine. */
  readonly crew: string;
  readonly started: string;
}

/** A row of the table. */
export interface Figure {
  readonly label: string;
  /** Texts, or since when it counts (milliseconds since 1970). */
  readonly values: Sides<string | number>;
  /** Of the right one to the left one. */
  readonly difference: string;
  readonly isDifferent: boolean;
}

export interface ComparedInput {
  readonly name: string;
  /** Of those that have it. */
  readonly values: Partial<Sides<Content>>;
  readonly difference: string;
  readonly isDifferent: boolean;
}

export interface ComparedTask {
  /** The result's is empty. */
  readonly taskId: string;
  readonly name: string;
  readonly state?: TaskView["state"];
  /** Agent, attempt, duration, tokens. */
  readonly facts: readonly string[];
  readonly output?: Content;
  /** Why there is no output. */
  readonly note?: string;
}

/** The outputs of a task in both executions, or of a task that only one has. */
export interface ComparedOutput {
  readonly id: string;
  readonly name: string;
  readonly tasks: Partial<Sides<ComparedTask>>;
  /** `single`: only one has the task. `unknown`: an output is missing. */
  readonly status: "same" | "different" | "single" | "unknown";
  /** Whether it is the same, and how time and tokens differ. */
  readonly facts: readonly string[];
}

export interface ComparisonModel {
  readonly executions: Sides<ComparedExecution>;
  /** For screen readers, when it changes. */
  readonly spoken: string;
  /** What matters most first. */
  readonly figures: readonly Figure[];
  readonly inputs: readonly ComparedInput[];
  /** Why inputs can't be compared. */
  readonly inputsNote?: string;
  readonly outputs: readonly ComparedOutput[];
}

export type ToComparison =
  /** Before the model that they belong to. */
  | { readonly type: "timelines"; readonly views: Sides<TimelineView> }
  | {
      readonly type: "show";
      readonly model: ComparisonModel;
      /** Local IDs, which the page keeps over a reload. */
      readonly pair: Sides<string>;
    }
  /** One of them is no longer there. */
  | { readonly type: "missing"; readonly text: string };

const side = v.picklist(["left", "right"]);
const output = { id: v.string() };

/** What the page sends: it isn't trusted. */
export const fromComparison = v.variant("type", [
  /** The script runs. */
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("swap") }),
  v.object({ type: v.literal("choose"), side }),
  v.object({ type: v.literal("open"), side }),
  v.object({ type: v.literal("openDiff"), ...output }),
  v.object({ type: v.literal("openOutput"), ...output, side }),
  openLink,
]);

export type FromComparison = v.InferOutput<typeof fromComparison>;

/** What VS Code keeps of a page: the local IDs. */
export const savedPair = v.object({ pair: v.object({ left: v.string(), right: v.string() }) });
