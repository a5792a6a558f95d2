import assert from "node:assert/strict";
import { copyFile, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import type { ExecutionChange } from "../../../src/executions/known.ts";
import { type Execution, without } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { Revisions } from "../../../src/executions/revisions.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution, aReading, at, working } from "./samples.ts";

const id = anExecution().localId;
const labelled = (label: string) => (execution: Execution) => ({ ...execution, label });

describe("ExecutionStore", () => {
  let folder: string;
  let problems: string[];
  let stores: ExecutionStore[];

  beforeEach(() => {
    folder = temporaryFolder("store");
    problems = [];
    stores = [];
  });

  afterEach(async () => {
    for (const store of stores) store.dispose();
    await rm(folder, { recursive: true });
  });

  async function open(clock = systemClock): Promise<ExecutionStore> {
    const store = new ExecutionStore({
      folder,
      clock,
      onProblem: (message, error, about) =>
        problems.push(`${message} ${about ?? ""} ${String(error)}`),
    });
    stores.push(store);
    await store.open();
    return store;
  }

  /** A store whose clock stands still: it looks at the folder only when told. */
  const openDeaf = () => open(new FakeClock());

  function changesOf(store: ExecutionStore): string[] {
    const heard: string[] = [];
    const say = (kind: "added" | "changed" | "removed", change: ExecutionChange) =>
      change[kind].forEach((execution) =>
        heard.push(`${kind} ${execution.label ?? execution.state}`),
      );
    store.onDidChange((change) =>
      (["added", "changed", "removed"] as const).forEach((kind) => say(kind, change)),
    );
    return heard;
  }

  it("refuses a local id that was ever taken, though its first revision is long gone and nobody told", async () => {
    const slow = await openDeaf();
    const store = await openDeaf();
    await store.add(anExecution());
    await store.update(id, labelled("Mine"));
    await rm(path.join(folder, `${id}.1.json`));
    await assert.rejects(slow.add(anExecution()), /tracked already/);
    await store.remove(id);
    await rm(path.join(folder, `${id}.2.json`));
    await assert.rejects(slow.add(anExecution()), /tracked already/);
    assert.deepEqual(await readdir(folder), [`${id}.3.json`]);
  });

  it("keeps what it is given over a restart, newest first", async () => {
    const store = await openDeaf();
    await store.add(anExecution());
    await store.add(anExecution({ localId: "later", startedAt: new Date(at(60)).toISOString() }));
    await store.update(id, labelled("Mine"));
    const again = await openDeaf();
    assert.deepEqual(
      again.list().map((each) => [each.localId, each.label]),
      [
        ["later", undefined],
        [id, "Mine"],
      ],
    );
    assert.deepEqual(again.list(), store.list());
  });

  it("finds an execution by its local id and by any kickoff id, of one crew where it is named", async () => {
    const store = await openDeaf();
    const mine = await store.add(anExecution({ kickoffIds: ["k1", "k2"] }));
    const other = await store.add(
      anExecution({
        localId: "other",
        crew: { id: "url:b", name: "B", url: "b" },
        kickoffIds: ["k2"],
      }),
    );
    assert.equal(store.find(id), mine);
    assert.equal(store.find("k1"), mine);
    assert.equal(store.find("k2", "url:b"), other);
    assert.equal(store.find("k2", mine.crew.id), mine);
    assert.equal(store.find("k3"), undefined);
    await store.update(id, (execution) => ({ ...execution, kickoffIds: ["k1", "k2", "k3"] }));
    assert.equal(store.find("k3")?.localId, id);
    await store.remove(id);
    assert.deepEqual(
      [store.find("k1"), store.find("k3"), store.find("k2")],
      [undefined, undefined, other],
    );
  });

  it("refuses a local id that is taken, here or by another window, or that cannot name a file", async () => {
    const store = await openDeaf();
    const other = await openDeaf();
    await store.add(anExecution());
    await assert.rejects(store.add(anExecution()), /tracked already/);
    await assert.rejects(other.add(anExecution()), /tracked already/);
    await assert.rejects(
      store.add(anExecution({ localId: "../x" })),
      /letters, digits and hyphens/,
    );
  });

  it("tells of each real change once", async () => {
    const store = await openDeaf();
    const heard = changesOf(store);
    await store.add(anExecution());
    await store.update(id, labelled("Mine"));
    await store.update(id, labelled("Mine"));
    await store.refresh();
    await store.remove(id);
    await store.remove(id);
    await store.refresh();
    assert.deepEqual(heard, ["added queued", "changed Mine", "removed Mine"]);
    assert.equal(await store.update(id, labelled("Again")), undefined);
  });

  it("has told of what it wrote when that is done, whatever look at the folder comes between", async () => {
    const store = await openDeaf();
    const heard: string[] = [];
    store.onDidChange(({ added, changed, removed }) =>
      heard.push(...[...added, ...changed, ...removed].map(({ label }) => label ?? "")),
    );
    store.onDidAdd(({ label }) => heard.push(`${label} is new`));
    const end = new AbortController();
    const looking = (async () => {
      while (!end.signal.aborted) await store.refresh();
    })();
    try {
      for (let number = 0; number < 100; number++) {
        const localId = `execution-${number}`;
        await store.add(anExecution({ localId, label: "added" }));
        await store.update(localId, labelled("changed"));
        await store.remove(localId);
        assert.deepEqual(heard.splice(0), ["added", "added is new", "changed", "changed"], localId);
      }
    } finally {
      end.abort();
      await looking;
    }
  });

  it("changes what another window has written, not what it knew", async () => {
    const [one, two] = [await openDeaf(), await openDeaf()];
    await one.add(anExecution());
    await two.update(id, labelled("Two"));
    await one.update(id, (execution) => applyReading(execution, working("a", 0), at(5)));
    await two.update(id, (execution) => ({ ...execution, engine: "rehearsal" }));
    await one.refresh();
    for (const store of [one, two]) {
      const { label, state, engine } = store.find(id) ?? {};
      assert.deepEqual([label, state, engine], ["Two", "running", "rehearsal"]);
    }
  });

  it("notices by itself what another window adds, changes and removes", async () => {
    const [one, two] = [await open(), await open()];
    const heard = changesOf(two);
    await one.add(anExecution());
    await waitFor("the addition", () => heard.length === 1);
    await one.update(id, labelled("Mine"));
    await waitFor("the change", () => heard.length === 2);
    await one.remove(id);
    await waitFor("the removal", () => heard.length === 3);
    assert.deepEqual(heard, ["added queued", "changed Mine", "removed Mine"]);
  });

  it("looks every 5 s while something runs, else every minute, even if the system tells of no changes", async () => {
    const clock = new FakeClock();
    const waits: number[] = [];
    const store = await open({
      now: () => clock.now(),
      after: (milliseconds, action) => (
        waits.push(milliseconds),
        clock.after(milliseconds, action)
      ),
    });
    const slow = () => waits.filter((wait) => wait >= 1_000);
    assert.deepEqual(slow(), [60_000]);
    await store.add(anExecution());
    assert.deepEqual(slow(), [60_000, 5_000]);
    await store.update(id, labelled("Mine"));
    assert.deepEqual(slow(), [60_000, 5_000], "a store that changes all the time still looks");
    await store.update(id, (execution) =>
      applyReading(execution, aReading({ state: "completed" }), at(9)),
    );
    assert.deepEqual(slow(), [60_000, 5_000, 60_000]);
  });

  it("never lets an ended execution regress; what the person does still counts", async () => {
    const [one, two] = [await openDeaf(), await openDeaf()];
    await one.add(anExecution({ tasks: [{ taskId: "a", state: "running", attempts: [] }] }));
    await two.refresh();
    await one.update(id, (execution) =>
      applyReading(execution, aReading({ state: "completed", output: "Done" }), at(9)),
    );
    const kept = await two.update(id, (execution) => ({
      ...execution,
      state: "running",
      output: "Nonsense",
      tasks: [],
      label: "Mine",
    }));
    assert.deepEqual(
      [kept?.state, kept?.output, kept?.label, kept?.tasks.length],
      ["completed", "Done", "Mine", 1],
    );
    const unnamed = await two.update(id, (execution) => without(execution, "label"));
    assert.equal(unnamed?.label, undefined);
    const reopened = await two.update(id, (execution) => ({
      ...execution,
      state: "running",
      kickoffIds: ["k1", "k2"],
    }));
    assert.equal(reopened?.state, "running", "a new id is another run");
  });

  it("sets a corrupt record aside, says so, and goes on with the others", async () => {
    const bad = {
      "cut.1.json": '{"version":1,"localId":"cu',
      "text.1.json": '"text"',
      "state.1.json": JSON.stringify(anExecution({ localId: "state", state: "odd" as never })),
      "name.1.json": JSON.stringify(anExecution({ localId: "else" })),
    };
    for (const [name, text] of Object.entries(bad)) await writeFile(path.join(folder, name), text);
    await writeFile(path.join(folder, `${id}.7.json`), JSON.stringify(anExecution()));
    const store = await openDeaf();
    assert.deepEqual(
      store.list().map((execution) => execution.localId),
      [id],
    );
    assert.equal(problems.length, 4);
    assert.match(
      problems.join("\n"),
      /set aside\. state\.1\.json\.corrupt-\d+.*"state" is missing or has the wrong type/,
    );
    const names = await readdir(folder);
    const aside = names.filter((name) => name.includes(".corrupt-"));
    assert.equal(aside.length, 4);
    assert.equal(
      await readFile(path.join(folder, aside.find((name) => name.startsWith("cut")) ?? ""), "utf8"),
      bad["cut.1.json"],
    );
    await openDeaf();
    assert.equal(problems.length, 4, "told once");
  });

  it("falls back to the revision before a corrupt one, also where it was known, and can be written again", async () => {
    const store = await openDeaf();
    await store.add(anExecution());
    await store.update(id, labelled("Lost"));
    await writeFile(path.join(folder, `${id}.2.json`), "");
    const other = await openDeaf();
    assert.equal(other.find(id)?.label, undefined);
    assert.equal(
      (await store.update(id, (execution) => ({ ...execution, engine: "rehearsal" })))?.label,
      undefined,
    );
    await other.refresh();
    assert.deepEqual(other.find(id), store.find(id));
  });

  it("leaves alone what a newer version wrote: another window may run it", async () => {
    const text = JSON.stringify({ version: 2, something: "else" });
    await writeFile(path.join(folder, `${id}.3.json`), text);
    const store = await openDeaf();
    await store.refresh();
    assert.deepEqual(store.list(), []);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /newer version/);
    assert.equal(await store.update(id, labelled("Mine")), undefined);
    assert.deepEqual(await readdir(folder), [`${id}.3.json`]);
    assert.equal(await readFile(path.join(folder, `${id}.3.json`), "utf8"), text);
  });

  it("sees an execution that was removed with its file", async () => {
    const store = await openDeaf();
    await store.add(anExecution());
    const heard = changesOf(store);
    await rm(path.join(folder, `${id}.1.json`));
    await store.refresh();
    assert.deepEqual(heard, ["removed queued"]);
  });

  it("does not let a window that slept over several changes write over them", async () => {
    const store = await openDeaf();
    await store.add(anExecution());
    await store.update(id, labelled("Two"));
    await store.update(id, labelled("Three"));
    await rm(path.join(folder, `${id}.1.json`));
    await rm(path.join(folder, `${id}.2.json`)); // As pruning does, oldest first.
    assert.equal(await new Revisions(folder).follow(id, 1, "{}"), false);
    assert.deepEqual(await readdir(folder), [`${id}.3.json`]);
  });

  it("deletes outdated revisions, old marks of removal and what was never finished, but nothing young", async () => {
    const store = await open(new FakeClock());
    await store.add(anExecution());
    await store.add(anExecution({ localId: "gone" }));
    await store.update(id, labelled("Mine"));
    await store.remove("gone");
    await writeFile(path.join(folder, ".unfinished-x"), "{");
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    await copyFile(path.join(folder, ".unfinished-x"), path.join(folder, ".unfinished-old"));
    await utimes(path.join(folder, ".unfinished-old"), old, old);
    await open();
    assert.deepEqual((await readdir(folder)).sort(), [
      ".unfinished-x",
      `${id}.1.json`,
      `${id}.2.json`,
      "gone.1.json",
      "gone.2.json",
    ]);
    const muchLater = { ...systemClock, now: () => Date.now() + 2 * 60 * 60_000 };
    await open(muchLater);
    await open(muchLater);
    assert.deepEqual(await readdir(folder), [`${id}.2.json`]);
    assert.deepEqual(problems, []);
  });

  it("leaves no timer behind", async () => {
    const clock = new FakeClock();
    const store = await open(clock);
    await store.add(anExecution());
    assert.ok(clock.pending > 0);
    store.dispose();
    assert.equal(clock.pending, 0);
    await store.update(id, labelled("Late"));
    assert.equal(clock.pending, 0);
  });

  it("reads 10,000 executions in a moment", async () => {
    const output = "A sentence of an output that is not short. ".repeat(60);
    const text = JSON.stringify(
      anExecution({
        tasks: [{ taskId: "a", state: "completed", attempts: [{ number: 1, output }] }],
      }),
    );
    for (let number = 0; number < 10_000; number += 500) {
      await Promise.all(
        Array.from({ length: 500 }, async (_, index) => {
          const localId = `execution-${number + index}`;
          await writeFile(path.join(folder, `${localId}.1.json`), text.replace(id, localId));
        }),
      );
    }
    // The processor's time and not the clock's: that of other programs on a busy machine does not count.
    const busy = (since?: NodeJS.CpuUsage) => process.cpuUsage(since);
    const milliseconds = ({ user, system }: NodeJS.CpuUsage) => Math.round((user + system) / 1000);
    const plainly = busy();
    for (const name of await readdir(folder))
      JSON.parse(await readFile(path.join(folder, name), "utf8"));
    const reading = milliseconds(busy(plainly));
    const [start, startTime] = [busy(), performance.now()];
    const store = await openDeaf();
    const opening = milliseconds(busy(start));
    const took = Math.round(performance.now() - startTime);
    const again = busy();
    await store.refresh();
    const looking = milliseconds(busy(again));
    console.log(
      `      read plainly in ${reading} ms of processor time, opened in ${took} ms (${opening} ms of it), looked again in ${looking} ms of it`,
    );
    assert.equal(store.list().length, 10_000);
    // The limits of a quick machine, or on a slow one what its reading alone takes, several times.
    assert.ok(opening < Math.max(4_000, 5 * reading), `${opening} ms`);
    assert.ok(looking < Math.max(500, reading), `${looking} ms`);
  });
});
