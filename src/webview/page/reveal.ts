import type { PageModel, Place } from "../../views/page/messages.ts";
import type { Span } from "../../views/timeline/messages.ts";
import { host } from "../host.ts";

interface Target {
  /** To open, outermost first. */
  readonly folds: readonly string[];
  /** Where to move, if not to the last fold. */
  readonly selector?: string;
  readonly takesFocus: boolean;
}

/** Moves to the place. @param draw draws the page with the folds that are open */
export function reveal(
  place: Place,
  model: PageModel,
  spans: readonly Span[],
  draw: () => void,
): void {
  const target = targetOf(place, model, spans);
  if (target === undefined) return;
  const { folds, selector, takesFocus } = target;
  const open = Object.fromEntries(folds.map((fold) => [fold, true]));
  host.keep({ folds: { ...host.kept.folds, ...open } });
  draw();
  const last = folds
    .map((fold) => document.querySelector(`[data-fold="${CSS.escape(fold)}"]`))
    .findLast((fold) => fold !== null);
  const found = selector === undefined ? last : document.querySelector(selector);
  // The box is beside what is read: focus alone brings it into view.
  if (place !== "feedback") found?.scrollIntoView({ block: "start" });
  const focused = found?.querySelector("summary") ?? found;
  if (takesFocus && focused instanceof HTMLElement)
    focused.focus({ preventScroll: place !== "feedback" });
}

function targetOf(place: Place, model: PageModel, spans: readonly Span[]): Target | undefined {
  if (place === "feedback") return { folds: [], selector: ".feedback", takesFocus: true };
  if ("taskId" in place)
    return place.taskId === model.review?.taskId
      ? { folds: [], selector: "#review", takesFocus: true }
      : { folds: [`task ${place.taskId}`], takesFocus: true };
  const { spanId, takesFocus } = place;
  const span = spans.find(({ id }) => id === spanId);
  if (span === undefined) return undefined;
  const { taskId, kind, attempt } = span;
  const task = model.tasks.find((each) => each.taskId === taskId);
  if (task === undefined) return { folds: [], selector: "h1", takesFocus };
  const folds = [`task ${task.taskId}`];
  const card = task.attempts.find(({ number }) => number === attempt) ?? task.attempts.at(-1);
  if (kind === "task" || card === undefined) return { folds, takesFocus };
  if (card.isInReview && (kind === "wait" || kind === "attempt"))
    return { folds: [], selector: "#review", takesFocus };
  const inAttempt = `${card.number} ${task.taskId}`;
  if (task.attempts.length > 1) folds.push(`attempt ${inAttempt}`);
  if (card.steps.some(({ id }) => id === spanId))
    folds.push(`steps ${inAttempt}`, `step ${spanId}`);
  return { folds, takesFocus };
}
