import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { ResumeAnswer, StatusReading } from "../../../src/api/types.ts";
import { applyReport } from "../../../src/executions/callback-report.ts";
import { confirmKickoff, applyReading } from "../../../src/executions/reduce.ts";
import { resumeAnswered, resumeSending } from "../../../src/executions/resumes.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { PollerChange } from "../../../src/executions/poller.ts";
import { anExecution, aReading, failure, notFound, pausing, working } from "./samples.ts";
import { Scene } from "./poller-support.ts";

const id = anExecution().localId;
const inView = { isListVisible: true, isFocused: true, open: new Set<string>() };
const [hidden, unfocused] = [
  { ...inView, isListVisible: false },
  { ...inView, isFocused: false },
];
const target = { taskId: "review", attempt: 1 };

function kindOf({ poller }: Scene, execution: Execution): unknown {
  const problem = poller.problemOf(execution);
  return problem instanceof CrewApiError ? problem.kind : problem;
}

describe("Poller", () => {
  let scene: Scene;
  afterEach(() => scene.poller.dispose());
  const known = () => scene.store.find(id) ?? assert.fail();

  /** Starts a poller of one execution, in view, whose crew gives this answer. */
  function begin(answer: StatusReading | Error = working("a", 0), watched = inView): void {
    scene = new Scene(() => answer);
    scene.store.put(anExecution());
    scene.poller.attend(watched);
    scene.poller.start();
  }

  /** Polls one execution, or as many, of a crew that answers when the test calls one of the returned functions. */
  async function beginSlow(prepare = () => scene.store.put(anExecution())) {
    const answers: ((answer: StatusReading | Promise<StatusReading>) => void)[] = [];
    scene = new Scene(() => new Promise((resolve) => answers.push(resolve)));
    scene.poller.attend(inView);
    prepare();
    scene.poller.start();
    await scene.pass(0);
    return answers;
  }

  /** Records feedback on the pause and the crew's answer to it. */
  function resumed(isApprove: boolean, answer: ResumeAnswer, secondsAgo = 0): void {
    const at = new Date(scene.clock.now() - secondsAgo * 1000).toISOString();
    scene.store.update(id, (each) => resumeSending(each, target, { isApprove, text: "So.", at }));
    scene.store.update(id, (each) => resumeAnswered(each, target, answer));
  }

  function lastPause(): number {
    const [before = 0, last = 0] = scene.seconds().slice(-2);
    return Math.round((last - before) * 10) / 10;
  }

  function changedProblems(): string[] {
    const changed: string[] = [];
    scene.poller.onDidChange(({ localIds }) => changed.push(...localIds));
    return changed;
  }

  describe("polling", () => {
    it("is reported after each answer and each failure", async () => {
      begin();
      const polled: string[] = [];
      scene.poller.onDidPoll((localId) => polled.push(localId));
      await scene.pass(1);
      scene.answer = () => failure("unreachable");
      await scene.pass(2);
      assert.deepEqual(polled, [id, id]);
    });

    it("starts at once, every 2 s for 20 s, then slows down to every 15 s", async () => {
      begin();
      await scene.pass(21);
      assert.deepEqual(scene.seconds(), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
      await scene.pass(20);
      assert.deepEqual(scene.seconds(), [24, 28.8, 34.6]);
      await scene.pass(300);
      assert.equal(lastPause(), 15);
    });

    for (const [name, watched] of [
      ["hidden", hidden],
      ["unfocused", unfocused],
    ] as const)
      it(`is four times slower while ${name}, at most 60 s`, async () => {
        begin(working("a", 0), watched);
        await scene.pass(25);
        assert.deepEqual(scene.seconds(), [0, 8, 16, 24]);
        await scene.pass(3_000);
        assert.equal(lastPause(), 60);
      });

    it("happens at once when the view becomes visible, but not twice in 2 s", async () => {
      begin(working("a", 0), hidden);
      await scene.pass(5);
      scene.poller.attend(inView);
      await scene.pass(0);
      assert.deepEqual(scene.seconds(), [0, 5]);
      for (let again = 0; again < 5; again++) {
        scene.poller.attend({ ...hidden, isFocused: false });
        scene.poller.attend(inView);
        await scene.pass(0.1);
      }
      assert.deepEqual(scene.seconds(), []);
      await scene.pass(1.5);
      assert.deepEqual(scene.seconds(), [7]);
    });

    it("is as fast for an execution with an open document as for a visible one", async () => {
      begin(working("a", 0), hidden);
      await scene.pass(5);
      scene.poller.attend({ ...hidden, open: new Set([id]) });
      await scene.pass(2.5);
      assert.deepEqual(scene.seconds(), [0, 5, 7]);
      scene.poller.attend(hidden);
      await scene.pass(9);
      assert.deepEqual(scene.seconds(), [15]);
    });

    it("happens at once after a kickoff and a resume, and is fast from then on", async () => {
      begin(pausing("review", "Draft", 1));
      await scene.pass(600);
      scene.seconds();
      scene.store.put(anExecution({ localId: "new", kickoffIds: [], state: "unconfirmed" }));
      await scene.pass(300);
      const without = scene.asked.splice(0).filter((each) => each.kickoffId !== "k1");
      assert.deepEqual(without, [], "nothing can be requested without an ID");
      scene.store.update("new", (execution) => confirmKickoff(execution, "k2"));
      await scene.pass(0);
      const ids = () => scene.asked.splice(0).map((each) => each.kickoffId);
      assert.deepEqual(ids(), ["k2"]);
      scene.store.update("new", (execution) => ({ ...execution, state: "completed" }));
      await scene.pass(16);
      scene.seconds();
      resumed(true, { kickoffId: "k3" });
      await scene.pass(4.5);
      assert.deepEqual(ids(), ["k3", "k3", "k3"]);
    });

    it("happens every 60 s for an ID that the crew doesn't know, even while visible", async () => {
      begin(notFound);
      await scene.pass(140);
      assert.equal(known().mayBeWaiting, true);
      const before = scene.seconds().at(-1) ?? 0;
      await scene.pass(180);
      const later = scene.seconds().map((second) => Math.round(second - before));
      assert.deepEqual(later, [60, 120, 180]);
    });

    it("stops at the end", async () => {
      begin(aReading({ state: "completed", output: "Done" }));
      await scene.pass(600);
      assert.deepEqual(scene.seconds(), [0]);
      assert.equal(known().output, "Done");
      assert.equal(scene.clock.pending, 0);
    });

    it("continues after the end until its callbacks have arrived or were given up", async () => {
      const failed = { kind: "task", count: 2, attempts: 1 };
      const end = aReading({ state: "completed", output: "Done" });
      begin({ ...end, undelivered: [{ kind: "crew", count: 1, attempts: 0 }] });
      await scene.pass(0);
      assert.equal(known().undelivered?.length, 1);
      const later = aReading({ state: "failed", error: "not news" });
      scene.answer = () => ({ ...later, undelivered: [failed] });
      await scene.pass(2);
      assert.deepEqual(known().undelivered, [failed]);
      scene.answer = () => later;
      await scene.pass(600);
      const { state, output, undelivered } = known();
      assert.deepEqual([state, output, undelivered], ["completed", "Done", undefined]);
      assert.deepEqual(scene.seconds(), [0, 2, 4]);
      assert.equal(scene.clock.pending, 0);
    });

    it("ends for callbacks that were given up, which stay known", async () => {
      const undelivered = [{ kind: "task", count: 1, attempts: 12, isGivenUp: true }] as const;
      begin({ ...aReading({ state: "completed" }), undelivered });
      await scene.pass(600);
      assert.deepEqual(scene.seconds(), [0]);
      assert.deepEqual(known().undelivered, undelivered);
    });

    it("ends for callbacks of which the crew no longer knows", async () => {
      const late = {
        ...aReading({ state: "completed" }),
        undelivered: [{ kind: "task", count: 1, attempts: 1 }],
      };
      for (const answer of [notFound, failure("notFound")]) {
        begin(late);
        await scene.pass(0);
        scene.answer = () => answer;
        await scene.pass(3600);
        assert.deepEqual([known().state, known().undelivered], ["completed", undefined]);
        assert.equal(scene.clock.pending, 0);
        scene.poller.dispose();
      }
    });

    it("stops and aborts its request when an execution is no longer tracked", async () => {
      await beginSlow();
      scene.store.remove(id);
      assert.equal(scene.asked[0]?.signal?.aborted, true);
      await scene.pass(600);
      assert.equal(scene.asked.length, 1);
    });

    it("is done by the window that leads, which one with the focus does", async () => {
      scene = new Scene(() => working("a", 0));
      scene.store.put(anExecution());
      scene.leader.isThisWindow = false;
      scene.poller.start();
      await scene.pass(60);
      assert.deepEqual(scene.seconds(), []);
      scene.poller.attend(inView);
      await scene.pass(0);
      assert.deepEqual([scene.leader.taken, scene.seconds()], [1, [60]]);
      scene.poller.attend(inView);
      assert.equal(scene.leader.taken, 1);
      scene.leader.give(false);
      await scene.pass(60);
      assert.deepEqual(scene.seconds(), []);
    });

    it("sends each crew at most four requests at once, without delaying other crews", async () => {
      const answers = await beginSlow(() => {
        scene.putMany(6);
        const crew = { id: "url:other", name: "Other", url: "other" };
        scene.store.put(anExecution({ localId: "other", kickoffIds: ["o1"], crew }));
      });
      const crews = scene.asked.map((each) => each.kickoffId[0]).sort();
      assert.equal(crews.join(""), "kkkko");
      await scene.pass(600);
      assert.equal(scene.asked.length, 5, "none is polled again while its request is in progress");
      answers[0]?.(working("a", 0));
      await scene.pass(0);
      assert.equal(scene.asked.length, 6);
    });
  });

  describe("pollNow", () => {
    it("polls at once, also in a window that doesn't lead, and resolves when the answer is stored", async () => {
      scene = new Scene(() => working("a", 0));
      scene.store.put(anExecution());
      scene.leader.isThisWindow = false;
      scene.poller.start();
      await scene.poller.pollNow(id);
      assert.equal(known().state, "running");
      assert.equal(scene.asked.length, 1);
      await scene.poller.pollNow();
      assert.equal(scene.asked.length, 2);
    });

    it("polls once more after a request that is already being sent, however often it is called", async () => {
      const answers = await beginSlow();
      const done: string[] = [];
      const polls = ["one", "two", "three"].map((name) =>
        scene.poller.pollNow(id).then(() => done.push(name)),
      );
      await scene.pass(0);
      assert.equal(answers.length, 1);
      answers[0]?.(working("a", 0));
      await scene.pass(0);
      assert.deepEqual([answers.length, done], [2, []]);
      answers[1]?.(working("b", 1));
      await Promise.all(polls);
      assert.equal(done.length, 3);
      assert.equal(known().progress?.current, "b");
    });

    it("resolves at once if there is nothing to poll", async () => {
      begin(aReading({ state: "completed" }));
      await scene.pass(0);
      await scene.poller.pollNow(id);
      await scene.poller.pollNow("unknown");
      assert.equal(scene.asked.length, 1);
    });
  });

  describe("an answer", () => {
    it("is ignored if a resume has overtaken it", async () => {
      const waiting = { ...target, since: anExecution().startedAt };
      const answers = await beginSlow(() =>
        scene.store.put(anExecution({ state: "waiting", waiting })),
      );
      resumed(false, { status: "retrying" }, 60);
      answers[0]?.(pausing("review", "Draft"));
      await scene.pass(0);
      assert.deepEqual([known().state, known().waiting], ["running", undefined]);
      await scene.pass(2);
      assert.equal(answers.length, 2, "and polls again soon");
      answers[1]?.(pausing("review", "Draft", 2));
      await scene.pass(0);
      assert.equal(known().waiting?.attempt, 2);
    });

    it("is ignored if a callback reported a pause since it was requested", async () => {
      const answers = await beginSlow();
      const pause = { kind: "pause", taskId: "review", output: "# Draft" } as const;
      scene.store.update(id, (execution) => applyReport(execution, pause, scene.clock.now()));
      await scene.pass(30);
      answers[0]?.(working("review", 1));
      await scene.pass(0);
      assert.equal(known().state, "waiting");
    });

    it("is stored with its events, of which there is no other request", async () => {
      const events = [{ id: "e1", type: "task_started", at: 1 }];
      begin({ ...working("a", 0), events });
      await scene.pass(1);
      assert.deepEqual([scene.store.events, scene.asked.length], [events, 1]);
    });

    it("of 404 is stored as NOT FOUND, not as a problem", async () => {
      begin(failure("notFound"));
      await scene.pass(140);
      assert.deepEqual([known().state, known().mayBeWaiting], ["unknown", true]);
      assert.equal(scene.poller.problemOf(known()), undefined);
    });

    it("is asked for every 30 minutes a day after anything was sent", async () => {
      begin(notFound);
      await scene.pass(24 * 3600 + 60);
      scene.seconds();
      await scene.pass(2 * 3600);
      assert.equal(scene.seconds().length, 4);
    });

    it("of an execution that ended while no window was open is stored, however long ago it started", async () => {
      scene = new Scene(() => aReading({ state: "completed", output: "Done" }));
      scene.store.put(anExecution({ startedAt: "2026-10-01T00:00:00.000Z" }));
      scene.poller.start();
      await scene.pass(0);
      assert.equal(known().state, "completed");
    });
  });

  describe("when a crew fails", () => {
    it("backs off with jitter up to 5 minutes, and reports why until it works again", async () => {
      begin(failure("server"));
      const changed = changedProblems();
      scene.random = 1;
      await scene.pass(70);
      assert.deepEqual(scene.seconds(), [0, 4, 12, 28, 60]);
      await scene.pass(3600);
      assert.equal(lastPause(), 300);
      assert.equal(kindOf(scene, known()), "server");
      assert.deepEqual(changed, [id], "reported once");
      scene.answer = () => working("a", 0);
      await scene.pass(300);
      assert.equal(scene.poller.problemOf(known()), undefined);
      assert.deepEqual(changed, [id, id]);
      assert.deepEqual(scene.problems, []);
    });

    it("doesn't poll before Retry-After has passed, even if the view becomes visible", async () => {
      begin(failure("rateLimited", { retryAfterMs: 100_000 }));
      await scene.pass(1);
      scene.store.put(anExecution({ localId: "new", kickoffIds: ["k2"] }));
      scene.poller.attend({ ...hidden, isFocused: false });
      scene.poller.attend(inView);
      await scene.poller.pollNow();
      await scene.pass(98);
      assert.deepEqual(scene.seconds(), [0]);
      scene.answer = () => working("a", 0);
      await scene.pass(1);
      assert.deepEqual(scene.seconds(), [100, 100]);
    });

    it("stops on 401 with one event, and continues with pollAgain", async () => {
      scene = new Scene(() => failure("unauthorized"));
      scene.putMany(6);
      scene.poller.attend(inView);
      scene.poller.start();
      await scene.pass(600);
      assert.deepEqual(scene.refusals, ["Writers unauthorized"]);
      assert.ok(scene.asked.length <= 6);
      assert.equal(scene.poller.refusingCrews().get(anExecution().crew.id)?.kind, "unauthorized");
      assert.equal(kindOf(scene, anExecution({ localId: "e6" })), "unauthorized");
      assert.equal(scene.clock.pending, 0);
      scene.asked.length = 0;
      scene.answer = () => working("a", 0);
      scene.poller.pollAgain(anExecution().crew.id);
      await scene.pass(0);
      assert.equal(scene.asked.length, 6);
      assert.equal(scene.poller.refusingCrews().size, 0);
      assert.equal(scene.poller.problemOf(anExecution({ localId: "e6" })), undefined);
    });

    it("continues with the others if a token may not read one execution (403)", async () => {
      scene = new Scene((kickoffId) =>
        kickoffId === "k1" ? failure("forbidden") : working("a", 0),
      );
      scene.putMany(2);
      scene.poller.attend(inView);
      scene.poller.start();
      await scene.pass(30);
      assert.deepEqual([scene.refusals, scene.poller.refusingCrews().size], [[], 0]);
      assert.equal(kindOf(scene, anExecution({ localId: "e1" })), "forbidden");
      assert.equal(scene.poller.problemOf(anExecution({ localId: "e2" })), undefined);
    });

    it("stays stopped when the answer to an earlier request arrives", async () => {
      const answers = await beginSlow(() => scene.putMany(2));
      answers[0]?.(Promise.reject(failure("unauthorized")));
      await scene.pass(0);
      answers[1]?.(working("a", 0));
      await scene.pass(600);
      assert.deepEqual([scene.refusals.length, answers.length], [1, 2]);
      assert.equal(scene.poller.refusingCrews().size, 1);
    });

    it("continues when a forced poll is answered", async () => {
      begin(failure("unauthorized"));
      await scene.pass(1);
      await scene.poller.pollNow(id);
      assert.equal(scene.refusals.length, 1);
      scene.answer = () => working("a", 0);
      await scene.poller.pollNow(id);
      assert.equal(scene.poller.refusingCrews().size, 0);
      await scene.pass(10);
      assert.ok(scene.asked.length > 5);
    });

    it("reports a problem of this machine once, and continues when it is over", async () => {
      scene = new Scene(() => working("a", 0));
      scene.unconnected.add(anExecution().crew.id);
      scene.store.put(anExecution());
      const changed = changedProblems();
      scene.poller.start();
      await scene.pass(600);
      assert.equal(scene.problems.length, 1);
      assert.match(scene.problems[0] ?? "", /"Writers" is not connected/);
      assert.deepEqual(changed, [id]);
      scene.unconnected.clear();
      await scene.pass(300);
      assert.equal(known().state, "running");
      assert.deepEqual(changed, [id, id]);
    });
  });

  it("reports a problem that all executions of a crew have in one event", async () => {
    scene = new Scene(() => working("a", 0));
    scene.unconnected.add(anExecution().crew.id);
    for (const localId of ["one", "two", "three"])
      scene.store.put(anExecution({ localId, kickoffIds: [localId] }));
    const heard: PollerChange[] = [];
    scene.poller.onDidChange((change) => heard.push(change));
    scene.poller.start();
    await scene.pass(1);
    const all = heard.map(({ crewIds, localIds }) => [crewIds, localIds.toSorted()]);
    assert.deepEqual(all, [[[anExecution().crew.id], ["one", "three", "two"]]]);
  });

  it("leaves no timer and no request behind", async () => {
    await beginSlow(() => scene.putMany(2));
    const poll = scene.poller.pollNow("e1");
    scene.poller.dispose();
    await poll;
    assert.ok(scene.asked.every((each) => each.signal?.aborted === true));
    assert.equal(scene.clock.pending, 0);
    scene.poller.attend(inView);
    scene.store.put(anExecution({ localId: "three" }));
    await scene.poller.pollNow("three");
    await scene.pass(600);
    assert.deepEqual([scene.clock.pending, scene.asked.length], [0, 2]);
  });
});

describe("A crew that refuses its token", () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene(() => failure("unauthorized"));
    // Another window polls, so every request here comes from a command.
    scene.leader.isThisWindow = false;
    scene.putMany(20);
    scene.poller.start();
  });

  afterEach(() => scene.poller.dispose());

  it("gets it only with the requests already sent, however many executions are polled by command", async () => {
    await scene.poller.pollNow();
    assert.equal(scene.asked.length, 4);
  });

  it("gets it again only if one of its executions is polled by ID, and then once", async () => {
    await scene.poller.pollNow("e1");
    scene.asked.length = 0;
    await scene.poller.pollNow();
    assert.equal(scene.asked.length, 0);
    await scene.poller.pollNow("e2");
    const ids = scene.asked.map(({ kickoffId }) => kickoffId);
    assert.deepEqual(ids, ["k2"]);
  });
});

