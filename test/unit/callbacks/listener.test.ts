import assert from "node:assert/strict";
import { type Listener, openListener } from "../../../src/callbacks/receiver.ts";
import { anExecution } from "../executions/samples.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { waitFor } from "../../support/wait.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import {
  beginSlowly,
  deployedCrew,
  localCrew,
  receiving,
  ReceivingWindows,
  send,
  type ReceivingWindow,
} from "./support.ts";

const pause = { kickoff_id: "k1", execution_id: "k1", task_id: "review", task_output: "# Draft" };

/** Whether a callback is answered with the status. */
const arrives = (url: string, body: object, expected = 204) =>
  send(url, body).then(
    (status) => status === expected,
    () => false,
  );

describe("the receiver of callbacks", () => {
  let windows: ReceivingWindows;
  let window: ReceivingWindow;

  beforeEach(() => {
    windows = new ReceivingWindows();
    window = windows.open();
  });

  afterEach(() => assert.deepEqual(windows.windows.problems, []));

  it("answers 204 once a callback is in the store, and every window knows the pause", async () => {
    const { localId, url } = await receiving(window);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
    assert.equal(await send(url, pause), 204);
    const other = windows.open();
    const known = [other.store.find(localId)?.state, other.store.find(localId)?.waiting?.taskId];
    assert.deepEqual(known, ["waiting", "review"]);
    assert.equal(window.store.summary(localId)?.state, "waiting");
  });

  it("keeps no connection, so that a proxy sends no callback on one that is being closed", async () => {
    const { url } = await receiving(window);
    const { status, headers } = await fetch(url, { method: "POST", body: JSON.stringify(pause) });
    assert.deepEqual([status, headers.get("connection")], [204, "close"]);
  });

  it("knows no other path and takes nothing but POST", async () => {
    const { localId, url } = await receiving(window);
    const path = new URL(url).pathname;
    for (const wrong of ["/", "/x", path.slice(0, -1), `${path}x`, path.toLowerCase() + "_"])
      assert.equal(await send(new URL(wrong, url).href, pause), 404, wrong);
    assert.equal(await send(url, undefined, { method: "GET" }), 405);
    assert.equal(await send(url, "no JSON"), 400);
    assert.equal(window.store.find(localId)?.waiting, undefined);
  });

  it("refuses a body of 10 MB, said or not, without waiting for it, and an unknown path before its body", async () => {
    const { url } = await receiving(window);
    assert.equal(await beginSlowly(url, 10_000_000), 413);
    assert.equal(await beginSlowly(new URL("/unknown", url).href, 10_000_000), 404);
    const chunk = new Uint8Array(100_000).fill(32);
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
    });
    const given = { method: "POST", body, duplex: "half" } as const;
    // The answer may be lost, because the connection is closed while the body is being sent.
    const status = await fetch(url, given).then(
      (response) => response.status,
      () => 413,
    );
    assert.equal(status, 413);
    assert.equal(await send(url, pause), 204);
  });

  describe("with limits", () => {
    let listener: Listener;
    let url: string;
    const listen = async (limits: { timeoutMs?: number; mostConnections?: number }) => {
      const receive = () => Promise.resolve(204);
      listener = await openListener(0, { receive, isKnown: () => true, ...limits });
      url = `http://127.0.0.1:${listener.port}/path`;
    };
    afterEach(() => listener.close());

    it("ends a request whose body comes too slowly, and answers others meanwhile", async () => {
      await listen({ timeoutMs: 3_000 });
      const slow = beginSlowly(url, 1_000);
      assert.equal(await send(url, {}), 204);
      assert.equal(await slow, 408);
    });

    it("takes a limited number of connections", async () => {
      await listen({ mostConnections: 2 });
      const held = [beginSlowly(url, 1_000), beginSlowly(url, 1_000)];
      assert.equal(typeof (await beginSlowly(url, 1_000)), "string");
      listener.close();
      await Promise.all(held);
    });
  });

  it("needs the bearer secret for events that the crew was given, also the earlier one, and none for a pause", async () => {
    const { localId, url, token } = await receiving(window);
    const { token: later } = (await window.callbacks.for(localCrew, localId))!;
    const events = [{ id: "e1", timestamp: "2026-10-21T12:00:01Z", type: "anything" }];
    const sendWith = (authorization?: string, body: object = { events }) =>
      send(url, body, authorization === undefined ? {} : { headers: { authorization } });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    const wrong = [undefined, "", "Bearer", `Bearer ${token}x`, token, `bearer ${token}`];
    const basics = [token, `:${token}`, `crew:${token}`, `${token}:`].map(basic);
    for (const each of [...wrong, ...basics]) assert.equal(await sendWith(each), 401, each);
    assert.equal(window.store.events(localId).events.length, 0);
    for (const right of [token, later]) assert.equal(await sendWith(`Bearer ${right}`), 204);
    const ids = window.store.events(localId).events.map(({ id }) => id);
    assert.deepEqual(ids, ["e1"]);
    const rows = JSON.stringify(window.database.all("SELECT * FROM callback_authorizations"));
    assert.ok(!rows.includes(token), "only a hash is stored");
    // Such as that of a proxy on the route.
    assert.equal(await sendWith(basic("proxy:secret"), pause), 204);
    assert.equal(window.store.find(localId)?.waiting?.taskId, "review");
  });

  it("gives an execution the same address always, on the same port after a restart", async () => {
    const { localId, url } = await receiving(window);
    assert.equal((await window.callbacks.for(localCrew, localId))?.url, url);
    window.close();
    await assert.rejects(send(url, pause));
    const next = windows.open();
    await waitFor("the receiver", () => arrives(url, pause));
    assert.equal((await next.callbacks.for(localCrew, localId))?.url, url);
  });

  it("is in one window at a time, and moves to another one when that closes", async () => {
    const { localId, url } = await receiving(window);
    const other = windows.open();
    assert.equal((await other.callbacks.for(localCrew, localId))?.url, url);
    assert.equal(await send(url, pause), 204);
    window.close();
    await waitFor("the other window to receive", () =>
      arrives(url, { ...pause, task_output: "Later" }),
    );
    assert.equal(other.store.find(localId)?.waiting?.output, "Later");
  });

  it("moves to another port if another program has the one that was kept", async () => {
    const program = new CallbackReceiver();
    await program.start();
    window.database.run("INSERT INTO receiver VALUES (1, ?)", program.port);
    const { localId, url } = await receiving(window);
    assert.notEqual(new URL(url).port, String(program.port));
    assert.equal(await send(url, pause), 204);
    assert.equal(window.store.summary(localId)?.state, "waiting");
    const test = await windows.open().callbacks.test(localCrew);
    assert.equal(test.port, Number(new URL(url).port), "it is kept");
    const { problems } = windows.windows;
    const reported = problems.splice(0).join();
    assert.match(reported, RegExp(`It was ${program.port}, and is ${test.port}`));
    assert.deepEqual(windows.broken, []);
  });

  describe("to whose port a person's tunnel leads", () => {
    let program: CallbackReceiver;

    beforeEach(async () => {
      program = new CallbackReceiver();
      program.behave = (response) => response.writeHead(404).end();
      await program.start();
      window.database.run("INSERT INTO receiver VALUES (1, ?)", program.port);
      windows.publicUrl = `http://127.0.0.1:${program.port}`;
    });
    afterEach(async () => {
      await program.stop();
      windows.windows.problems.length = 0;
    });

    const addressOf = (localId: string) => window.callbacks.for(deployedCrew, localId);

    it("keeps the port while another program has it: a notification reports it, and crews call nobody", async () => {
      const { localId } = window.store.add(anExecution({ crew: deployedCrew }));
      assert.equal(await addressOf(localId), undefined);
      const taken = RegExp(`Another program uses the port ${program.port},`);
      assert.match(windows.broken.join(), taken);
      await assert.rejects(window.callbacks.test(deployedCrew), taken);
      await program.stop();
      const path = async () => new URL((await addressOf(localId))?.url ?? "http://none").pathname;
      await waitFor("the port to be free", async () => (await path()) !== "/");
      const url = windows.publicUrl + (await path());
      // Not by a connection to the program that has ended.
      await waitFor("the callback", () => arrives(url, pause));
      assert.equal(window.store.summary(localId)?.state, "waiting");
    });

    it("receives there by itself when the port is free", async () => {
      await assert.rejects(window.callbacks.test(deployedCrew));
      await program.stop();
      await waitFor("the receiver", () => arrives(`${windows.publicUrl}/none`, pause, 404));
    });

    it("uses another port when the person says so, and names it", async () => {
      let port = "";
      const test = window.callbacks.test(deployedCrew, { isNewPort: true });
      await assert.rejects(test, ({ message }: Error) => {
        [, port = ""] = /must lead to http:\/\/127\.0\.0\.1:(\d+)/.exec(message) ?? [];
        return port !== "";
      });
      assert.notEqual(port, String(program.port));
      windows.publicUrl = `http://127.0.0.1:${port}`;
      const { via, port: now } = await windows.open().callbacks.test(deployedCrew);
      assert.deepEqual([via, now], ["publicUrl", Number(port)]);
    });
  });

  it("stops a minute after the last execution that needs it has ended, and starts with the next", async () => {
    window.close();
    const clock = new FakeClock();
    const next = windows.open(clock);
    const { localId, url } = await receiving(next);
    const answers = () =>
      send(`${url}x`, pause).then(
        (status) => status,
        () => "none",
      );
    await clock.pass(600_000);
    assert.equal(await answers(), 404);
    next.store.update(localId, (execution) => ({ ...execution, state: "completed" }));
    await clock.pass(50_000);
    assert.equal(await answers(), 404, "callbacks may be late");
    await clock.pass(20_000);
    assert.equal(await answers(), "none");
    const later = await receiving(next, { localId: "later", kickoffIds: ["k2"] });
    assert.equal(new URL(later.url).port, new URL(url).port);
    assert.equal(await answers(), 404);
  });

  it("is not started for a crew that can't reach this machine", async () => {
    const { localId } = window.store.add(anExecution({ crew: deployedCrew }));
    assert.equal(await window.callbacks.for(deployedCrew, localId), undefined);
    assert.deepEqual(window.database.all("SELECT * FROM receiver"), []);
    assert.deepEqual(window.database.all("SELECT * FROM callback_paths"), []);
  });
});
