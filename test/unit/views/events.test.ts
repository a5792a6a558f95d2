import assert from "node:assert/strict";
import { type Execution, nextToReview, toReview, without } from "../../../src/executions/model.ts";
import {
  buttonsOn,
  countMessage,
  eventOf,
  isPersons,
  type News,
  reportsOf,
} from "../../../src/views/events.ts";
import { anApproval, anExecution, notWaiting } from "./executions.ts";

/** A minute after the sample execution was started. */
const now = Date.parse("2026-10-21T12:01:00.000Z");
const eventsOf = (execution: Execution, at = now) => {
  const event = eventOf(execution, at);
  return event === undefined ? [] : [event];
};
const keysOf = (execution: Execution) => eventsOf(execution).map(({ key }) => key);
const ended = (changes: Partial<Execution> = {}) =>
  notWaiting({ state: "completed", endedAt: "2026-10-21T12:00:50.000Z", ...changes });

describe("what a notification reports", () => {
  it("is that a task waits, once for each output", () => {
    const [event] = eventsOf(anExecution());
    assert.match(event!.message, /“Sea otters” of “Writers” waits for you at task “review”/);
    const next = anExecution({
      waiting: { ...anExecution().waiting!, attempt: 2, since: "2026-10-21T13:00:00.000Z" },
    });
    assert.notDeepEqual(keysOf(next), keysOf(anExecution()));
    const later = anExecution({
      waiting: { ...anExecution().waiting!, since: "2026-10-22T13:00:00.000Z" },
      progress: { completed: 2, unit: "task" },
    });
    assert.deepEqual(keysOf(later), keysOf(anExecution()));
  });

  it("is no pause that was answered already", () => {
    const sent = anApproval("unanswered");
    assert.deepEqual(eventsOf(anExecution({ resumes: [sent] })), []);
    assert.equal(eventsOf(anExecution({ resumes: [{ ...sent, outcome: "refused" }] })).length, 1);
  });

  it("is a possible pause, unless the crew has never known the ID", () => {
    const message = eventsOf(notWaiting({ state: "unknown", mayBeWaiting: true }))[0]!.message;
    assert.match(message, /may be waiting/);
    const mistyped = without(
      notWaiting({ state: "unknown", mayBeWaiting: true, origin: "tracked", tasks: [] }),
      "progress",
    );
    assert.deepEqual(eventsOf(mistyped), []);
  });

  it("is a failure, a stop or a completion, with the kind that its setting needs", () => {
    const shown = (changes: Partial<Execution>) =>
      eventsOf(ended(changes)).map(({ kind, message }) => [kind, message])[0];
    const of = "“Sea otters” of “Writers”";
    assert.deepEqual(shown({}), ["completed", `${of}: Completed`]);
    assert.deepEqual(shown({ state: "failed" }), ["failed", `${of}: Failed`]);
    const stopped = ["failed", `${of}: Stopped`];
    assert.deepEqual(shown({ state: "stopped" }), stopped);
    const [, why] = shown({ state: "failed", error: `It\nbroke. ${"x".repeat(500)}` }) ?? [];
    assert.match(why ?? "", /^“Sea otters” of “Writers”: Failed – It broke\. x{100,160}…$/);
    for (const state of ["running", "unconfirmed", "completed"] as const)
      assert.deepEqual(eventsOf(notWaiting({ state })), [], `${state}, without an end`);
  });

  it("is one end for each kickoff ID, whatever is read later", () => {
    assert.deepEqual(keysOf(ended()), keysOf(ended({ state: "failed" })));
    const second = ended({ kickoffIds: ["11111111-aaaa", "second"] });
    assert.notDeepEqual(keysOf(ended()), keysOf(second));
  });

  it("is no end of more than ten minutes ago, as after a start of VS Code", () => {
    assert.equal(eventsOf(ended(), Date.parse("2026-10-21T12:10:49.000Z")).length, 1);
    assert.deepEqual(eventsOf(ended(), Date.parse("2026-10-21T12:10:51.000Z")), []);
  });

  it("is an end that was learned less than ten minutes ago, whenever it was; of a local crew, it says if no window was open", () => {
    const learned = "2026-10-21T14:00:00.000Z";
    const crew = { id: "local:file:///crew", name: "Mine", url: "http://127.0.0.1:1" };
    const history = [{ at: learned, state: "completed" }] as const;
    const isUnseen = (changes: Partial<Execution>, openedAt: string) =>
      eventOf(ended({ history, ...changes }), Date.parse(learned), Date.parse(openedAt))?.isUnseen;
    assert.equal(eventsOf(ended({ history }), Date.parse(learned)).length, 1);
    assert.equal(isUnseen({ crew }, "2026-10-21T13:59:59.000Z"), true);
    assert.equal(isUnseen({}, "2026-10-21T13:59:59.000Z"), false, "of a deployed crew");
    assert.equal(isUnseen({ crew }, "2026-10-21T12:00:00.000Z"), false, "ended later");
    assert.equal(isUnseen({ crew }, "2026-10-21T14:00:01.000Z"), false, "known before");
  });

  it("is the person's own doing if a local crew stopped, or a stop was sent from here", () => {
    const crew = { id: "local:file:///crew", name: "Mine", url: "http://127.0.0.1:1" };
    const stop = { at: "2026-10-21T12:00:49.000Z", outcome: "answered" } as const;
    const stopped = ended({ state: "stopped" });
    assert.deepEqual(
      [{ ...stopped, crew }, { ...stopped, stop }, stopped, ended({ crew, stop })].map(isPersons),
      [true, true, false, false],
    );
  });

  it("is no end from before the execution was tracked here, as the first answer said", () => {
    const count = (startedAt: string, changes: Partial<Execution> = {}) =>
      eventsOf(ended({ startedAt, ...changes })).length;
    const tracked = { origin: "tracked" } as const;
    assert.equal(count("2026-10-21T12:00:49.000Z", tracked), 0);
    assert.equal(count("2026-10-21T12:00:30.000Z", tracked), 1, "it ended while it was tracked");
    assert.equal(count("2026-10-21T12:00:49.000Z"), 1, "started here, however short it was");
  });
});

