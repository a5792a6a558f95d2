import assert from "node:assert/strict";
import { type Execution, without } from "../../../src/executions/model.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import {
  countExecutions,
  endedExecutions,
  writeExecutions,
} from "../../support/many-executions.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution, aReading, at, read, time, working } from "./samples.ts";
import { Windows } from "./windows.ts";
import { readExecution, summaryOf, writeExecution } from "../../../src/executions/record.ts";

const id = anExecution().localId;
const labelled = (label: string) => (execution: Execution) => ({ ...execution, label });

describe("ExecutionStore", () => {
  let windows: Windows;

  beforeEach(() => (windows = new Windows()));

  function changesOf(store: ExecutionStore): string[] {
    const events: string[] = [];
    store.onDidChange((change) => {
      for (const kind of ["added", "changed", "removed"] as const)
        for (const { label, state } of change[kind]) events.push(`${kind} ${label ?? state}`);
    });
    return events;
  }

  it("keeps executions across a restart, newest first", () => {
    const store = windows.open();
    store.add(anExecution());
    store.add(anExecution({ localId: "later", startedAt: time(60) }));
    store.update(id, labelled("Mine"));
    const again = windows.open();
    const listed = again.list().map(({ localId, label }) => `${localId} ${label}`);
    assert.deepEqual(listed, ["later undefined", `${id} Mine`]);
    assert.deepEqual(again.list(), store.list());
    assert.deepEqual(
      again.list().flatMap(({ localId }) => again.find(localId) ?? []),
      [again.find("later"), again.find(id)],
    );
  });

  it("finds an execution by its local id and by any kickoff id, of one crew if one is given", () => {
    const store = windows.open();
    const mine = store.add(anExecution({ kickoffIds: ["k1", "k2"] }));
    const crew = { id: "url:b", name: "B", url: "b" };
    const other = store.add(anExecution({ localId: "other", crew, kickoffIds: ["k2"] }));
    assert.deepEqual(store.find(id), mine);
    assert.deepEqual(store.find("k1"), mine);
    assert.deepEqual(store.find("k2", "url:b"), other);
    assert.deepEqual(store.find("k2", mine.crew.id), mine);
    assert.equal(store.find(id, "url:b"), undefined);
    assert.equal(store.find("k3"), undefined);
    store.update(id, (execution) => ({ ...execution, kickoffIds: ["k1", "k2", "k3"] }));
    assert.equal(store.find("k3")?.localId, id);
    store.remove(id);
    const found = ["k1", "k3", "k2"].map((each) => store.find(each));
    assert.deepEqual(found, [undefined, undefined, other]);
  });

  it("refuses a local id that is taken, here or by another window", () => {
    const [store, other] = [windows.open(), windows.open()];
    store.add(anExecution());
    assert.throws(() => store.add(anExecution()), /tracked already/);
    assert.throws(() => other.add(anExecution()), /tracked already/);
  });

  it("reports each real change once, when it is written", () => {
    const store = windows.open();
    const events = changesOf(store);
    store.add(anExecution());
    store.update(id, labelled("Mine"));
    store.update(id, labelled("Mine"));
    store.refresh();
    store.remove(id);
    store.remove(id);
    store.refresh();
    assert.deepEqual(events, ["added queued", "changed Mine", "removed Mine"]);
    assert.equal(store.update(id, labelled("Again")), undefined);
  });

  it("joins a surrounding transaction: if that fails, nothing is kept or reported", () => {
    const { store, database } = windows.openBoth();
    const events = changesOf(store);
    store.add(anExecution());
    const fail = () =>
      database.write(() => {
        store.update(id, labelled("Lost"));
        assert.equal(store.find(id)?.label, "Lost", "the transaction sees its own changes");
        store.add(anExecution({ localId: "lost" }));
        throw new Error("No.");
      });
    assert.throws(fail, /No\./);
    assert.equal(store.summary(id)?.label ?? store.find(id)?.label, undefined);
    assert.equal(store.find("lost"), undefined);
    store.update(id, labelled("Kept"));
    assert.equal(store.find(id)?.label, "Kept");
    assert.deepEqual(events, ["added queued", "changed Kept"]);
  });

  it("changes what another window has written, not its own older copy", () => {
    const [one, two] = [windows.open(), windows.open()];
    one.add(anExecution());
    two.update(id, labelled("Two"));
    one.update(id, (execution) => read(execution, working("a", 0), 5));
    two.update(id, (execution) => ({ ...execution, engine: "rehearsal" }));
    one.refresh();
    const all = { label: "Two", state: "running", engine: "rehearsal" };
    for (const store of [one, two])
      for (const each of [store.find(id), store.summary(id)])
        assert.partialDeepStrictEqual(each, all);
  });

  it("notices what another window adds, changes and removes", async () => {
    const clock = new FakeClock();
    const [one, two] = [windows.open(), windows.open(clock)];
    const events = changesOf(two);
    one.add(anExecution());
    await clock.pass(5_000);
    assert.deepEqual(events, ["added queued"]);
    one.update(id, labelled("Mine"));
    await clock.pass(5_000);
    assert.deepEqual(events, ["added queued", "changed Mine"]);
    one.remove(id);
    await clock.pass(5_000);
    assert.deepEqual(events, ["added queued", "changed Mine", "removed Mine"]);
  });

  it("notices a removal and an addition at once, also together with its own changes", () => {
    const [one, two] = [windows.open(), windows.open()];
    one.add(anExecution({ label: "Old" }));
    two.refresh();
    const events = changesOf(two);
    one.remove(id);
    one.add(anExecution({ localId: "new", label: "New" }));
    two.add(anExecution({ localId: "own", label: "Own" }));
    two.refresh();
    assert.deepEqual(events, ["added Own", "added New", "removed Old"]);
  });

  it("misses no change if the last revision was lost in a damaged file", () => {
    const [one, two] = [windows.openBoth(), windows.open()];
    for (const localId of ["a", "b", "c"]) one.store.add(anExecution({ localId, label: localId }));
    two.refresh();
    one.database.run("DELETE FROM revisions");
    one.store.remove("c");
    one.store.update("a", labelled("again"));
    one.store.add(anExecution({ localId: "d", label: "d" }));
    two.refresh();
    const labels = two.list().map(({ label }) => label);
    assert.deepEqual(labels, ["again", "b", "d"]);
  });

  it("never lets an ended execution regress, but keeps the person's changes", () => {
    const [one, two] = [windows.open(), windows.open()];
    one.add(anExecution({ tasks: [{ taskId: "a", state: "running", attempts: [] }] }));
    two.refresh();
    const end = aReading({ state: "completed", output: "Done" });
    one.update(id, (execution) => read(execution, end, 9));
    const late = { state: "running", output: "Nonsense", tasks: [], label: "Mine" } as const;
    const kept = two.update(id, (execution) => ({ ...execution, ...late }));
    assert.partialDeepStrictEqual(kept, { state: "completed", output: "Done", label: "Mine" });
    assert.equal(kept?.tasks.length, 1);
    const unnamed = two.update(id, (execution) => without(execution, "label"));
    assert.equal(unnamed?.label, undefined);
    const next = { state: "running", kickoffIds: ["k1", "k2"] } as const;
    const reopened = two.update(id, (execution) => ({ ...execution, ...next }));
    assert.equal(reopened?.state, "running", "a new ID is another run");
  });

  it("has no long text in its lists, and keeps outputs of many megabytes complete", () => {
    const output = "An output with an é. ".repeat(100_000);
    const feedback = { isApprove: false, text: "Once more!", at: time(5) };
    const rejected = { number: 1, output, feedback };
    const execution = anExecution({
      state: "waiting",
      request: {
        inputs: { topic: "Otters", brief: `${"x".repeat(200)} {}`, count: 3 },
        meta: { of: "mine" },
        callbacks: { taskWebhookUrl: "https://me.test", webhooks: { events: [], url: "u" } },
      },
      tasks: [
        { taskId: "a", state: "waiting", attempts: [rejected, { number: 2, output }] },
        { taskId: "b", state: "completed", attempts: [{ number: 1, output }] },
      ],
      waiting: { taskId: "a", attempt: 2, output, since: feedback.at },
      output,
      error: "x".repeat(5_000),
      resumes: [{ taskId: "a", attempt: 1, feedback, outcome: "answered", message: "Thanks" }],
    });
    windows.open().add(execution);
    const store = windows.open();
    const title = { text: "Otters", number: 1 };
    const withoutText = { isApprove: false, at: feedback.at };
    const first = { number: 1, output: true, feedback: { isApprove: false } };
    assert.deepEqual(store.summary(id), {
      ...execution,
      title,
      request: {
        inputs: { topic: "Otters", brief: "x".repeat(100), count: 3 },
        shortened: ["brief"],
      },
      tasks: [
        { taskId: "a", state: "waiting", attempts: [first, { number: 2, output: true }] },
        { taskId: "b", state: "completed", attempts: [{ number: 1, output: true }] },
      ],
      waiting: { taskId: "a", attempt: 2, output: true, since: feedback.at },
      output: true,
      error: `${"x".repeat(299)}…`,
      resumes: [{ taskId: "a", attempt: 1, feedback: withoutText, outcome: "answered" }],
    });
    assert.deepEqual(store.find(id), { ...execution, title });
    store.update(id, labelled("Mine"));
    const renamed = { ...execution, label: "Mine", title: { text: "Mine", number: 1 } };
    assert.deepEqual(windows.open().find(id), renamed);
  });

  it("skips a row that can't be read, reports it once, and continues with the others", () => {
    const { store, database } = windows.openBoth();
    for (const localId of ["cut", "text", id]) store.add(anExecution({ localId }));
    const spoil = (localId: string, text: string) =>
      database.run("UPDATE executions SET summary = ? WHERE local_id = ?", text, localId);
    spoil("cut", '{"localId":"cu');
    spoil("text", '"text"');
    const other = windows.openBoth();
    other.store.refresh();
    const listed = other.store.list().map(({ localId }) => localId);
    assert.deepEqual(listed, [id]);
    assert.equal(windows.problems.length, 2);
    assert.match(windows.problems.join("\n"), /could not be read\. text .*It is no object/);
    assert.equal(other.store.find("cut"), undefined);
    assert.equal(other.store.update("cut", labelled("x")), undefined);
    store.update(id, labelled("Mine"));
    other.store.refresh();
    assert.equal(other.store.summary(id)?.label, "Mine");
    const rows = other.database.all("SELECT local_id FROM executions");
    assert.equal(rows.length, 3, "nothing is deleted");
  });

  it("lists an execution whose details can't be read, and reports that when it is opened", () => {
    const { store, database } = windows.openBoth();
    store.add(anExecution());
    database.run("UPDATE details SET json = ?", '{"tasks":');
    const other = windows.open();
    assert.equal(other.list().length, 1);
    assert.deepEqual(windows.problems, []);
    assert.equal(other.find(id), undefined);
    assert.match(windows.problems.join(), /A tracked execution could not be read/);
  });

  it("deletes everything, and other windows notice, even one that tries to write", () => {
    const [one, two] = [windows.open(), windows.open()];
    const cleared: string[] = [];
    one.onDidClear((scope) => cleared.push(`one ${scope}`));
    one.add(anExecution());
    two.refresh();
    two.onDidClear((scope) => cleared.push(`two ${scope}, ${two.list().length} left`));
    one.clear("everything");
    assert.equal(two.update(id, labelled("Late")), undefined, "it does not come back");
    two.refresh();
    assert.deepEqual(cleared, ["two everything, 0 left"]);
    assert.deepEqual([one.list(), two.list()], [[], []]);
    const later = windows.open();
    later.onDidClear(() => assert.fail("A window that opens later must not get the event."));
  });

  it("lets one window claim an event, and none of an execution that is no longer tracked", () => {
    const { store, database } = windows.openBoth();
    const other = windows.open();
    for (const localId of ["kept", "gone"]) store.add(anExecution({ localId }));
    assert.equal(store.claim("waiting-kept", "kept"), true);
    assert.equal(other.claim("waiting-kept", "kept"), false);
    assert.equal(store.claim("waiting-kept", "kept"), false);
    assert.equal(other.claim("waiting-gone", "gone"), true);
    store.update("kept", labelled("Renamed"));
    store.remove("gone");
    assert.equal(store.claim("ended-gone", "gone"), false);
    // Claims are deleted with their execution, and not before.
    const claims = database.all("SELECT key FROM notified").map(({ key }) => key);
    assert.deepEqual(claims, ["waiting-kept"]);
  });

  it("tries again a second later if the executions couldn't be read", async () => {
    const clock = new FakeClock();
    const [one, two] = [windows.openBoth(), windows.open(clock)];
    one.store.add(anExecution());
    one.database.run("ALTER TABLE executions RENAME TO hidden");
    two.refresh();
    assert.match(windows.problems.join(), /could not be read; trying again.*no such table/);
    one.database.run("ALTER TABLE hidden RENAME TO executions");
    assert.equal(two.list().length, 0);
    await clock.pass(1_000);
    assert.equal(two.list().length, 1);
  });

  it("opens 10,000 executions in the time of parsing their summaries: least of five, printed", () => {
    const crew = { id: "url:a", name: "A", url: "a" };
    writeExecutions(windows.folder, endedExecutions(crew, 10_000, at(0)));
    const texts = windows
      .open()
      .list()
      .map((summary) => JSON.stringify(summary));
    const times = Array.from({ length: 5 }, () => ({
      opening: processorTime(() => assert.equal(countExecutions(windows.folder), 10_000)),
      parsing: processorTime(() =>
        assert.equal(texts.map((text) => JSON.parse(text) as unknown).length, 10_000),
      ),
    }));
    const opening = Math.min(...times.map((time) => time.opening));
    const parsing = Math.min(...times.map((time) => time.parsing));
    const said = `${opening.toFixed(1)} ms of processor time, parsing took ${parsing.toFixed(1)} ms`;
    console.log(`      10,000 executions opened in ${said}`);
    // The promise is 30 ms on a quiet machine, where parsing took 28. On a busy one, both take longer.
    assert.ok(opening < 1.5 * parsing, said);
  });
});

function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe("an execution's summary", () => {
  it("has true for an output, and omits an empty one, which the whole execution keeps", () => {
    const attempts = [{ number: 1 }, { number: 2, output: "Text." }];
    const execution = anExecution({
      state: "completed",
      output: "",
      tasks: [{ taskId: "write", state: "completed", attempts }],
    });
    const texts = writeExecution(execution);
    const summary = summaryOf(execution);
    assert.equal(summary.output, undefined);
    assert.deepEqual(summary.tasks[0]?.attempts, [{ number: 1 }, { number: 2, output: true }]);
    assert.deepEqual(readExecution(texts), execution);
  });
});
