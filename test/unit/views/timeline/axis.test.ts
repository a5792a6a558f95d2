import assert from "node:assert/strict";
import { axisOf, extentOf, panned, waitsOf, zoomed } from "../../../../src/views/timeline/axis.ts";
import { tickTexts } from "../../../../src/view/lengths.ts";
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
const waitsAt = (now: number, ...all: readonly (readonly Span[])[]) =>
  waitsOf(all, extentOf(all, start + now));
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);

describe("the timeline's axis", () => {
  it("spans an ended execution from its start to its end", () => {
    assert.equal(extentOf([contentOf("varied").spans], start), 185_000);
  });

  it("leaves what runs some room, and grows only when that is used up", () => {
    const running = [span("crew", 0)];
    assert.equal(extentOf([running], start + 1_000), 5_000);
    assert.equal(extentOf([running], start + 10_000), 11_500);
    assert.equal(extentOf([running], start + 11_000, 11_500), 11_500);
    near(extentOf([running], start + 11_600, 11_500), 13_340);
    // A minute's wait counts no more than the rest, which is all that is drawn in full length.
    const waited = [span("crew", 0), span("wait", 10_000, 70_000)];
    near(extentOf([waited], start + 80_000), 83_000);
  });

  it("has round times as ticks, in the unit that fits", () => {
    const ticks = (length: number, wanted = 5) =>
      axisOf({ from: 0, to: length }, length, [], wanted).ticks;
    assert.deepEqual(ticks(900), [0, 200, 400, 600, 800]);
    assert.deepEqual(ticks(10_000), [0, 2_000, 4_000, 6_000, 8_000, 10_000]);
    assert.deepEqual(ticks(600_000), [0, 120_000, 240_000, 360_000, 480_000, 600_000]);
    assert.deepEqual(
      ticks(4 * 3_600_000, 4),
      [0, 1, 2, 3, 4].map((hours) => hours * 3_600_000),
    );
    assert.deepEqual(
      axisOf({ from: 4_500, to: 6_500 }, 10_000, [], 4).ticks,
      [4_500, 5_000, 5_500, 6_000, 6_500],
    );
  });

  it("has its ticks at even distances where not all round times have room", () => {
    const { ticks } = axisOf({ from: 625, to: 635.01 }, 10_000, [], 8);
    const steps = new Set(ticks.slice(1).map((tick, at) => tick - (ticks[at] ?? 0)));
    assert.deepEqual([...steps], [2], ticks.join());
  });

  it("has another label at each tick, however long ago it began", () => {
    const labels = (from: number, step: number) =>
      tickTexts([0, 1, 2].map((count) => from + count * step));
    assert.deepEqual(labels(0, 500), ["0 s", "500 ms", "1 s"]);
    assert.deepEqual(labels(7_400, 20), ["7.40 s", "7.42 s", "7.44 s"]);
    assert.deepEqual(labels(60_000, 20), ["1 min", "1 min 0.02 s", "1 min 0.04 s"]);
    assert.deepEqual(labels(90_000_000, 5_000), ["1 d 1 h", "1 d 1 h 5 s", "1 d 1 h 10 s"]);
  });

  it("shortens long waits only if they take more than half of the time, and marks where", () => {
    const short = [span("crew", 0, 10_000), span("wait", 2_000, 4_000)];
    assert.deepEqual(waitsAt(0, short), []);
    const long = [span("crew", 0, 3_610_000), span("wait", 5_000, 3_605_000)];
    const cuts = waitsAt(0, long);
    assert.deepEqual(cuts, [{ from: 5_000, to: 3_605_000 }]);
    const axis = axisOf({ from: 0, to: 3_610_000 }, 3_610_000, cuts, 5);
    // 5 s of work, 0.8 s for an hour's wait, and 5 s of work.
    near(axis.placeOf(5_000), 5 / 10.8);
    near(axis.placeOf(3_605_000), 5.8 / 10.8);
    near(axis.timeAt(axis.placeOf(1_000_000)), 1_000_000);
    assert.ok(axis.ticks.every((tick) => tick <= 5_000 || tick >= 3_605_000));
    assert.deepEqual(axis.cuts, cuts);
  });

  it("is not shortened while nothing but the queue has begun", () => {
    assert.deepEqual(waitsAt(60_000, [span("crew", 0), span("queue", 0)]), []);
    const begun = [span("crew", 0), span("queue", 0, 50_000), span("task", 50_000)];
    assert.deepEqual(waitsAt(52_000, begun), [{ from: 0, to: 50_000 }]);
  });

  it("has no ticks that are closer than their labels are wide, also on both sides of a wait", () => {
    const cuts = [{ from: 10_100, to: 289_900 }];
    const { ticks, placeOf } = axisOf({ from: 0, to: 300_000 }, 300_000, cuts, 4);
    assert.deepEqual(ticks, [0, 5_000, 10_000, 295_000, 300_000]);
    for (const [at, tick] of ticks.slice(1).entries())
      assert.ok(placeOf(tick) - placeOf(ticks[at] ?? 0) >= 0.2, `${tick}`);
  });

  it("counts waits that overlap, or that last, once", () => {
    const waits = [span("crew", 0), span("wait", 1_000, 50_000), span("wait", 20_000)];
    assert.deepEqual(waitsAt(60_000, waits), [{ from: 1_000, to: 61_000 }]);
  });

  it("shortens on a common axis only when nothing is done in both executions", () => {
    // One waits for an hour, the other for five minutes.
    const one = [span("crew", 0, 3_620_000), span("wait", 10_000, 3_610_000)];
    const other = [span("crew", 0, 330_000), span("wait", 20_000, 320_000)];
    const cuts = [
      { from: 20_000, to: 320_000 },
      { from: 330_000, to: 3_610_000 },
    ];
    assert.deepEqual(waitsAt(0, one, other), cuts);
    assert.deepEqual(waitsAt(0, other, one), cuts);
    const busy = [span("crew", 0, 3_700_000)];
    assert.deepEqual(waitsAt(0, one, busy), []);
  });

  it("lets a wait that lasts take the rest of the axis, unless the other execution runs", () => {
    const waits = [span("crew", 0), span("wait", 1_000)];
    const ended = [span("crew", 0, 2_000)];
    const running = [span("crew", 0)];
    assert.deepEqual(waitsOf([waits], 70_000), [{ from: 1_000, to: 70_000 }]);
    assert.deepEqual(waitsOf([waits, ended], 70_000), [{ from: 2_000, to: 70_000 }]);
    assert.deepEqual(waitsOf([waits, waits], 70_000), [{ from: 1_000, to: 70_000 }]);
    assert.deepEqual(waitsOf([waits, running], 70_000), []);
  });

  it("zooms around a place that keeps its time, and not further than the whole", () => {
    const axis = axisOf({ from: 0, to: 1_000 }, 1_000, [], 5);
    const half = zoomed(axis, 0.5, 0.2, 1_000);
    assert.ok(half !== undefined);
    near(half.from, 100);
    near(half.to, 600);
    near(axisOf(half, 1_000, [], 5).placeOf(200), 0.2);
    assert.equal(zoomed(axisOf(half, 1_000, [], 5), 4, 0.2, 1_000), undefined, "everything fits");
    const least = zoomed(axis, 0.000_01, 0.5, 1_000);
    assert.ok(least !== undefined && least.to - least.from >= 10);
  });

  it("moves, but not out of the whole", () => {
    const axis = axisOf({ from: 200, to: 400 }, 1_000, [], 5);
    assert.deepEqual(panned(axis, 0.5, 1_000), { from: 300, to: 500 });
    assert.deepEqual(panned(axis, -9, 1_000), { from: 0, to: 200 });
    assert.deepEqual(panned(axis, 9, 1_000), { from: 800, to: 1_000 });
  });
});
