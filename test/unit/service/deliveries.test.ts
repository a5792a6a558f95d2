import assert from "node:assert/strict";
import path from "node:path";
import { readStatus } from "../../../src/api/read-status.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { change, row } from "../../../src/service/database/database.ts";
import type { CallbackReceiver } from "../../support/callback-receiver.ts";
import type { DocumentedStatus } from "../../support/crew-api.ts";
import { waitFor } from "../../support/wait.ts";
import { createDeliveries } from "../../../src/service/deliveries.ts";
import { createSender } from "../../../src/service/sender.ts";
import { cipher, harness, inputs, onPostgres, openReceiver, serve } from "./support.ts";

describe("service: the delivery of callbacks", () => {
  let receiver: CallbackReceiver;
  let base: string;
  /** Longer than a test: what hangs keeps its place. */
  const long = { callbackTimeoutMs: 600_000, callbackBackoffMs: 600_000 };
  beforeEach(async () => {
    receiver = await openReceiver();
    base = receiver.url;
  });

  const refuse = () => {
    receiver.behave = (response) => response.writeHead(500).end();
  };
  const accept = () => {
    receiver.behave = (response) => response.writeHead(204).end();
  };
  const undelivered = async (id: string) => (await harness.status(id)).undelivered_callbacks;

  it("lets a person answer what a process was sending that is gone", async () => {
    await serve(long);
    receiver.behave = () => undefined;
    const callbacks = { humanInputWebhookUrl: `${base}/human` };
    const id = await harness.kickoffUntilWaiting({ inputs, ...callbacks });
    await harness.resume(id, false, "Shorter", callbacks);
    await waitFor("the second output", () => receiver.received.length === 2);
    await harness.sql("UPDATE deliveries SET due = 0 WHERE state = 'pending'");
    assert.equal((await harness.resume(id, true, "")).status, 200);
  });

  it("asks for no receiver's callbacks while none is due", async () => {
    await serve();
    const id = await harness.kickoffUntilWaiting();
    const { database } = harness;
    const own = createDeliveries(database, cipher, 1);
    await database.transaction(function* () {
      for (let port = 9000; port < 9100; port += 1)
        yield* own.add(`${port}`, id, "task", { url: `http://127.0.0.1:${port}` }, {});
      yield* change("UPDATE deliveries SET due = due + 3600000");
    });
    const asked = { crews: 0, queues: 0 };
    const counted: typeof own = {
      ...own,
      crews: () => ((asked.crews += 1), own.crews()),
      queues: (...of) => ((asked.queues += 1), own.queues(...of)),
    };
    const sender = createSender(database, counted, {
      ...{ timeoutMs: 1000, exportSpans: undefined, log: () => undefined },
    });
    sender.work();
    await waitFor("three looks", () => asked.crews === 3);
    await sender.close();
    assert.equal(asked.queues, 0);
  });

  describe("if one receiver hangs", () => {
    const executions = 40;

    it("reaches others at once: the receiver that hangs has only its own places", async () => {
      await serve(long);
      const healthy = await openReceiver();
      receiver.behave = () => undefined;
      const hanging = { taskWebhookUrl: `${base}/task`, stepWebhookUrl: `${base}/step` };
      const kickoff = (at: string) =>
        harness.kickoff({ inputs, ...hanging, humanInputWebhookUrl: `${at}/human` });
      const ids = await Promise.all(Array.from({ length: executions }, () => kickoff(base)));
      for (const id of ids) await harness.untilWaiting(id);
      const begun = performance.now();
      const id = await kickoff(healthy.url);
      await waitFor("the callback", () => healthy.received.length === 1);
      const took = performance.now() - begun;
      console.log(`        ${Math.round(took)} ms from the kickoff to the human-input callback`);
      assert.equal(healthy.received[0]?.body["kickoff_id"], id);
      // Eight for its human-input callbacks, and eight for others.
      await waitFor("its places to be taken", () => receiver.received.length >= 16);
      // By then, its queues have been looked at again, too.
      const last = await kickoff(healthy.url);
      await waitFor("the last callback", () => healthy.received.length === 2);
      assert.equal(healthy.received[1]?.body["kickoff_id"], last);
      assert.equal(receiver.received.length, 16);
      assert.equal(receiver.at("/human").length, 8);
    });

    /** Executions that call four receivers each, all of which hang. On this machine, all of these names lead to it. */
    const callHanging = async (count: number) => {
      const hanging = await openReceiver("0.0.0.0");
      hanging.behave = () => undefined;
      const events = ["crew_kickoff_started"];
      const authentication = { strategy: "bearer", token: "t" };
      for (let index = 0; index < count; index += 1) {
        const [task, step, human, url] = [1, 2, 3, 4].map(
          (host) => `http://127.${host}.1.${1 + index}:${hanging.port}/`,
        );
        const webhooks = { url, events, authentication };
        const urls = { taskWebhookUrl: task, stepWebhookUrl: step, humanInputWebhookUrl: human };
        await harness.kickoff({ inputs, ...urls, webhooks });
      }
      return hanging;
    };
    /** Of 128. */
    const shareOfCrew = 64;

    it("reaches another crew's at once if hundreds of a crew's hang, which have half of all places", async () => {
      await serve(long);
      const id = await harness.kickoffUntilWaiting();
      await harness.sql("UPDATE executions SET crew = 'other' WHERE id = ? RETURNING id", id);
      const hanging = await callHanging(75);
      await waitFor("their places to be taken", () => hanging.received.length >= shareOfCrew);
      const { database } = harness;
      const { add } = createDeliveries(database, cipher, 1);
      await database.transaction(() => add("c", id, "human_input", { url: base }, { id }));
      await waitFor("the callback", () => receiver.received.length === 1);
      assert.equal(hanging.received.length, shareOfCrew);
    });

    it("reaches a healthy one of the crew in its turn, though those that hang are due again and again", async () => {
      await serve({ callbackTimeoutMs: 200 });
      const hanging = await callHanging(25);
      await waitFor("their places to be taken", () => hanging.received.length >= shareOfCrew);
      await harness.kickoff({ inputs, taskWebhookUrl: `${base}/task` });
      await waitFor("the callback", () => receiver.received.length === 1);
    });

    it("sends it a human-input callback before all others that wait", async () => {
      await serve(long);
      receiver.behave = (response, { path: to }) => {
        if (to === "/human") response.writeHead(204).end();
      };
      const callbacks = {
        taskWebhookUrl: `${base}/task`,
        stepWebhookUrl: `${base}/step`,
        humanInputWebhookUrl: `${base}/human`,
      };
      for (let count = 0; count < executions; count += 1)
        await harness.kickoff({ inputs, ...callbacks });
      await waitFor("all of them", () => receiver.at("/human").length === executions);
      await waitFor("the others", () => receiver.received.length >= executions + 8);
      assert.equal(receiver.received.length, executions + 8);
    });

    it("sends everything with the same Webhook-Id after a restart, once the receiver answers", async () => {
      await serve(long);
      receiver.behave = () => undefined;
      const urls = { taskWebhookUrl: `${base}/task`, humanInputWebhookUrl: `${base}/human` };
      const id = await harness.kickoffUntilWaiting({ inputs, ...urls });
      await waitFor("the attempts", () => receiver.received.length === 2);
      const { port } = receiver;
      const before = receiver.received.map((callback) => callback.id).sort();
      // As after a kill: nothing was stored about these attempts.
      await receiver.stop();
      await harness.close();
      await harness.sql("UPDATE deliveries SET failures = 0, due = 0, problem = NULL");
      receiver = await openReceiver("127.0.0.1", port);
      await serve({ folder: harness.folder });
      await waitFor("the callbacks", () => receiver.received.length === 2);
      assert.deepEqual(receiver.received.map((callback) => callback.id).sort(), before);
      await waitFor("their end", async () => (await undelivered(id)) === undefined);
    });
  });

  it("logs the first failure of each, without the path, and when it is sent again", async () => {
    await serve({ callbackBackoffMs: 600_000 });
    refuse();
    const humanInputWebhookUrl = `${base.replace("//", "//name:pass@")}/secret-path`;
    const id = await harness.kickoff({ inputs, humanInputWebhookUrl });
    const line = await waitFor("the line", () => harness.log[0]);
    const [, time, problem] =
      new RegExp(
        `^The human-input callback of execution ${id} to ${base} failed, and is sent again at (.*Z): (.*)$`,
      ).exec(line) ?? [];
    assert.equal(problem, "The receiver answered 500.");
    const [entry] = (await undelivered(id)) ?? [];
    assert.equal(time, entry?.next_attempt_at);
    const wait = Date.parse(String(time)) - Date.now();
    assert.ok(wait > 500_000 && wait <= 600_000, `${wait} ms`);
  });

  it("counts a failure once, though it is stored again because the answer of the first time was lost", async () => {
    await serve({ callbackBackoffMs: 600_000 });
    refuse();
    const id = await harness.kickoff({ inputs, humanInputWebhookUrl: `${base}/human` });
    await waitFor("the failure", () => harness.log[0]);
    const deliveries = createDeliveries(harness.database, cipher, 1);
    const [callback] = await harness.sql("SELECT id FROM deliveries");
    const taken = { id: String(callback?.["id"]), failures: 1 };
    await deliveries.failed(taken, "It fails again.");
    await deliveries.failed(taken, "It fails again.");
    assert.equal((await undelivered(id))?.[0]?.attempts, 2);
  });

  // Its tables are locked otherwise, and the code is the same.
  if (!onPostgres)
    it("sends none again because its arrival could not be stored", async () => {
      await serve();
      await harness.database.query(row("PRAGMA busy_timeout = 0"));
      let answer = () => {};
      receiver.behave = (response) => {
        answer = () => response.writeHead(204).end();
      };
      const id = await harness.kickoff({ inputs, humanInputWebhookUrl: `${base}/human` });
      await harness.untilWaiting(id);
      await waitFor("the callback", () => receiver.received.length === 1);
      const other = openSqlite(path.join(harness.folder, "crewdeck.sqlite"));
      other.exec("BEGIN IMMEDIATE");
      answer();
      const line = await waitFor("a try to store it", () =>
        harness.log.find((each) => each.includes("could not be stored")),
      );
      other.close();
      await waitFor("its end", async () => (await undelivered(id)) === undefined);
      assert.equal(receiver.received.length, 1);
      assert.equal(line, "The result of a callback could not be stored: database is locked");
    });

  it("is in the status by kind until they arrive, without address and secret, also after the end", async () => {
    await serve({ callbackBackoffMs: 50 });
    refuse();
    const secret = "secret-path";
    const urls = {
      taskWebhookUrl: `${base}/${secret}`,
      crewWebhookUrl: `${base}/${secret}`,
      humanInputWebhook: {
        url: `${base}/${secret}`,
        authentication: { strategy: "bearer", token: "secret-token" },
      },
    };
    const id = await harness.kickoff({ inputs, ...urls });
    const failed = await waitFor("failures of two kinds", async () => {
      const entries = (await undelivered(id)) ?? [];
      return entries.length === 2 && entries.every(({ attempts }) => attempts > 1) && entries;
    });
    assert.deepEqual(
      failed.map(({ callback, count, error }) => [callback, count, error]),
      [
        ["task", 1, "The receiver answered 500."],
        ["human_input", 1, "The receiver answered 500."],
      ],
    );
    assert.ok(failed.every((entry) => Date.parse(entry.next_attempt_at ?? "") > 0));
    const read = readStatus(await harness.status(id)).undelivered;
    assert.deepEqual(
      read?.map(({ kind, count }) => [kind, count]),
      [
        ["task", 1],
        ["human_input", 1],
      ],
    );
    await harness.approve(id, "", urls);
    const ended = await waitFor("the crew callback", async () => {
      const status = await harness.status(id);
      return status.undelivered_callbacks?.some(({ callback }) => callback === "crew") && status;
    });
    assert.equal(ended.status, "completed");
    assert.doesNotMatch(JSON.stringify(ended), /secret/);
    accept();
    await waitFor("their arrival", async () => (await undelivered(id)) === undefined);
  });

  it("is in the status that says that the execution has ended, before the first attempt", async () => {
    await serve(long);
    receiver.behave = () => undefined;
    const id = await harness.kickoffUntilWaiting({ inputs });
    const { undelivered_callbacks } = await harness.approve(id, "", {
      crewWebhookUrl: `${base}/crew`,
    });
    assert.deepEqual(undelivered_callbacks, [{ callback: "crew", count: 1, attempts: 0 }]);
  });

  it("is in the status of the live dialect, except while the task waits", async () => {
    await serve({ dialect: "live", callbackBackoffMs: 600_000 });
    refuse();
    const id = await harness.kickoff({ inputs, taskWebhookUrl: `${base}/task` });
    const read = async () =>
      (await harness.request("GET", `/${id}/status`)).body as {
        state: string;
        undelivered_callbacks?: DocumentedStatus["undelivered_callbacks"];
      };
    const until = (state: string) =>
      waitFor(state, async () => {
        const status = await read();
        return status.state === state && receiver.received.length > 0 && status;
      });
    const paused = await until("NOT FOUND");
    assert.ok(!("undelivered_callbacks" in paused));
    await harness.resume(id, true, "");
    const ended = await until("SUCCESS");
    const entries = ended.undelivered_callbacks?.map(({ callback, count }) => [callback, count]);
    assert.deepEqual(entries, [["task", 1]]);
  });
});
