import assert from "node:assert/strict";
import { without, type SentResume } from "../../../src/executions/model.ts";
import { eventsOf } from "../../../src/views/events.ts";
import { anExecution, notWaiting } from "./executions.ts";

const keysOf = (...args: Parameters<typeof eventsOf>) => eventsOf(...args).map(({ key }) => key);

describe("what a person is told of", () => {
  it("is that a task waits: once for each output", () => {
    const [event] = eventsOf(anExecution());
    assert.match(event!.message, /“Sea otters” of Writers waits for you at task “review”/);
    const next = anExecution({ waiting: { ...anExecution().waiting!, attempt: 2, since: "2026-10-21T13:00:00.000Z" } });
    assert.notDeepEqual(keysOf(next), keysOf(anExecution()));
    const later = anExecution({ waiting: { ...anExecution().waiting!, since: "2026-10-22T13:00:00.000Z" }, progress: { completed: 2, unit: "task" } });
    assert.deepEqual(keysOf(later), keysOf(anExecution()));
  });

  it("is not what was answered already", () => {
    const sent: SentResume = { taskId: "review", attempt: 1, feedback: { isApprove: true, text: "", at: "2026-10-21T12:02:00.000Z" }, outcome: "unanswered" };
    assert.deepEqual(eventsOf(anExecution({ resumes: [sent] })), []);
    assert.equal(eventsOf(anExecution({ resumes: [{ ...sent, outcome: "refused" }] })).length, 1);
  });

  it("is a pause that only may be one, unless the id has never shown any work", () => {
    assert.match(eventsOf(notWaiting({ state: "unknown", mayBeWaiting: true }))[0]!.message, /may be waiting/);
    const mistyped = without(notWaiting({ state: "unknown", mayBeWaiting: true, origin: "tracked", tasks: [] }), "progress");
    assert.deepEqual(eventsOf(mistyped), []);
  });

  it("is nothing while it runs or has ended", () => {
    assert.deepEqual([notWaiting(), notWaiting({ state: "completed" }), notWaiting({ state: "unconfirmed" })].flatMap(eventsOf), []);
  });
});
