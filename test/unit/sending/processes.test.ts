import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { temporaryFolder } from "../../support/folders.ts";
import { seededRandom } from "../../support/random.ts";
import { anExecution } from "../views/executions.ts";
import { intentsIn, openWindow } from "./window.ts";
import { feedbackIds, kickoffIds } from "./work.ts";

/** How often each window is killed before it can finish. */
const kills = 6;

describe("two windows that send the same 1,000 kickoffs and 1,000 resumes, killed again and again", () => {
  let folder: string;
  const running = new Set<ChildProcess>();
  beforeEach(() => (folder = temporaryFolder("processes")));
  afterEach(async () => {
    for (const child of running) child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  });

  it("send nothing twice, and lose nothing that was sent", async () => {
    const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
    console.log(`      seed ${seed} (repeat with CREWDECK_SEED=${seed})`);
    const first = openWindow(folder);
    for (const localId of feedbackIds)
      first.store.add(anExecution({ localId, kickoffIds: [`crew-${localId}`] }));
    first.dispose();

    const seen = { sent: counter(), refused: counter(), accepted: counter() };
    const problems: string[] = [];
    /** Runs a window, and kills it after the given lines of output and milliseconds. */
    const run = async (name: number, killed?: { readonly lines: number; readonly ms: number }) => {
      const worker = path.join(import.meta.dirname, "sender-worker.ts");
      const child = spawn(process.execPath, [worker, folder, String(name)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      running.add(child);
      let lines = 0;
      let isDone = false;
      createInterface({ input: child.stdout }).on("line", (line) => {
        const [event = "", id = ""] = line.split(" ");
        if (event === "sent" || event === "refused" || event === "accepted") seen[event].add(id);
        else if (event === "done") isDone = true;
        else if (event !== "ready") problems.push(line);
        lines += 1;
        // The test is about the moment of the kill.
        if (lines === killed?.lines) void delay(killed.ms).then(() => child.kill("SIGKILL"));
      });
      await once(child, "close");
      running.delete(child);
      if (killed === undefined) assert.ok(isDone, "the last run of a window finishes");
    };
    await Promise.all(
      [1, 2].map(async (lane) => {
        const random = seededRandom(seed + lane);
        for (let round = 0; round < kills; round++)
          await run(random() * 1e9, { lines: 1 + Math.floor(random() * 120), ms: random() * 10 });
        await run(random() * 1e9);
      }),
    );

    assert.deepEqual(problems, []);
    const { sent, refused, accepted } = seen;
    const all = [...kickoffIds, ...feedbackIds];
    const doubled = all.filter((id) => sent.of(id) > 1 + refused.of(id));
    assert.deepEqual(doubled, [], "sent twice");
    const isEnough = all.filter((id) => sent.of(id) > 0).length > 1_900;
    assert.ok(isEnough, "enough was sent for a meaningful test");

    const last = openWindow(folder);
    const { store } = last;
    last.outbox.recover(last.store);
    const outcomes = new Map<string, string | undefined>(
      all.map((id) => {
        const found = store.find(id);
        if (found === undefined) return [id, undefined];
        if (feedbackIds.includes(id)) return [id, found.resumes.at(-1)?.outcome ?? "nothing"];
        return [id, found.kickoffIds.length > 0 ? "answered" : "unanswered"];
      }),
    );
    const withOutcome = (...wanted: (string | undefined)[]) =>
      all.filter((id) => wanted.includes(outcomes.get(id)));
    const forgotten = all.filter((id) => accepted.of(id) > 0 && outcomes.get(id) !== "answered");
    assert.deepEqual(forgotten, [], "accepted, and lost");
    assert.deepEqual(
      all.filter(
        (id) =>
          sent.of(id) > refused.of(id) &&
          outcomes.get(id) !== "answered" &&
          outcomes.get(id) !== "unanswered",
      ),
      [],
      "sent, and lost",
    );
    assert.deepEqual(withOutcome("sending"), [], "after a recovery nothing is in progress");
    assert.deepEqual(
      intentsIn(last),
      withOutcome("unanswered")
        .filter((id) => kickoffIds.includes(id))
        .sort(),
      "rows remain only for kickoffs without a response",
    );
    assert.equal(last.outbox.underWay().size, 0);
    last.dispose();
  });
});

function counter() {
  const counts = new Map<string, number>();
  return {
    add: (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1),
    of: (id: string) => counts.get(id) ?? 0,
  };
}
