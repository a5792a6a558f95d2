import assert from "node:assert/strict";
import { type Execution, without } from "../../../src/executions/model.ts";
import { actionsOf, answersTo, type Circumstances } from "../../../src/view/actions.ts";
import { anApproval, anExecution, notWaiting } from "../views/executions.ts";

const local = { id: "local:file:///crew", name: "Writers", url: "http://127.0.0.1:1" };

/** By verb, or by label of what is only under way. */
const actions = (execution: Execution, circumstances: Circumstances = {}) =>
  actionsOf(execution, circumstances).map(({ verb, label }) => verb ?? label);
const answers = (execution: Execution, circumstances: Circumstances = {}) =>
  answersTo(execution, circumstances).map(({ verb, label }) => verb ?? label);

describe("what a person may do with an execution", () => {
  it("is to run what has ended again, and to compare it", () => {
    for (const state of ["completed", "failed", "stopped"] as const) {
      const ended = notWaiting({ state });
      const all = ["runAgain", "compareExecutions"];
      assert.deepEqual(actions(ended, { canStop: true }), all);
      assert.deepEqual(actions(without(ended, "request")), ["compareExecutions"], "without inputs");
    }
  });

  it("is to stop what has not ended, if its crew may be able to", () => {
    const can = { canStop: true };
    assert.deepEqual(actions(notWaiting({ crew: local }), can), ["stop"]);
    for (const state of ["queued", "running", "unknown"] as const)
      assert.deepEqual(actions(notWaiting({ state }), can), ["stop"], state);
    assert.deepEqual(actions(anExecution(), can), ["stop"]);
    assert.deepEqual(actions(notWaiting(), { canStop: false }), []);
    const stop = { at: "2026-10-21T12:03:00.000Z", outcome: "answered" } as const;
    assert.deepEqual(actions(notWaiting({ stop }), can), ["Stopping…"]);
    const unanswered = { ...stop, outcome: "unanswered" } as const;
    assert.deepEqual(actions(notWaiting({ stop: unanswered }), can), ["stop"]);
  });

  it("is to start its local crew, and not to stop what a stopped crew does not run", () => {
    const stopped = { canStop: true, isCrewStopped: true };
    assert.deepEqual(actions(notWaiting({ crew: local }), stopped), ["startLocalCrew"]);
    const waiting = anExecution({ crew: local });
    assert.deepEqual(actions(waiting, stopped), ["startLocalCrew"]);
    assert.deepEqual(answers(waiting, stopped), ["approve", "reject"]);
    const ended = notWaiting({ crew: local, state: "completed" });
    assert.deepEqual(actions(ended, stopped), ["runAgain", "compareExecutions", "saveAsTest"]);
    const rehearsed = { ...ended, isRehearsed: true as const };
    assert.deepEqual(actions(rehearsed, stopped), ["runAgain", "compareExecutions"]);
  });

  it("is to set another token, where that lets it be watched again", () => {
    const doubt = { short: "", text: "", isLasting: true, needsToken: true };
    assert.deepEqual(actions(notWaiting(), { doubt }), ["setToken"]);
  });

  it("is to track what may have started, to run it again or to remove it, and nothing while it is sent", () => {
    const lost = notWaiting({ kickoffIds: [], state: "unconfirmed", tasks: [] });
    const all = ["trackExecution", "runAgain", "untrackExecution"];
    assert.deepEqual(actions(lost, { canStop: true }), all);
    assert.deepEqual(actions(lost, { isKickingOff: true }), []);
  });

  it("is to continue or discard what was interrupted, which can be neither stopped nor answered", () => {
    const held = { isInterrupted: true, canStop: true };
    assert.deepEqual(actions(anExecution(), held), ["continueExecution", "discardExecution"]);
    assert.deepEqual(answers(anExecution(), held), []);
  });
});

describe("what a person may answer", () => {
  it("is an output that waits: approved, with or without a note, or rejected", () => {
    assert.deepEqual(answers(anExecution()), ["approve", "reject"]);
    assert.deepEqual(answers(notWaiting()), []);
  });

  it("is what a flow asks", () => {
    const waiting = { ...anExecution().waiting!, options: ["yes", "no"] };
    assert.deepEqual(answers(anExecution({ waiting })), ["answer"]);
  });

  it("is nothing while feedback is sent, and the same feedback if no response arrived", () => {
    const given = (outcome: "sending" | "unanswered") =>
      answers(anExecution({ resumes: [anApproval(outcome)] }));
    assert.deepEqual(given("sending"), ["Sending…"]);
    assert.deepEqual(given("unanswered"), ["sendAgain"]);
    const ended = notWaiting({ state: "completed", resumes: [anApproval("unanswered")] });
    assert.deepEqual(answers(ended), []);
    const earlier = { ...anApproval("unanswered"), attempt: 0 };
    assert.equal(answers(anExecution({ resumes: [earlier] }))[0], "approve");
  });

  it("is the same feedback, if the crew accepted it and still reports the pause", () => {
    const taken = anExecution({ resumes: [anApproval("answered")] });
    assert.deepEqual(answers(taken), ["sendAgain", "reject"]);
    const waiting = { ...taken.waiting!, options: ["yes"] };
    const [resume] = taken.resumes;
    const answered = { ...resume!, feedback: { ...resume!.feedback, isAnswer: true as const } };
    const flow = anExecution({ waiting, resumes: [answered] });
    assert.deepEqual(answers(flow), ["sendAgain", "answer"]);
    assert.match(answersTo(flow)[0]!.label, /^Accepted, but it still waits/);
  });

  it("is an unknown task of a crew that may be waiting", () => {
    const gone = notWaiting({ state: "unknown", mayBeWaiting: true });
    assert.deepEqual(answers(gone), ["reject", "pasteCallback"]);
    const sent = { ...gone, resumes: [anApproval("unanswered")] };
    assert.deepEqual(answers(sent), ["sendAgain", "reject"]);
  });
});
