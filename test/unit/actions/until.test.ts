import assert from "node:assert/strict";
import { Emitter } from "../../../src/base/events.ts";
import type { ExecutionChange } from "../../../src/executions/store.ts";
import { type Execution, without } from "../../../src/executions/model.ts";
import type { PollerChange } from "../../../src/executions/poller.ts";
import { untilItMatters } from "../../../src/actions/execution-data.ts";
import type { Circumstances } from "../../../src/view/actions.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { anExecution, notWaiting } from "../views/executions.ts";

describe("Waiting for an execution", () => {
  let execution: Execution | undefined;
  let clock: FakeClock;
  let polls: number[];
  const changes = new Emitter<ExecutionChange>((error) => assert.fail(String(error)));
  const troubles = new Emitter<PollerChange>((error) => assert.fail(String(error)));
  const store = { summary: () => execution, onDidChange: changes.event };
  let circumstances: { of: () => Circumstances };
  const pollNow = () => {
    polls.push(clock.now());
    return Promise.resolve();
  };
  const poller = { pollNow, onDidChange: troubles.event };
  const wait = (milliseconds: number, signal: AbortSignal = new AbortController().signal) =>
    untilItMatters({ store, clock, poller, circumstances }, "local-1", milliseconds, signal);
  const change = (next: Execution | undefined) => {
    execution = next;
    changes.fire({ added: [], changed: [], removed: [] });
  };

  beforeEach(() => {
    [clock, polls, execution] = [new FakeClock(), [], notWaiting()];
    circumstances = { of: () => ({}) };
  });

  afterEach(() => assert.equal(clock.pending, 0, "no timer is left"));

  for (const [what, next] of [
    ["waits for a person", anExecution()],
    ["has ended", notWaiting({ state: "failed" })],
    ["may be waiting", notWaiting({ state: "unknown", mayBeWaiting: true })],
    ["is tracked no more", undefined],
  ] as const) {
    it(`ends when it ${what}, and not before`, async () => {
      let ended = false;
      const waiting = wait(60_000).then(() => (ended = true));
      change(notWaiting({ state: "running", output: "more" }));
      await clock.pass(1_000);
      assert.equal(ended, false);
      change(next);
      await waiting;
    });
  }

  it("continues while the crew has never known a tracked ID", async () => {
    const changes = { origin: "tracked", state: "unknown", mayBeWaiting: true, tasks: [] } as const;
    execution = without(notWaiting({ ...changes, resumes: [] }), "seenAt", "progress");
    const waiting = wait(5_000);
    await clock.pass(5_000);
    await waiting;
    assert.ok(polls.length > 0);
  });

  it("polls the crew less and less often, and ends when the time is over", async () => {
    const start = clock.now();
    const waiting = wait(60_000);
    await clock.pass(60_000);
    await waiting;
    const waits = polls.map((at, index) => at - (polls[index - 1] ?? start));
    assert.deepEqual(
      waits.slice(0, 10),
      Array.from({ length: 10 }, () => 2_000),
    );
    assert.ok(polls.length > 12 && polls.length < 20, String(polls.length));
    assert.ok((waits.at(-1) ?? 0) > 4_000, String(waits.at(-1)));
  });

  it("ends as soon as polling can't help, and polls no more", async () => {
    const waiting = wait(60_000);
    circumstances.of = () => ({ doubt: { short: "", text: "", isLasting: true } });
    troubles.fire({ crewIds: ["url:https://crew.test"], localIds: [] });
    await waiting;
    await wait(60_000);
    assert.deepEqual(polls, []);
  });

  it("ends with its cancellation", async () => {
    const controller = new AbortController();
    const waiting = wait(60_000, controller.signal);
    controller.abort(new Error("cancelled"));
    await assert.rejects(waiting, /cancelled/);
    await assert.rejects(wait(60_000, controller.signal), /cancelled/);
    assert.deepEqual(polls, []);
  });
});
