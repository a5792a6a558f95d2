import assert from "node:assert/strict";
import { UserError } from "../../../src/base/errors.ts";
import { resumeSending } from "../../../src/executions/resumes.ts";
import { type Send, recoverSends } from "../../../src/sending/sends.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { anExecution, START } from "../executions/samples.ts";
import { deferred } from "../kickoff/support.ts";
import { failures, kill, type Window, Windows } from "./window.ts";

const { localId } = anExecution();
const resume: Send = { kind: "resume", localId, taskId: "task / with: any ☃ name", attempt: 1 };
const kickoff: Send = { kind: "kickoff", localId };
const nothing = () => undefined;

describe("Sends", () => {
  let windows: Windows;
  let clock: FakeClock;
  let one: Window;
  let two: Window;
  beforeEach(() => {
    windows = new Windows();
    clock = new FakeClock();
    [one, two] = [windows.open(clock), windows.open(clock)];
  });
  afterEach(() => windows.close());

  it("send a request once from any window until its outcome is recorded, and distinguish requests", async () => {
    const others: readonly Send[] = [
      kickoff,
      { ...resume, attempt: 2 },
      { ...resume, taskId: "TASK" },
      { ...resume, localId: "other" },
    ];
    let count = 0;
    const request = () => Promise.resolve(count++);
    await one.sends.once(resume, nothing, request);
    for (const { sends } of [one, two]) await assert.rejects(sends.once(resume, nothing, request));
    assert.equal(count, 1);
    for (const send of others) await two.sends.once(send, nothing, request);
    assert.equal(count, 1 + others.length);
    two.sends.settle(resume, nothing);
    await one.sends.once(resume, nothing, request);
    assert.equal(count, 2 + others.length);
  });

  it("are not forgotten while one is being sent, in any window", async () => {
    const answer = deferred<undefined>();
    const sent = two.sends.once(
      kickoff,
      () => two.store.add(anExecution()),
      () => answer.promise,
    );
    assert.throws(() => one.sends.clear(), UserError);
    assert.equal(one.sends.has(kickoff), true);
    answer.resolve(undefined);
    await sent;
    one.sends.clear();
    assert.equal(one.sends.has(kickoff), false);
  });

  it("send and record nothing if recording throws", async () => {
    const record = () => {
      one.store.add(anExecution());
      throw new Error("sent before");
    };
    await assert.rejects(
      one.sends.once(kickoff, record, () => assert.fail("it was sent")),
      /sent before/,
    );
    assert.deepEqual([one.store.list(), one.sends.has(kickoff)], [[], false]);
  });

  for (const [name, fail] of failures) {
    it(`send nothing while the ${name}`, async () => {
      fail(one.database);
      await assert.rejects(
        one.sends.once(
          kickoff,
          () => one.store.add(anExecution({ label: "x".repeat(1_000_000) })),
          () => assert.fail("it was sent"),
        ),
      );
      assert.deepEqual([two.store.list(), two.sends.has(kickoff)], [[], false]);
    });
  }

  it("show every window that a request is in progress, from its transaction until it is answered or fails", async () => {
    const answer = deferred<undefined>();
    const seen: boolean[] = [];
    const sending = one.sends.once(
      kickoff,
      () => seen.push(two.sends.isUnderWay(kickoff)),
      () => (seen.push(two.sends.isUnderWay(kickoff)), answer.promise),
    );
    assert.deepEqual(seen, [false, true], "from the end of the transaction on");
    assert.deepEqual(two.sends.underWay(), [kickoff]);
    answer.reject(new Error("no answer"));
    await assert.rejects(sending, /no answer/);
    assert.deepEqual(two.sends.underWay(), []);
    assert.deepEqual([two.sends.has(kickoff), two.sends.lost()], [true, [kickoff]]);
  });

  it("show that a request is no longer in progress if its process has ended, or after the longest time of a request", async () => {
    const sending = deferred<undefined>();
    void one.sends.once(resume, nothing, () => sending.promise);
    one.database.run("UPDATE sends SET pid = ?", process.ppid);
    assert.equal(two.sends.isUnderWay(resume), true, "another process is sending it");
    await clock.pass(10 * 60_000 + 1);
    assert.equal(two.sends.isUnderWay(resume), false, "another process may have that ID now");
    one.sends.settle(resume, nothing);
    void two.sends.once(resume, nothing, () => sending.promise);
    await clock.pass(60 * 60_000);
    assert.equal(
      one.sends.isUnderWay(resume),
      true,
      "this process sends it, though the computer slept",
    );
    kill(two);
    assert.equal(one.sends.isUnderWay(resume), false);
    sending.resolve(undefined);
  });
});

describe("recoverSends", () => {
  let windows: Windows;
  let window: Window;

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
  });
  afterEach(() => windows.close());

  /** Starts to send feedback and gets no response. */
  function startSending(id: string): void {
    const target = { taskId: "review", attempt: 1 };
    const feedback = { isApprove: true, text: "Approved.", at: new Date(START).toISOString() };
    void window.sends.once(
      { kind: "resume", localId: id, ...target },
      () => window.store.update(id, (known) => resumeSending(known, target, feedback)),
      () => new Promise(() => undefined),
    );
  }
  const outcomes = () =>
    window.store.list().map(({ localId, resumes }) => [localId, resumes[0]?.outcome]);
  const rows = () =>
    window.database.all("SELECT local_id FROM sends").map((row) => row["local_id"]);

  it("marks feedback as unanswered if its process has ended, once, and no other", () => {
    window.store.add(anExecution({ localId: "lost", kickoffIds: ["k-1"] }));
    startSending("lost");
    kill(window);
    window.store.add(anExecution({ localId: "under-way", kickoffIds: ["k-2"] }));
    startSending("under-way");
    for (const time of ["once", "twice"]) {
      recoverSends(window);
      assert.deepEqual(
        outcomes().sort(),
        [
          ["lost", "unanswered"],
          ["under-way", "sending"],
        ],
        time,
      );
      assert.deepEqual(rows(), ["under-way"]);
    }
  });

  it("marks feedback that is recorded as being sent but has no row", () => {
    window.store.add(anExecution({ localId: "lost" }));
    startSending("lost");
    window.database.run("DELETE FROM sends");
    recoverSends(window);
    assert.deepEqual(outcomes(), [["lost", "unanswered"]]);
  });

  it("forgets feedback for executions that are no longer tracked, and keeps every kickoff without a response", async () => {
    window.store.add(anExecution({ localId: "gone" }));
    startSending("gone");
    window.store.remove("gone");
    await assert.rejects(
      window.sends.once({ kind: "kickoff", localId: "gone" }, nothing, () =>
        Promise.reject(new Error("no answer")),
      ),
    );
    kill(window);
    recoverSends(window);
    assert.deepEqual(window.sends.lost(), [{ kind: "kickoff", localId: "gone" }]);
  });
});
