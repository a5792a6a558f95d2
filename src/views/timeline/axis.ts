import { scaleLinear } from "d3-scale";
import type { Span } from "./messages.ts";

/** Milliseconds since the start of the execution. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Maps times since the start of the execution (ms) to places: 0 is the left edge, 1 the right one. */
export interface Axis {
  readonly placeOf: (time: number) => number;
  readonly timeAt: (place: number) => number;
  /** Times with a label. */
  readonly ticks: readonly number[];
  readonly cuts: readonly Period[];
}

/** A shorter execution has room to grow (ms). */
const shortest = 5_000;
/** A part of the time without waits, so that what runs doesn't change the axis each moment. */
const headroom = 0.15;
/** In milliseconds. */
const leastRoom = 1_000;
/** A shortened wait's part of the rest. */
const cutShare = 0.08;
/** Of what each wanted tick has, so that labels don't overlap, also beside a shortened wait. */
const tickRoom = 0.8;
/** Shorter periods can't be seen (ms). */
const closest = 10;

/**
 * The whole time (ms).
 * @param all the spans of each execution on the axis
 * @param before of what still runs, which grows only if the end is reached
 */
export function extentOf(all: readonly (readonly Span[])[], now: number, before = 0): number {
  const extents = all.map((spans) => {
    const end = endOf(spans, now);
    if (hasEnded(spans)) return Math.max(end, closest);
    if (end < before) return before;
    const worked = end - lengthOf(idleIn(spans, end));
    return Math.max(shortest, end + Math.max(leastRoom, worked * headroom));
  });
  return Math.max(...extents);
}

/** Long periods in which nothing is done in any execution, if they take more than half of the time. */
export function waitsOf(all: readonly (readonly Span[])[], extent: number): readonly Period[] {
  const waits = all
    .map((spans) => idleIn(spans, extent))
    .reduce((one, other) =>
      one.flatMap((period) =>
        other.flatMap(({ from, to }) => {
          const both = { from: Math.max(from, period.from), to: Math.min(to, period.to) };
          return both.from < both.to ? [both] : [];
        }),
      ),
    );
  const waited = lengthOf(waits);
  const rest = Math.max(extent - waited, shortest / 5);
  return waited < extent / 2 ? [] : waits.filter(({ from, to }) => to - from > rest * cutShare * 2);
}

/** When nothing is done, up to `whole`: what still waits takes all that follows. */
function idleIn(spans: readonly Span[], whole: number): readonly Period[] {
  const began = spans[0]?.start ?? 0;
  const idle: Period[] = [];
  for (const { kind, start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    // While it is queued, there is nothing else to see.
    if (kind !== "wait" && (kind !== "queue" || end === undefined)) continue;
    const period = { from: start - began, to: end === undefined ? whole : end - began };
    const last = idle.at(-1);
    if (last === undefined || last.to < period.from) idle.push(period);
    else idle.splice(-1, 1, { from: last.from, to: Math.max(last.to, period.to) });
  }
  return hasEnded(spans) ? [...idle, { from: endOf(spans, began), to: whole }] : idle;
}

/** Since the start of the first, which is the crew's (ms). */
function endOf(spans: readonly Span[], now: number): number {
  const began = spans[0]?.start ?? now;
  return spans.reduce((last, { end = now }) => Math.max(last, end), began) - began;
}

function lengthOf(periods: readonly Period[]): number {
  return periods.reduce((sum, { from, to }) => sum + to - from, 0);
}

function hasEnded(spans: readonly Span[]): boolean {
  return spans.every(({ end }) => end !== undefined);
}

/** @param cuts periods to shorten, in order. @param wanted about how many ticks */
export function axisOf(
  view: Period,
  extent: number,
  cuts: readonly Period[],
  wanted: number,
): Axis {
  const shown = shortening(extent, cuts);
  const view01 = scaleLinear([shown(view.from), shown(view.to)], [0, 1]);
  const placeOf = (time: number) => view01(shown(time));
  const timeAt = (place: number) => shown.invert(view01.invert(place));
  const ticks: number[] = [];
  for (const tick of ticksIn(view, shown(view.to) - shown(view.from), cuts, wanted)) {
    const last = ticks.at(-1);
    if (last === undefined || placeOf(tick) - placeOf(last) >= tickRoom / wanted) ticks.push(tick);
  }
  return { placeOf, timeAt, cuts, ticks };
}

function shortening(extent: number, cuts: readonly Period[]) {
  const short = (extent - lengthOf(cuts) || shortest) * cutShare;
  // What comes later, too, has its full length.
  const end = Math.max(extent, (cuts.at(-1)?.to ?? 0) + shortest);
  const times = [0, ...cuts.flatMap(({ from, to }) => [from, to]), end];
  let place = 0;
  const places = times.map((time, at) => {
    const length = time - (times[at - 1] ?? 0);
    // Each second period is a cut.
    return (place += at % 2 === 0 ? Math.min(short, length) : length);
  });
  return scaleLinear(times, places);
}

/** d3 knows round numbers, and the unit makes them round times. */
function ticksIn(view: Period, length: number, cuts: readonly Period[], wanted: number): number[] {
  const unit = [86_400_000, 3_600_000, 60_000, 1_000].find((each) => length >= each * 2) ?? 1;
  const stepFor = (count: number) => {
    const [first = 0, second = 0] = scaleLinear([0, length / unit], [0, 1]).ticks(count);
    return (second - first) * unit;
  };
  let count = Math.max(2, wanted);
  // d3 may give more than are wanted.
  while (count > 2 && stepFor(count) < (length * tickRoom) / wanted) count -= 1;
  const step = stepFor(count);
  if (!(step > 0)) return [];
  // None in a cut.
  return [...cuts.map(({ from }) => from), Infinity].flatMap((to, at) => {
    const first = Math.ceil(Math.max(view.from, cuts[at - 1]?.to ?? 0) / step);
    const last = Math.floor(Math.min(view.to, to) / step);
    const length = Math.max(0, last - first + 1);
    return Array.from({ length }, (_, index) => (first + index) * step);
  });
}

/** Shorter or longer by a factor, around a place that keeps its time; undefined for everything. */
export function zoomed(
  { timeAt }: Axis,
  factor: number,
  place: number,
  extent: number,
): Period | undefined {
  const from = Math.max(0, timeAt(place * (1 - factor)));
  const to = Math.min(extent, timeAt(place + (1 - place) * factor));
  if (from <= 0 && to >= extent) return undefined;
  return to - from < closest ? { from, to: from + closest } : { from, to };
}

/** Moved by a part of what is shown, but not out of the whole. */
export function panned({ placeOf, timeAt }: Axis, share: number, extent: number): Period {
  const by = Math.max(placeOf(0), Math.min(share, placeOf(extent) - 1));
  return { from: timeAt(by), to: timeAt(1 + by) };
}
