import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { receiving, ReceivingWindows, send } from "./support.ts";

const pause = { kickoff_id: "k1", execution_id: "k1", task_id: "review", task_output: "# Draft" };
const step = { thought: "I look.", tool: "search", tool_input: "{}", result: "Found." };

describe("the process that receives callbacks, killed", () => {
  let windows: ReceivingWindows;
  beforeEach(() => (windows = new ReceivingWindows()));

  async function startWorker(moment: string) {
    const program = path.join(import.meta.dirname, "receiver-worker.ts");
    const child = spawn(process.execPath, [program, windows.windows.folder, moment], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, "line")) as [string];
    assert.match(line, /^listening \d+$/);
    return child;
  }

  for (const [moment, isStored] of [
    ["storing", false],
    ["stored", true],
  ] as const)
    it(`${isStored ? "after a callback was stored and before it was answered" : "before a callback was on disk"}, loses nothing and counts nothing twice`, async () => {
      const before = windows.open();
      const { localId, url } = await receiving(before);
      before.close();
      const child = await startWorker(moment);
      const ended = once(child, "exit");
      const headers = { "Webhook-Id": "delivery-1" };
      await assert.rejects(send(url, pause, { headers }), "there is no answer");
      assert.deepEqual(await ended, [null, "SIGKILL"]);

      const after = windows.open();
      await after.callbacks.test();
      assert.equal(after.store.find(localId)?.state === "waiting", isStored);
      // As the sender does without an answer.
      for (const body of [pause, pause]) assert.equal(await send(url, body, { headers }), 204);
      for (const body of [step, step]) assert.equal(await send(url, body), 204);
      const { state, tasks, waiting } = after.store.find(localId)!;
      assert.deepEqual([state, waiting?.attempt], ["waiting", 1]);
      assert.equal(tasks.flatMap(({ attempts }) => attempts).length, 1);
      assert.equal(after.store.events(localId).events.length, 1);
    });
});
