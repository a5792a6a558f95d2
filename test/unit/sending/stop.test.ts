import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { StopAnswer } from "../../../src/api/types.ts";
import { NothingToDo } from "../../../src/base/errors.ts";
import { isStopping } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { MaybeSentError } from "../../../src/sending/errors.ts";
import { sendStop } from "../../../src/sending/feedback.ts";
import { aReading, failure } from "../executions/samples.ts";
import { anExecution, notWaiting } from "../views/executions.ts";
import { kill, senderParts, type Window, Windows } from "./window.ts";

const answered: StopAnswer = { status: "stopped" };

describe("sending a request to stop", () => {
  let windows: Windows;
  let window: Window;
  let sent: string[];
  let polled: string[];
  let problems: string[];
  let stop: () => Promise<StopAnswer>;

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
    [sent, polled, problems] = [[], [], []];
    stop = () => Promise.resolve(answered);
    window.store.add(anExecution({ kickoffIds: ["first", "newest"] }));
  });

  const parts = (of: Window = window) => ({
    ...senderParts(of, {
      poll: (localId) => polled.push(localId),
      problem: (message) => problems.push(message),
    }),
    crews: { client: () => Promise.resolve({ stop: (id: string) => (sent.push(id), stop()) }) },
  });
  const kept = () => window.store.find("local-1");
  const send = (of?: Window) => sendStop(parts(of), anExecution());

  it("names the newest ID, and leaves the state to the crew's status", async () => {
    assert.deepEqual(await send(), answered);
    assert.deepEqual([sent, polled], [["newest"], ["local-1"]]);
    const execution = kept();
    assert.ok(execution && isStopping(execution));
    assert.deepEqual([execution.state, execution.stop?.outcome], ["waiting", "answered"]);
    assert.equal(isStopping({ ...execution, state: "stopped" }), false);
  });

  it("is sent once at a time, across windows", async () => {
    const gate = Promise.withResolvers<StopAnswer>();
    stop = () => gate.promise;
    const first = send();
    await assert.rejects(send(windows.open()), /already being sent/);
    gate.resolve(answered);
    await first;
    assert.deepEqual(sent, ["newest"]);
  });

  it("is unanswered, and may be sent again by a person, if its window is gone", async () => {
    stop = () => new Promise(() => undefined);
    void send();
    await assert.rejects(send(), /already being sent/);
    window.outbox.recover(window.store);
    assert.equal(kept()?.stop?.outcome, "sending");
    kill(window);
    window.outbox.recover(window.store);
    assert.equal(kept()?.stop?.outcome, "unanswered");
    void send();
    while (sent.length < 2) await nextTurn();
    kill(window);
    stop = () => Promise.resolve(answered);
    await send(windows.open());
    assert.deepEqual(sent, ["newest", "newest", "newest"]);
    assert.equal(window.outbox.has({ kind: "stop", localId: "local-1" }), false);
  });

  it("is ignored by a crew that goes on 90 s later, and may be sent again", async () => {
    const running = aReading({ state: "running" });
    const look = (ms: number) =>
      window.store.update("local-1", (known) => applyReading(known, running, Date.now() + ms));
    await send();
    assert.ok(isStopping(look(80_000)!));
    const ignored = look(95_000);
    assert.equal(ignored?.stop?.outcome, "ignored");
    assert.equal(isStopping(ignored), false);
    await send();
    assert.deepEqual(sent, ["newest", "newest"]);
  });

  it("that was refused is forgotten; one that may have arrived is not, and isn't repeated", async () => {
    stop = () => Promise.reject(failure("server", { sent: "no" }));
    await assert.rejects(send(), CrewApiError);
    assert.equal(kept()?.stop, undefined);
    stop = () => Promise.reject(failure("server", { sent: "maybe" }));
    await assert.rejects(send(), MaybeSentError);
    assert.equal(kept()?.stop?.outcome, "unanswered");
    assert.deepEqual(sent, ["newest", "newest"]);
  });

  it("isn't sent for an execution that has ended, has no ID or is no longer tracked", async () => {
    for (const [localId, changes] of [
      ["ended", { state: "completed", kickoffIds: ["e"] }],
      ["lost", { state: "unconfirmed", kickoffIds: [] }],
    ] as const) {
      window.store.add(notWaiting({ localId, ...changes }));
      await assert.rejects(sendStop(parts(), anExecution({ localId })));
    }
    await assert.rejects(sendStop(parts(), anExecution({ localId: "ended" })), NothingToDo);
    await assert.rejects(sendStop(parts(), anExecution({ localId: "gone" })), /no longer tracked/);
    assert.deepEqual(sent, []);
  });

  it("isn't sent if it can't be recorded", async () => {
    const broken = windows.open();
    broken.database.all("PRAGMA query_only = ON");
    await assert.rejects(send(broken));
    assert.deepEqual(sent, []);
  });
});