describe("The problem of a window that no longer polls", () => {
  let scene: Scene;
  let changed: string[];
  afterEach(() => scene.poller.dispose());
  const known = () => scene.store.find(id) ?? assert.fail();

  /** Makes a window whose last request failed before another window took over polling. */
  async function begin(prepare: (scene: Scene) => void): Promise<void> {
    scene = new Scene(() => failure("unreachable"));
    prepare(scene);
    scene.store.put(anExecution());
    scene.poller.start();
    await scene.pass(1);
    scene.leader.give(false);
    changed = [];
    scene.poller.onDidChange(({ crewIds, localIds }) => changed.push(...crewIds, ...localIds));
  }

  const answered = async (seconds = 120) => {
    await scene.pass(seconds);
    scene.store.update(id, (each) => applyReading(each, working("a", 0), scene.clock.now()));
    await scene.pass(1);
  };
  const problem = () => kindOf(scene, known());

  it("ends, with an event, when another window has got an answer", async () => {
    await begin(() => undefined);
    assert.equal(problem(), "unreachable");
    await answered();
    assert.equal(problem(), undefined);
    assert.deepEqual(changed, [anExecution().crew.id, id]);
    await answered();
    assert.equal(changed.length, 2, "once");
    assert.equal(scene.seconds().length, 1, "this window sent no request");
  });

  it("stays if the execution changes without an answer from the crew", async () => {
    await begin(() => undefined);
    await scene.pass(120);
    scene.store.update(id, (execution) => ({ ...execution, label: "Renamed" }));
    assert.equal(problem(), "unreachable");
    assert.deepEqual(changed, []);
  });
});
