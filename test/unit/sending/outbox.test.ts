import assert from "node:assert/strict";
import { UserError } from "../../../src/base/errors.ts";
import { resumeSending } from "../../../src/executions/resumes.ts";
import type { Intent } from "../../../src/sending/outbox.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { anExecution, START } from "../executions/samples.ts";
import { failures, intentsIn, kill, sendOpenly, type Window, Windows } from "./window.ts";

const { localId } = anExecution();
const resume: Intent = { kind: "resume", localId, taskId: "task / with: any ☃ name", attempt: 1 };
const kickoff: Intent = { kind: "kickoff", localId };
const nothing = () => undefined;

describe("The outbox", () => {
  let windows: Windows;
  let clock: FakeClock;
  let one: Window;
  let two: Window;
  beforeEach(() => {
    windows = new Windows();
    clock = new FakeClock();
    [one, two] = [windows.open(clock), windows.open(clock)];
  });

  it("sends a request once from any window until its outcome is recorded, and distinguishes requests", async () => {
    const others: readonly Intent[] = [
      kickoff,
      { kind: "stop", localId },
      { ...resume, attempt: 2 },
      { ...resume, taskId: "TASK" },
      { ...resume, localId: "other" },
    ];
    let count = 0;
    const request = () => Promise.resolve(count++);
    await sendOpenly(one.outbox, resume, nothing, request);
    for (const { outbox } of [one, two])
      await assert.rejects(sendOpenly(outbox, resume, nothing, request));
    assert.equal(count, 1);
    for (const send of others) await sendOpenly(two.outbox, send, nothing, request);
    assert.equal(count, 1 + others.length);
    two.outbox.settle(resume, nothing);
    await sendOpenly(one.outbox, resume, nothing, request);
    assert.equal(count, 2 + others.length);
  });

  it("is not emptied while one is being sent, in any window", async () => {
    const answer = Promise.withResolvers<undefined>();
    const record = () => two.store.add(anExecution());
    const sent = sendOpenly(two.outbox, kickoff, record, () => answer.promise);
    assert.throws(() => one.outbox.clear(), UserError);
    assert.equal(one.outbox.has(kickoff), true);
    answer.resolve(undefined);
    await sent;
    one.outbox.clear();
    assert.equal(one.outbox.has(kickoff), false);
  });

  it("sends and records nothing if recording throws", async () => {
    const record = () => {
      one.store.add(anExecution());
      throw new Error("sent before");
    };
    const send = sendOpenly(one.outbox, kickoff, record, () => assert.fail("it was sent"));
    await assert.rejects(send, /sent before/);
    assert.deepEqual([one.store.list(), one.outbox.has(kickoff)], [[], false]);
  });

  for (const [name, fail] of failures)
    it(`sends nothing while the ${name}`, async () => {
      fail(one.database);
      const record = () => one.store.add(anExecution({ label: "x".repeat(1_000_000) }));
      const sending = sendOpenly(one.outbox, kickoff, record, () => assert.fail("it was sent"));
      await assert.rejects(sending);
      assert.deepEqual([two.store.list(), two.outbox.has(kickoff)], [[], false]);
    });

  it("shows every window that a request is in progress, from its transaction until it is answered or fails", async () => {
    const answer = Promise.withResolvers<undefined>();
    const seen: boolean[] = [];
    const sending = sendOpenly(
      one.outbox,
      kickoff,
      () => seen.push(two.outbox.isUnderWay(kickoff)),
      () => (seen.push(two.outbox.isUnderWay(kickoff)), answer.promise),
    );
    assert.deepEqual(seen, [false, true], "from the end of the transaction on");
    assert.deepEqual([...two.outbox.underWay()], [localId]);
    answer.reject(new Error("no answer"));
    await assert.rejects(sending, /no answer/);
    assert.deepEqual([...two.outbox.underWay()], []);
    assert.equal(two.outbox.has(kickoff), true);
  });

  it("shows that a request is no longer in progress if its process has ended, or after the longest time of a request", async () => {
    const sending = Promise.withResolvers<undefined>();
    void sendOpenly(one.outbox, resume, nothing, () => sending.promise);
    one.database.run("UPDATE intents SET pid = ?", process.ppid);
    assert.equal(two.outbox.isUnderWay(resume), true, "another process is sending it");
    await clock.pass(10 * 60_000 + 1);
    assert.equal(two.outbox.isUnderWay(resume), false, "another process may have that ID now");
    one.outbox.settle(resume, nothing);
    void sendOpenly(two.outbox, resume, nothing, () => sending.promise);
    await clock.pass(60 * 60_000);
    assert.equal(one.outbox.isUnderWay(resume), true, "though the computer slept");
    kill(two);
    assert.equal(one.outbox.isUnderWay(resume), false);
    sending.resolve(undefined);
  });
});

describe("A recovery of the outbox", () => {
  let windows: Windows;
  let window: Window;

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
  });

  function startSending(id: string): void {
    const target = { taskId: "review", attempt: 1 };
    const feedback = { isApprove: true, text: "Approved.", at: new Date(START).toISOString() };
    const record = () => window.store.update(id, (known) => resumeSending(known, target, feedback));
    const intent = { kind: "resume", localId: id, ...target } as const;
    void sendOpenly(window.outbox, intent, record, () => new Promise(() => undefined));
  }
  const outcomes = () =>
    window.store
      .list()
      .map(({ localId, resumes }) => `${localId} ${resumes[0]?.outcome}`)
      .sort();

  it("marks feedback as unanswered if its process has ended, once, and no other", () => {
    window.store.add(anExecution({ localId: "lost", kickoffIds: ["k-1"] }));
    startSending("lost");
    kill(window);
    window.store.add(anExecution({ localId: "under-way", kickoffIds: ["k-2"] }));
    startSending("under-way");
    for (const time of ["once", "twice"]) {
      window.outbox.recover(window.store);
      assert.deepEqual(outcomes(), ["lost unanswered", "under-way sending"], time);
      assert.deepEqual(intentsIn(window), ["under-way"]);
    }
  });

  it("marks feedback that is recorded as being sent but has no row", () => {
    window.store.add(anExecution({ localId: "lost" }));
    startSending("lost");
    window.database.run("DELETE FROM intents");
    window.outbox.recover(window.store);
    assert.deepEqual(outcomes(), ["lost unanswered"]);
  });

  it("forgets feedback for executions that are no longer tracked, and keeps every kickoff without a response", async () => {
    window.store.add(anExecution({ localId: "gone" }));
    startSending("gone");
    window.store.remove("gone");
    const gone: Intent = { kind: "kickoff", localId: "gone" };
    const noAnswer = () => Promise.reject(new Error("no answer"));
    await assert.rejects(sendOpenly(window.outbox, gone, nothing, noAnswer));
    kill(window);
    window.outbox.recover(window.store);
    assert.equal(window.outbox.has(gone), true);
    assert.deepEqual(intentsIn(window), ["gone"]);
  });
});
