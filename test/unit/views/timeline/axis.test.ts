import assert from "node:assert/strict";
import { axisOf, panned, timesOf, zoomed } from "../../../../src/views/timeline/axis.ts";
import { tickTexts } from "../../../../src/view/words.ts";
import type { Span } from "../../../../src/views/timeline/messages.ts";
import { contentOf } from "./contents.ts";

const start = 1_000_000;
const span = (kind: Span["kind"], from: number, to?: number): Span => ({
  id: `${kind} ${from}`,
  kind,
  depth: kind === "crew" ? 0 : 1,
  name: kind,
  start: start + from,
  state: to === undefined ? "running" : "completed",
  ...(to === undefined ? {} : { end: start + to }),
});
const timesAt = (now: number, ...all: readonly (readonly Span[])[]) => timesOf(all, start + now);
const cutsAt = (...given: Parameters<typeof timesAt>) => timesAt(...given).cuts;
/** Without shortened waits, from its start to its end unless another part is shown. */
const plain = (extent: number, most: number, view = { from: 0, to: extent }) =>
  axisOf(view, { extent, cuts: [] }, most);
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);

describe("the timeline's axis", () => {
  it("spans an ended execution from its start to its end", () => {
    assert.equal(timesOf([contentOf("varied").spans], start).extent, 185_000);
  });

  it("leaves what runs some room, and grows only when that is used up", () => {
    const running = [span("crew", 0)];
    const extentAt = (now: number) => timesAt(now, running).extent;
    assert.equal(extentAt(1_000), 5_000);
    near(extentAt(10_000), 5_000 * 1.15 ** 5);
    assert.equal(extentAt(10_050), extentAt(10_000));
    near(extentAt(10_060), 5_000 * 1.15 ** 6);
    // A minute's wait counts no more than the rest, which is all that is drawn in full length.
    const waited = [span("crew", 0), span("wait", 10_000, 70_000)];
    near(timesAt(80_000, waited).extent, 60_000 + 5_000 * 1.15 ** 10);
    const skewed = [span("crew", 0), span("wait", -50_000, 8_000)];
    assert.equal(timesAt(10_000, skewed).extent, 13_000);
  });

  it("has round times as ticks, as many as have room", () => {
    const ticks = (length: number, most = 5) => plain(length, most).ticks;
    assert.deepEqual(ticks(900), [0, 200, 400, 600]);
    assert.deepEqual(ticks(10_000), [0, 2_000, 4_000, 6_000, 8_000]);
    assert.deepEqual(ticks(600_000), [0, 120_000, 240_000, 360_000, 480_000]);
    const hours = [0, 1, 2, 3].map((hours) => hours * 3_600_000);
    assert.deepEqual(ticks(4 * 3_600_000, 4), hours);
    const days = [0, 2, 4].map((days) => days * 86_400_000);
    assert.deepEqual(ticks(6 * 86_400_000, 4), days);
    const part = { from: 4_500, to: 6_500 };
    assert.deepEqual(plain(10_000, 4, part).ticks, [4_500, 5_000, 5_500, 6_000]);
  });

  it("has another label at each tick, however long ago it began", () => {
    const labels = (from: number, step: number) =>
      tickTexts([0, 1, 2].map((count) => from + count * step));
    assert.deepEqual(labels(0, 500), ["0.0 s", "0.5 s", "1.0 s"]);
    assert.deepEqual(labels(7_400, 20), ["7.40 s", "7.42 s", "7.44 s"]);
    assert.deepEqual(labels(60_000, 20), ["1 min", "1 min 0.02 s", "1 min 0.04 s"]);
    assert.deepEqual(labels(90_000_000, 5_000), ["1 d 1 h", "1 d 1 h 5 s", "1 d 1 h 10 s"]);
  });

  it("shortens long waits only if they take more than half of the time, and marks where", () => {
    const short = [span("crew", 0, 10_000), span("wait", 2_000, 4_000)];
    assert.deepEqual(cutsAt(0, short), []);
    const long = [span("crew", 0, 3_610_000), span("wait", 5_000, 3_605_000)];
    const times = timesAt(0, long);
    assert.deepEqual(times.cuts, [{ from: 5_000, to: 3_605_000 }]);
    const axis = axisOf({ from: 0, to: 3_610_000 }, times, 5);
    // 5 s of work, 0.8 s for an hour's wait, and 5 s of work.
    near(axis.placeOf(5_000), 5 / 10.8);
    near(axis.placeOf(3_605_000), 5.8 / 10.8);
    near(axis.timeAt(axis.placeOf(1_000_000)), 1_000_000);
    assert.ok(axis.ticks.every((tick) => tick <= 5_000 || tick >= 3_605_000));
    assert.deepEqual(axis.cuts, times.cuts);
  });

  it("is not shortened while nothing but the queue has begun", () => {
    assert.deepEqual(cutsAt(60_000, [span("crew", 0), span("queue", 0)]), []);
    const begun = [span("crew", 0), span("queue", 0, 50_000), span("task", 50_000)];
    assert.deepEqual(cutsAt(52_000, begun), [{ from: 0, to: 50_000 }]);
  });

  it("has no ticks that are closer than their labels are wide, also on both sides of a wait", () => {
    const cuts = [{ from: 10_100, to: 289_900 }];
    const { ticks, placeOf } = axisOf({ from: 0, to: 300_000 }, { extent: 300_000, cuts }, 4);
    assert.deepEqual(ticks, [0, 10_000]);
    for (const [at, tick] of ticks.slice(1).entries())
      assert.ok(placeOf(tick) - placeOf(ticks[at] ?? 0) >= 0.2, `${tick}`);
  });

  it("counts waits that overlap, or that last, once", () => {
    const waits = [span("crew", 0), span("wait", 1_000, 50_000), span("wait", 20_000)];
    const { cuts, extent } = timesAt(60_000, waits);
    assert.deepEqual(cuts, [{ from: 1_000, to: extent }]);
  });

  it("shortens on a common axis only when nothing is done in both executions", () => {
    // One waits for an hour, the other for five minutes.
    const one = [span("crew", 0, 3_620_000), span("wait", 10_000, 3_610_000)];
    const other = [span("crew", 0, 330_000), span("wait", 20_000, 320_000)];
    const cuts = [
      { from: 20_000, to: 320_000 },
      { from: 330_000, to: 3_610_000 },
    ];
    assert.deepEqual(cutsAt(0, one, other), cuts);
    assert.deepEqual(cutsAt(0, other, one), cuts);
    const busy = [span("crew", 0, 3_700_000)];
    assert.deepEqual(cutsAt(0, one, busy), []);
  });

  it("lets a wait that lasts take the rest of the axis, unless the other execution runs", () => {
    const waits = [span("crew", 0), span("wait", 1_000)];
    const ended = [span("crew", 0, 2_000)];
    const running = [span("crew", 0)];
    const { extent } = timesAt(70_000, waits);
    assert.deepEqual(cutsAt(70_000, waits), [{ from: 1_000, to: extent }]);
    assert.deepEqual(cutsAt(70_000, waits, ended), [{ from: 2_000, to: extent }]);
    assert.deepEqual(cutsAt(70_000, waits, waits), [{ from: 1_000, to: extent }]);
    assert.deepEqual(cutsAt(70_000, waits, running), []);
  });

  it("zooms around a place that keeps its time, and not further than the whole", () => {
    const axis = plain(1_000, 5);
    const half = zoomed(axis, 0.5, 0.2, 1_000);
    assert.ok(half !== undefined);
    near(half.from, 100);
    near(half.to, 600);
    near(plain(1_000, 5, half).placeOf(200), 0.2);
    assert.equal(zoomed(plain(1_000, 5, half), 4, 0.2, 1_000), undefined, "everything fits");
    const least = zoomed(axis, 0.000_01, 0.5, 1_000);
    assert.ok(least !== undefined && least.to - least.from >= 10);
  });

  it("moves, but not out of the whole", () => {
    const axis = plain(1_000, 5, { from: 200, to: 400 });
    assert.deepEqual(panned(axis, 0.5, 1_000), { from: 300, to: 500 });
    assert.deepEqual(panned(axis, -9, 1_000), { from: 0, to: 200 });
    assert.deepEqual(panned(axis, 9, 1_000), { from: 800, to: 1_000 });
  });
});
