import type { Span } from "./messages.ts";

export interface Period {
  readonly from: number;
  readonly to: number;
}

export type Axis = ReturnType<typeof axisOf>;
export type Times = ReturnType<typeof timesOf>;

/** A shorter execution has room to grow (ms). */
const shortest = 5_000;
/** By steps, so that what runs doesn't change the axis each moment. */
const growth = 1.15;
const cutShare = 0.08;
const closest = 10;
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const steps = [
  ...[1, 10, 100, 1_000].flatMap((unit) => [unit, unit * 2, unit * 5]),
  ...[10_000, 20_000, 30_000],
  ...[1, 2, 5, 10, 20, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
];

/** Of the executions on one axis: a wait is shortened if none of them does anything in it, and if such waits take more than half of the time. */
export function timesOf(all: readonly (readonly Span[])[], now: number) {
  const idle = all.map(idleIn);
  const extents = all.map((spans, at) => {
    const end = endOf(spans, now);
    if (hasEnded(spans)) return Math.max(end, closest);
    // Another clock may have seen one begin before the start.
    const ended = (idle[at] ?? []).filter(({ to }) => to <= end);
    const waited = lengthOf(ended.flatMap((each) => common(each, { from: 0, to: end })));
    const steps = Math.ceil(Math.log((end - waited) / shortest) / Math.log(growth));
    return waited + shortest * growth ** Math.max(0, steps);
  });
  const extent = Math.max(...extents);
  const waits = idle
    .reduce((one, other) => one.flatMap((period) => other.flatMap((each) => common(period, each))))
    .flatMap((period) => common(period, { from: 0, to: extent }));
  const waited = lengthOf(waits);
  const rest = Math.max(extent - waited, shortest / 5);
  const isLong = ({ from, to }: Period) => to - from > rest * cutShare * 2;
  return { extent, cuts: waited < extent / 2 ? [] : waits.filter(isLong) };
}

function common(one: Period, other: Period): Period[] {
  const both = { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) };
  return both.from < both.to ? [both] : [];
}

function idleIn(spans: readonly Span[]): readonly Period[] {
  const began = spans[0]?.start ?? 0;
  // While it is queued, there is nothing else to see.
  const waits = spans.filter(
    ({ kind, end }) => kind === "wait" || (kind === "queue" && end !== undefined),
  );
  const idle: Period[] = [];
  for (const { start, end = Infinity } of waits.sort((one, other) => one.start - other.start)) {
    const period = { from: start - began, to: end - began };
    const last = idle.at(-1);
    if (last === undefined || last.to < period.from) idle.push(period);
    else idle.splice(-1, 1, { from: last.from, to: Math.max(last.to, period.to) });
  }
  return hasEnded(spans) ? [...idle, { from: endOf(spans, began), to: Infinity }] : idle;
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

/** Maps times since the start of the execution (ms) to places: 0 is the left edge, 1 the right one. */
export function axisOf(view: Period, { extent, cuts }: Times, most: number) {
  const { times, places } = shortening(extent, cuts);
  const left = between(times, places, view.from);
  const width = between(times, places, view.to) - left;
  const placeOf = (time: number) => (between(times, places, time) - left) / width;
  const timeAt = (place: number) => between(places, times, left + place * width);
  const room = 1 / Math.max(2, most);
  const least = width * room;
  const round = steps.find((each) => each * 2 >= least) ?? Math.ceil(least / day) * day;
  const step = round < least ? round * 2 : round;
  // None in a cut.
  const parts = [...cuts.map(({ from }) => from), Infinity].flatMap((to, at) => {
    const first = Math.ceil(Math.max(view.from, cuts[at - 1]?.to ?? 0) / step);
    const last = Math.floor(Math.min(view.to, to) / step);
    const length = Math.max(0, last - first + 1);
    return Array.from({ length }, (_, index) => (first + index) * step);
  });
  const ticks: number[] = [];
  for (const tick of parts) {
    const last = ticks.at(-1);
    const isFree = last === undefined || placeOf(tick) - placeOf(last) > room * 0.99;
    if (isFree && placeOf(tick) < 1 - room * 0.8) ticks.push(tick);
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
  return { times, places };
}

/** On the straight lines between points, of which the first and the last go on. */
function between(from: readonly number[], to: readonly number[], value: number): number {
  const next = from.findIndex(
    (end, at) => end > (from[at - 1] ?? end) && (value < end || at === from.length - 1),
  );
  const [x0 = 0, x1 = 1] = from.slice(next - 1);
  const [y0 = 0, y1 = 1] = to.slice(next - 1);
  return y0 + ((value - x0) / (x1 - x0)) * (y1 - y0);
}

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

export function panned({ placeOf, timeAt }: Axis, share: number, extent: number): Period {
  const by = Math.max(placeOf(0), Math.min(share, placeOf(extent) - 1));
  return { from: timeAt(by), to: timeAt(1 + by) };
}
