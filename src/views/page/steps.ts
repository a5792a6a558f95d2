import * as l10n from "@vscode/l10n";
import type { Activity, Mark, Span } from "../../executions/activity.ts";
import { defined } from "../../base/json.ts";
import { formatSpan, present } from "../labels.ts";
import type { Step } from "./messages.ts";

/** Steps of an attempt on the page: the last ones. */
const most = 100;

export interface Steps {
  readonly steps: readonly Step[];
  readonly hidden: number;
}

type Timed = Step & { readonly at: number };

/** What agents did in each attempt of a task. */
export class ActivitySteps {
  readonly #byAttempt = new Map<string, Timed[]>();

  constructor({ spans, marks }: Activity) {
    const byId = new Map(spans.map((span) => [span.id, span]));
    for (const span of spans) {
      const step = stepOfSpan(span);
      if (step !== undefined) this.#add(span, step);
    }
    for (const mark of marks) {
      const step = stepOfMark(mark);
      const span = byId.get(mark.parentId);
      if (step !== undefined && span !== undefined) this.#add(span, step);
    }
    for (const steps of this.#byAttempt.values()) steps.sort((one, other) => one.at - other.at);
  }

  of(taskId: string, attempt: number): Steps {
    const all = this.#byAttempt.get(keyOf(taskId, attempt)) ?? [];
    const steps = all.slice(-most).map(({ at: _, ...step }) => step);
    return { steps, hidden: all.length - steps.length };
  }

  /** Attempts with steps, which may have no output yet. */
  attemptsOf(taskId: string): readonly number[] {
    return [...this.#byAttempt.keys()].flatMap((key) => {
      const [id, attempt] = JSON.parse(key) as [string, number];
      return id === taskId ? [attempt] : [];
    });
  }

  #add({ taskId, attempt = 1 }: Span, step: Timed): void {
    if (taskId === undefined) return;
    const key = keyOf(taskId, attempt);
    const known = this.#byAttempt.get(key);
    if (known === undefined) this.#byAttempt.set(key, [step]);
    else known.push(step);
  }
}

function keyOf(taskId: string, attempt: number): string {
  return JSON.stringify([taskId, attempt]);
}

function stepOfSpan(span: Span): Timed | undefined {
  const { id, kind, name, start, end, state, tokens, text, error } = span;
  if (kind !== "tool" && kind !== "model" && kind !== "other") return undefined;
  const facts = present(
    end !== undefined && shortSpan(end - start),
    tokens && l10n.t("{0} tokens", tokens.total.toLocaleString()),
  );
  return {
    id,
    kind,
    title: name,
    state,
    facts: facts.join(" · "),
    at: start,
    ...defined({ arguments: span.arguments, result: text, error }),
  };
}

/** Of a step that a callback told, or an event without its other half. */
function stepOfMark({ id, type, at, name, thought, text, error }: Mark): Timed | undefined {
  if (thought === undefined && text === undefined && error === undefined) return undefined;
  return {
    id,
    kind: thought === undefined ? "other" : "thought",
    title: name ?? (thought === undefined ? type.replaceAll("_", " ") : l10n.t("Thought")),
    state: error === undefined ? "completed" : "failed",
    facts: "",
    at,
    ...defined({ thought, result: text, error }),
  };
}

/** Steps are often shorter than a second. */
function shortSpan(milliseconds: number): string {
  return milliseconds < 10_000
    ? l10n.t("{0} s", (Math.max(0, milliseconds) / 1000).toFixed(1))
    : formatSpan(milliseconds);
}
