import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../support/random.ts";
import { anExecution } from "./samples.ts";
import { Windows } from "./windows.ts";

const ROUNDS = 15;
const localIds = ["a", "b", "c"];

describe("two processes on one store, one killed again and again", () => {
  let windows: Windows;
  const running = new Set<ChildProcess>();
  const stored: { localId: string; mark: string }[] = [];
  const problems: string[] = [];

  beforeEach(() => (windows = new Windows()));
  afterEach(() => running.forEach((child) => child.kill("SIGKILL")));

  /** Starts a writer; resolves when it has stored its first mark. */
  async function startWriter(name: string): Promise<ChildProcess> {
    const child = spawn(
      process.execPath,
      [path.join(import.meta.dirname, "store-worker.ts"), windows.folder, name],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    running.add(child);
    child.once("exit", () => running.delete(child));
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", () => reject(new Error(`The writer ${name} ended before it wrote.`)));
      lines.on("line", (line) => {
        const [, localId, mark] = /^stored (\S+) (\S+)$/.exec(line) ?? [];
        if (localId !== undefined && mark !== undefined) {
          stored.push({ localId, mark });
          resolve();
        } else {
          problems.push(line);
        }
      });
    });
    return child;
  }

  it("loses nothing that was stored, and writes nothing twice", async () => {
    const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
    console.log(`      seed ${seed} (repeat with CREWDECK_SEED=${seed})`);
    const random = seededRandom(seed);
    const first = windows.open();
    for (const localId of localIds) first.add(anExecution({ localId, kickoffIds: [localId] }));

    const survivor = await startWriter("survivor");
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await startWriter(`victim${round}`);
      const atDeath = stored.length;
      await delay(random() * 60); // The test is about the moment of the kill.
      victim.kill("SIGKILL");
      await once(victim, "close");
      while (stored.length <= atDeath + 3) await delay(5); // What the victim left behind doesn't block the survivor.
    }
    survivor.stdin?.end();
    await once(survivor, "close");

    const store = windows.open();
    for (const localId of localIds) {
      const kept = store.find(localId)?.resumes.map((resume) => resume.taskId) ?? [];
      const reported = stored.filter((each) => each.localId === localId).map((each) => each.mark);
      assert.ok(reported.length > ROUNDS, "enough was written for a meaningful test");
      const lost = reported.filter((mark) => !kept.includes(mark));
      assert.deepEqual(lost, [], "stored marks that are lost");
      assert.equal(new Set(kept).size, kept.length, "marks that are there twice");
    }
    first.refresh();
    assert.deepEqual(first.list(), store.list());
    assert.deepEqual([...problems, ...windows.problems], []);
  });
});
