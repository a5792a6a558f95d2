import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Intents, isAlive, kickoffKey, resumeKey } from "../../../src/sending/sends.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { recoverSends } from "../../../src/sending/recover.ts";
import { resumeSending } from "../../../src/executions/resumes.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { anExecution, aReading, at, START } from "../executions/samples.ts";

const id = anExecution().localId;
const target = { taskId: "review", attempt: 1 };

describe("Intents", () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder("intents")));
  afterEach(() => rm(folder, { recursive: true }));

  it("gives a claim once, until it is released", async () => {
    const [one, two] = [
      new Intents(path.join(folder, "new")),
      new Intents(path.join(folder, "new")),
    ];
    const key = resumeKey(id, "task / with: any ☃ name", 1);
    assert.equal(await one.claim(key, { at: 1 }), true);
    assert.equal(await two.claim(key, { at: 2 }), false);
    assert.equal(await one.claim(key, { at: 3 }), false);
    assert.deepEqual(
      (await two.all()).map((intent) => [intent.key, intent.content, intent.pid]),
      [[key, { at: 1 }, process.pid]],
    );
    await two.release(key);
    await two.release(key);
    assert.equal(await two.claim(key, {}), true);
  });

  it("has a claim for each sending that the person wants, each task and each attempt", () => {
    const keys = [
      resumeKey(id, "a", 1),
      resumeKey(id, "a", 1, 1),
      resumeKey(id, "a", 1, 2),
      resumeKey(id, "a", 2),
      resumeKey(id, "A", 1),
      kickoffKey(id),
    ];
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(resumeKey(id, "a", 1, 0), resumeKey(id, "a", 1));
  });

  it("holds a claim even if its file cannot be understood", async () => {
    const intents = new Intents(folder);
    await intents.claim("key", {});
    const [name = ""] = await readdir(folder);
    await writeFile(path.join(folder, name), "{");
    assert.deepEqual(await intents.all(), []);
    assert.equal(await intents.claim("key", {}), false);
  });

  it("gives each of many claims to exactly one of several processes", async () => {
    const workers = Array.from({ length: 4 }, () =>
      fork(path.join(import.meta.dirname, "intent-worker.ts"), [folder, "50"]),
    );
    try {
      await Promise.all(workers.map((worker) => once(worker, "message")));
      const answers = workers.map(async (worker) => (await once(worker, "message"))[0] as number[]);
      for (const worker of workers) worker.send("go");
      const got = (await Promise.all(answers)).flat();
      assert.deepEqual(
        got.sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index),
      );
    } finally {
      for (const worker of workers) worker.kill("SIGKILL");
    }
  });
});

describe("recoverSends", () => {
  let folder: string;
  let clock: FakeClock;
  let store: ExecutionStore;
  let intents: Intents;

  beforeEach(async () => {
    folder = temporaryFolder("recover");
    clock = new FakeClock();
    intents = new Intents(path.join(folder, "intents"));
    store = new ExecutionStore({
      folder: path.join(folder, "executions"),
      clock,
      onProblem: (_message, error) => assert.fail(String(error)),
    });
    await store.open();
  });
  afterEach(async () => {
    store.dispose();
    await rm(folder, { recursive: true });
  });

  const sending = (execution: Execution) =>
    resumeSending(execution, target, {
      isApprove: true,
      text: "Approved.",
      at: new Date(START).toISOString(),
    });
  const outcome = () => store.find(id)?.resumes[0]?.outcome;

  /** Claims as a process that has ended since. */
  async function claimAsDead(key: string): Promise<void> {
    const before = new Set(await readdir(path.join(folder, "intents")).catch(() => []));
    await intents.claim(key, {});
    for (const name of (await readdir(path.join(folder, "intents"))).filter(
      (each) => !before.has(each),
    )) {
      const file = path.join(folder, "intents", name);
      const intent = JSON.parse(await readFile(file, "utf8")) as object;
      await writeFile(
        file,
        JSON.stringify({ ...intent, session: "an earlier process with the same number" }),
      );
    }
  }

  it("leaves a sending alone whose process lives, however it was sent", async () => {
    await store.add(sending(sending(anExecution())));
    await intents.claim(resumeKey(id, "review", 1, 1), {});
    await recoverSends({ store, intents, clock });
    assert.equal(outcome(), "sending");
  });

  it("says of a sending whose process is gone that it may have arrived, and keeps its claim", async () => {
    await store.add(sending(anExecution()));
    await claimAsDead(resumeKey(id, "review", 1));
    await recoverSends({ store, intents, clock });
    assert.equal(outcome(), "unanswered");
    assert.equal(await intents.claim(resumeKey(id, "review", 1), {}), false);
  });

  it("says so as well where no claim is left, or the sending is older than any request", async () => {
    await store.add(sending(anExecution()));
    await store.add(sending(anExecution({ localId: "other" })));
    await intents.claim(resumeKey("other", "review", 1), {});
    await recoverSends({ store, intents, clock });
    assert.equal(outcome(), "unanswered");
    assert.equal(store.find("other")?.resumes[0]?.outcome, "sending");
    await clock.pass(10 * 60_000 + 1);
    await recoverSends({ store, intents, clock });
    assert.equal(store.find("other")?.resumes[0]?.outcome, "unanswered");
  });

  it("gives back the claims of the dead that guard nothing any more, and no others", async () => {
    await store.add(anExecution());
    await store.add(
      applyReading(anExecution({ localId: "ended" }), aReading({ state: "completed" }), at(1)),
    );
    const kept = [resumeKey(id, "review", 1)];
    const given = [
      kickoffKey("never-written"),
      resumeKey("ended", "review", 1),
      resumeKey("untracked", "review", 1),
      kickoffKey(id),
    ];
    for (const key of [...kept, ...given]) await claimAsDead(key);
    await intents.claim(kickoffKey("about-to-be-written"), {});
    await recoverSends({ store, intents, clock });
    assert.deepEqual(
      (await intents.all()).map((intent) => intent.key).sort(),
      [...kept, kickoffKey("about-to-be-written")].sort(),
    );
  });

  it("tells a living process from a dead one", () => {
    const intent = { key: "k", session: "s", content: {} };
    assert.equal(isAlive({ ...intent, pid: process.ppid }), true);
    assert.equal(
      isAlive({ ...intent, pid: process.pid }),
      false,
      "another process had this number before",
    );
    assert.equal(isAlive({ ...intent, pid: 2 ** 30 }), false);
  });
});
