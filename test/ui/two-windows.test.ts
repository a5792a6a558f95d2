import assert from "node:assert/strict";
import path from "node:path";
import { Gate } from "../support/gate.ts";
import { storageFolder } from "../support/many-executions.ts";
import { signal } from "../support/processes.ts";
import { startService, type RunningService } from "../support/service.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { noCallbacks } from "../support/no-callbacks.ts";
import { rowsIn } from "../support/sqlite.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, openExecution, openForm, rejectByLens } from "./person.ts";
import { waitForDocument } from "./story.ts";
import { toastsOf, watchToasts } from "./toasts.ts";

/** What waits is in a group of its own, where a row begins with its task. */
const atReview = /\boutline\b/;

describe("Two windows on one store", () => {
  let service: RunningService;
  let writers: Gate;
  let editors: Gate;
  let first: VSCodeWindow;
  let second: VSCodeWindow;
  /** Each window's notifications; for the killed one, those up to its end. */
  const notifications: (() => Promise<readonly string[]>)[] = [];
  /** The window that polls while only the first one is open. */
  let firstOwner: unknown;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.5"] });
    [writers, editors] = [await Gate.before(service), await Gate.before(service)];
    // A callback would tell that a kickoff without a response has started.
    first = await openWindow({
      settings: { ...noCallbacks, "crewdeck.openExecutionsAs": "text" },
    });
    await connectCrew(first, { url: writers.url, token: service.token, name: "Writers" });
    await connectCrew(first, { url: editors.url, token: service.token, name: "Editors" });
    await watchToasts(first);
    notifications.push(() => toastsOf(first));
  });

  after(async () => {
    await first.close();
    await Promise.all([writers.stop(), editors.stop()]);
    await service.stop();
  });

  const notified = async (text: string) =>
    (await Promise.all(notifications.map((of) => of())))
      .flat()
      .filter((toast) => toast.includes(text));

  describe("while both are open", () => {
    it("both show what one of them kicked off", async () => {
      await kickOff(first, "Writers", "tea");
      await waitForRow(first, "tea", atReview);
      firstOwner = leaseOwner(first);
      assert.equal(typeof firstOwner, "string");
      second = await first.secondWindow();
      await watchToasts(second);
      notifications.push(() => toastsOf(second));
      await second.tree.open("Crewdeck");
      await waitForRow(second, "tea", atReview);
    });
  });

  describe("when one is killed while it sends feedback and kickoffs", () => {
    before(async () => {
      await kickOff(second, "Writers", "coffee");
      await waitForRow(second, "coffee", atReview);
      const resume = writers.hold("/resume", "answer");
      await reject(second, "coffee", "Stronger, please.");
      await resume;
      const kickoff = editors.hold("/kickoff", "answer");
      await kickOff(second, "Editors", "cocoa");
      await kickoff;
      await kickOff(second, "Writers", "milk");
      await waitForRow(first, "milk", /queued|running/i);
      assert.notEqual(leaseOwner(first), firstOwner, "the one that polls is killed");
      signal(second.extensionHost, "SIGKILL");
      const lastWords = await toastsOf(second);
      notifications.splice(1, 1, () => Promise.resolve(lastWords));
      // Close its page at once, before VS Code starts another extension host.
      await second.close();
    });

    it("the other shows that the kickoff without a response may have started", async () => {
      await waitForRow(first, "cocoa", /may have started/i);
    });

    it("the other continues to poll and to notify", async () => {
      await waitForRow(first, "milk", atReview);
      await first.messages.notification("“milk”").waitFor();
      assert.equal(leaseOwner(first), firstOwner);
    });

    it("the other shows the result of the feedback, and continues from there", async () => {
      await openExecution(first, "coffee");
      await waitForDocument(first, /Stronger, please\.[\s\S]*### Attempt 2/);
      await first.runCommand("Crewdeck: Approve");
      await waitForRow(first, "coffee", /completed/i);
    });

    it("nothing was sent twice, and each event was reported once", async () => {
      const topics = [...writers.sent("/kickoff"), ...editors.sent("/kickoff")].map(
        ({ body }) => (JSON.parse(body) as { inputs: { topic: string } }).inputs.topic,
      );
      assert.deepEqual(topics, ["tea", "coffee", "milk", "cocoa"]);
      assert.equal(writers.sent("/resume").length, 2);
      // The first draft was rejected at once, perhaps before the notification.
      const coffee = await notified("“coffee”");
      assert.equal(new Set(coffee).size, coffee.length, "once for each draft");
      // The killed window may have been about to show it.
      assert.ok(coffee.filter((toast) => toast.includes("attempt 2")).length <= 1);
      assert.equal((await notified("“milk”")).length, 1);
      assert.deepEqual(await notified("“cocoa”"), []);
    });
  });
});

async function kickOff(window: VSCodeWindow, crew: string, topic: string): Promise<void> {
  await openForm(window, crew);
  const form = window.webview.content;
  await form.getByRole("textbox", { name: "topic" }).fill(topic);
  await form.getByRole("textbox", { name: "audience" }).fill("colleagues");
  await form.getByRole("button", { name: "Kick Off" }).click();
}

async function reject(window: VSCodeWindow, title: string, text: string): Promise<void> {
  await openExecution(window, title);
  await rejectByLens(window, text);
}

async function waitForRow({ tree }: VSCodeWindow, label: string, state: RegExp): Promise<void> {
  await waitFor(`“${label}” with ${String(state)}`, async () =>
    (await tree.rows()).some((row) => row.label === label && state.test(row.description)),
  );
}

/** The window that polls, by its name in the extension's database. */
function leaseOwner({ dataFolder }: VSCodeWindow): unknown {
  const file = path.join(storageFolder(dataFolder), "crewdeck.db");
  return rowsIn(file, "SELECT owner FROM lease")[0]?.["owner"];
}