describe("The buttons of a notification", () => {
  it("open the execution, answer this output as a person, and run again what failed", () => {
    const target = { crew: anExecution().crew.id, kickoffId: "11111111-aaaa", by: "person" };
    const seen = { ...target, taskId: "review", attempt: 1 };
    const of = (...given: Parameters<typeof buttonsOn>) =>
      buttonsOn(...given).map((each) => [each.title, each.command, ...each.arguments]);
    assert.deepEqual(of(anExecution(), "waiting"), [
      ["Open", "crewdeck.openExecution", seen],
      ["Approve", "crewdeck.approve", seen],
      ["Reject…", "crewdeck.reject", seen],
    ]);
    assert.deepEqual(of(ended({ state: "failed" }), "failed"), [
      ["Open", "crewdeck.openExecution", target],
      ["Run Again…", "crewdeck.runAgain", target],
    ]);
  });
});

describe("Notifications at about the same time", () => {
  const item = (kind: "waiting" | "failed", number: number): News => ({
    execution: anExecution(),
    event: { kind, key: `${kind} ${number}`, message: "", isUnseen: false },
  });
  const items = (kind: "waiting" | "failed", count: number) =>
    Array.from({ length: count }, (_, number) => item(kind, number));

  it("are shown one by one up to three of a kind, and as a count above that", () => {
    assert.deepEqual(reportsOf([]), []);
    const [three, four] = [items("waiting", 3), items("failed", 4)];
    assert.deepEqual(reportsOf([...three, ...four]), [...three.map((one) => [one]), four]);
  });

  it("say how many executions wait, failed or completed", () => {
    assert.equal(countMessage("waiting", 15), "Executions that wait for you: 15");
    assert.equal(countMessage("failed", 4), "Executions that failed or were stopped: 4");
  });

  it("lead to the execution that waits longest, of two since one answer the one started first", () => {
    const since = "2026-10-21T12:00:00.000Z";
    const [late, early] = ["2026-10-21T11:00:02.000Z", "2026-10-21T11:00:01.000Z"].map(
      (startedAt) => anExecution({ startedAt, waiting: { taskId: "review", attempt: 1, since } }),
    );
    assert.equal(toReview([late!, early!])[0], early);
    assert.deepEqual(toReview([notWaiting()]), []);
  });
});

describe("the executions that wait", () => {
  const waits = anExecution({ localId: "waits" });
  const runs = notWaiting({ localId: "runs" });

  it("are reviewed oldest first, forwards and backwards, around the ends", () => {
    const since = (localId: string, minute: number) =>
      anExecution({
        localId,
        waiting: { taskId: "a", attempt: 1, since: `2026-10-21T12:0${minute}:00.000Z` },
      });
    const all = [since("c", 3), since("a", 1), runs, since("b", 2)];
    const from = (current: string | undefined, step: 1 | -1) =>
      nextToReview(all, current, step)?.localId;
    const places = [undefined, "a", "b", "c", "runs"];
    assert.equal(places.map((current) => from(current, 1)).join(), "a,b,c,a,a");
    assert.equal(places.map((current) => from(current, -1)).join(), "c,c,a,b,c");
    assert.equal(nextToReview([runs, waits], "waits", 1), undefined);
    assert.equal(nextToReview([runs], undefined, 1), undefined);
  });
});
