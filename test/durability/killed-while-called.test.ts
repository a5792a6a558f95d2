import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import type { Execution } from "../../src/executions/model.ts";
import { temporaryFolder } from "../support/folders.ts";
import { storageFolder } from "../support/many-executions.ts";
import { signal } from "../support/processes.ts";
import { seededRandom } from "../support/random.ts";
import { relayToken, startRelayProcess } from "../support/relay.ts";
import { startService, type RunningService } from "../support/service.ts";
import { rowsIn } from "../support/sqlite.ts";
import { waitFor } from "../support/wait.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { writeWriters } from "../support/writers.ts";
import { answerOnPage, connectCrew, openExecution, openForm, untilSeen } from "../ui/person.ts";
import { toastsOf, watchToasts } from "../ui/toasts.ts";
import { openWindow as openStore } from "../unit/sending/window.ts";

/** How many are kicked off, or one more: a click that VS Code seems to have lost is repeated. */
const fewest = 4;
const tasks = 12;
const parts = Array.from({ length: tasks }, (_, index) => ({
  name: `part_${index + 1}`,
  description: `Write part ${index + 1}.`,
}));
/** Milliseconds: far more than it takes, also on a busy machine. */
const limit = 10 * 60_000;

describe("A window that is called back by a relay, while its extension host and the relay are killed", function () {
  this.timeout(limit);
  const folder = temporaryFolder("killed-while-called");
  let service: RunningService;
  let relay: Awaited<ReturnType<typeof startRelayProcess>>;
  let window: VSCodeWindow;
  let found: readonly Execution[];

  before(async () => {
    const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
    console.log(`      seed ${seed} (repeat with CREWDECK_SEED=${seed})`);
    const random = seededRandom(seed);
    const args = ["--dialect", "live", "--task-seconds", "1.5", "--parallel", String(fewest)];
    service = await startService({ folder: writeWriters(folder, parts), args });
    relay = await startRelayProcess(path.join(folder, "relay"));
    window = await openWindow({ settings: { "crewdeck.callbacks.relay": relay.url } });
    await connectCrew(window, { url: service.url, token: service.token, name: "Deployed" });
    await window.runCommand("Crewdeck: Test Callbacks");
    await window.quickInput.answer("Connect to the Relay", relayToken);
    await window.messages.notification(/Callbacks work: a request to/).waitFor();
    await watchToasts(window);

    const killHost = async () => {
      const [host = 0] = window.extensionHosts();
      signal(host, "SIGKILL");
      await waitFor("another extension host", () =>
        window.extensionHosts().some((pid) => pid !== host),
      );
    };
    const killRelay = async () => {
      await relay.kill();
      relay = await startRelayProcess(path.join(folder, "relay"), Number(new URL(relay.url).port));
    };
    while (counted(service, "executions") < fewest) {
      const before = counted(service, "executions");
      await untilSeen(
        "another execution",
        async () => {
          await openForm(window, "Deployed");
          const button = window.webview.content.getByRole("button", {
            name: "Kick Off",
            exact: true,
          });
          await button.click({ timeout: 5_000 });
        },
        () => Promise.resolve(counted(service, "executions") > before),
      );
    }
    const killed: string[] = [];
    for (const [index, [name, kill]] of [
      ["relay", killRelay],
      ["extension host", killHost],
      ["relay", killRelay],
    ].entries() as ArrayIterator<[number, [string, () => Promise<void>]]>) {
      // Of those that status answers don't tell, an execution has two for each task, and one for the pause.
      const moment = 10 + 20 * index + Math.floor(20 * random());
      await waitFor(`${moment} callbacks`, () => received(window) >= moment, limit);
      killed.push(`${name} at ${received(window)}`);
      await kill();
    }
    const executions = counted(service, "executions");
    await waitFor("all pauses", () => waiting(window) === executions, limit);
    // A pause is sent before the steps and outputs of the same moment, and the relay passes all on later.
    await waitFor("all callbacks to be accepted", () => undelivered(service) === 0, limit);
    const sent = counted(service, "deliveries WHERE kind IN ('step', 'task', 'human_input')");
    await waitFor("all callbacks to be received", () => received(window) >= sent);
    console.log(`      killed: ${killed.join(", ")} of ${received(window)} callbacks`);
    const stored = openStore(storageFolder(window.dataFolder));
    const { store } = stored;
    found = store.list().flatMap(({ localId }) => store.find(localId) ?? []);
    stored.dispose();
  });

  after(async () => {
    await window.close();
    await relay.stop();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it("loses no callback: every step, output and pause is there, once", () => {
    assert.equal(found.length, counted(service, "executions"));
    const sent = rowsIn(
      path.join(service.data, "crewdeck.sqlite"),
      "SELECT execution_id AS id, kind, count(*) AS count FROM deliveries GROUP BY 1, 2",
    );
    for (const { kickoffIds, localId, tasks: own } of found) {
      const sentOf = (kind: string) =>
        Number(sent.find((row) => row["id"] === kickoffIds[0] && row["kind"] === kind)?.["count"]);
      // That of the last task comes after its approval.
      assert.equal(sentOf("task"), tasks - 1);
      // Status answers have the crew's events, but no steps, and no outputs while it waits.
      assert.equal(
        inWindow(window, "events WHERE local_id = ? AND type = 'step'", localId),
        sentOf("step"),
      );
      assert.equal(
        inWindow(window, "received_callbacks WHERE local_id = ?", localId),
        sentOf("task") + sentOf("human_input"),
      );
      assert.deepEqual(
        own.map(({ attempts }) => attempts.map(({ output }) => output !== undefined)),
        Array.from({ length: tasks }, () => [true]),
      );
    }
  });

  it("asks the person once for each pause", async () => {
    for (const { state, waiting } of found)
      assert.deepEqual([state, waiting?.attempt], ["waiting", 1]);
    const texts = await toastsOf(window);
    const single = texts.filter((text) => text.includes("waits for you at task"));
    assert.equal(new Set(single).size, single.length, single.join("\n"));
    // It is shown for more than three new ones, and counts all that wait.
    const together = texts.filter((text) => /^Executions that wait/.test(text));
    assert.ok(single.length + 4 * together.length <= found.length, texts.join("\n"));
  });

  it("still receives: what is approved then is completed", async () => {
    const { tree } = window;
    const [first] = await tree.executions();
    await openExecution(window, first?.label ?? "");
    await answerOnPage(window, "Approve");
    await waitFor("the end", async () =>
      (await tree.executions()).some(({ description }) => description.startsWith("Completed")),
    );
  });
});

function count(file: string, from: string, ...values: readonly string[]): number {
  return Number(rowsIn(file, `SELECT count(*) AS count FROM ${from}`, ...values)[0]?.["count"]);
}

const counted = ({ data }: RunningService, from: string) =>
  count(path.join(data, "crewdeck.sqlite"), from);
const undelivered = (service: RunningService) =>
  counted(service, "deliveries WHERE state <> 'sent'");
const inWindow = ({ dataFolder }: VSCodeWindow, from: string, ...values: readonly string[]) =>
  count(path.join(storageFolder(dataFolder), "crewdeck.db"), from, ...values);
/** Steps, and callbacks that change an execution. */
const received = (window: VSCodeWindow) =>
  inWindow(window, "events WHERE type = 'step'") + inWindow(window, "received_callbacks");
const waiting = (window: VSCodeWindow) =>
  inWindow(window, "executions WHERE common ->> '$.state' = 'waiting'");
