import assert from "node:assert/strict";
import type { Execution } from "../../../src/executions/model.ts";
import { callbackHint } from "../../../src/kickoff/form/hints.ts";
import { FormMemory } from "../../../src/kickoff/form/memory.ts";
import { testDatabase } from "../../support/database.ts";
import { SmeeServer } from "../../support/smee-server.ts";
import { deployedCrew, localCrew, ReceivingWindows } from "../callbacks/support.ts";
import { anExecution } from "../executions/samples.ts";
import { typed } from "./support.ts";

const { id: crew } = anExecution().crew;
const mayNeedPerson =
  "If a task waits for you, this crew reports it only by callback, and no callback can reach this machine.";
const hasWaited =
  "This crew has waited for a person before. It reports that only by callback, and no callback can reach this machine.";
const at = "2026-10-21T12:00:30.000Z";

describe("The hint that no callback can come", () => {
  const hintAfter = (...changes: readonly Partial<Execution>[]) =>
    callbackHint(changes.map(anExecution), crew);

  it("is calm while nothing is known of the crew", () => {
    assert.equal(hintAfter(), mayNeedPerson);
    assert.equal(hintAfter({ state: "failed" }, { state: "running" }), mayNeedPerson);
    const other = { crew: { ...anExecution().crew, id: "url:https://other.test" } };
    assert.equal(hintAfter({ ...other, state: "completed" }), mayNeedPerson);
  });

  it("is none for a crew that has run to its end and was never seen to wait", () => {
    assert.equal(hintAfter({ state: "completed" }, { state: "failed" }), undefined);
    assert.equal(
      hintAfter({ state: "completed", origin: "tracked" }),
      mayNeedPerson,
      "it may have waited before it was tracked",
    );
  });

  it("says that the crew has waited, if an earlier execution did or may have", () => {
    const waited: readonly Partial<Execution>[] = [
      { state: "waiting", waiting: { taskId: "t", attempt: 1, since: at } },
      { state: "unknown", mayBeWaiting: true },
      { state: "completed", history: [{ at, state: "unknown", mayBeWaiting: true }] },
      { state: "completed", history: [{ at, state: "waiting", taskId: "t", attempt: 1 }] },
    ];
    for (const each of waited) assert.equal(hintAfter(each, { state: "completed" }), hasWaited);
  });

  it("is hidden for good in each form of the crew, beside what was typed and sent", () => {
    const machine = testDatabase();
    const memory = () => new FormMemory(machine.database, (message) => assert.fail(message));
    const draft = { id: "11111111-0000-4000-8000-000000000001", values: typed("tea") };
    memory().saveDraft(crew, draft);
    memory().hideHint(crew);
    assert.deepEqual(memory().read(crew), { draft, hidesHint: true });
    memory().sent(crew, draft);
    memory().saveDraft(crew, draft);
    memory().dropDraft(crew, draft.id);
    assert.deepEqual(memory().read(crew), { last: draft.values, hidesHint: true });
    assert.deepEqual(memory().read("url:https://other.test"), {});
    machine.end();
  });
});

describe("Whether a crew can reach this machine", () => {
  const windows = new ReceivingWindows();
  const server = new SmeeServer();
  after(async () => {
    await windows.close();
    await server.stop();
  });

  it("depends on where it is, and on the ways that are set up and can be used", async () => {
    const { callbacks } = windows.open();
    const onLoopback = { id: "url:x", name: "Here", url: "http://127.0.0.1:4000" };
    const reach = async () => {
      const crews = [localCrew, onLoopback, deployedCrew];
      return await Promise.all(crews.map((each) => callbacks.canReach(each)));
    };
    assert.deepEqual(await reach(), [true, true, false]);
    windows.publicUrl = "https://tunnel.test";
    assert.deepEqual(await reach(), [true, true, true]);
    windows.publicUrl = "http://tunnel.test";
    assert.deepEqual(await reach(), [true, true, false], "it must be https");
    windows.publicUrl = "";
    windows.relay = `${await server.start()}/channel`;
    assert.deepEqual(await reach(), [true, true, true]);
    assert.deepEqual([windows.broken, windows.windows.problems, windows.asked], [[], [], 0]);
  });
});
