import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../../src/base/clock.ts";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { ResumeAnswer, ResumeRequest, StatusReading } from "../../../src/api/types.ts";
import { UserError } from "../../../src/base/errors.ts";
import { MaybeSentError, namingFeedback, StaleFeedbackError } from "../../../src/sending/errors.ts";
import { type FeedbackToSend, sendFeedback } from "../../../src/sending/feedback.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { aReading, failure, notFound, pausing, working } from "../executions/samples.ts";
import { anExecution, notWaiting } from "../views/executions.ts";
import { failures, kill, noAnswer, senderParts, type Window, Windows } from "./window.ts";

const waiting = pausing("review", "# Draft\n\nText.", 1);
const refusal = failure("badRequest", { status: 400 });
const lost = (message = "No answer in 60 s.") => failure("timeout", { message, sent: "maybe" });
const rejection = { isApprove: false, text: "Shorter." };

/** Whether an error says that the pause is over, or still reported after an answer. */
const staleError = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StaleFeedbackError, String(error));
  assert.match(error.message, message);
  assert.equal(error.actions[0]?.command, "crewdeck.openExecution");
  return true;
};
const stale = staleError(/not sent: this output of “review” no longer waits/);
const stillPaused = staleError(
  /not sent: the crew accepted your feedback on this output of “review”/,
);

describe("sending feedback", () => {
  let windows: Windows;
  let window: Window;
  let store: ExecutionStore;
  let requests: ResumeRequest[];
  let polled: string[];
  let problems: string[];
  let status: () => Promise<StatusReading>;
  let resume: (request: ResumeRequest) => Promise<ResumeAnswer>;

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
    ({ store } = window);
    [requests, polled, problems] = [[], [], []];
    status = () => Promise.resolve(waiting);
    resume = () => Promise.resolve({ status: "resumed", message: "Continues." });
  });

  function sendIn(inWindow: Window = window, now = Date.now) {
    const parts = {
      ...senderParts(inWindow, {
        clock: { ...systemClock, now },
        poll: (localId) => polled.push(localId),
        problem: (message) => problems.push(message),
      }),
      crews: {
        client: () =>
          Promise.resolve({
            answerRequest: noAnswer,
            status: () => status(),
            resume: (request: ResumeRequest) => {
              requests.push(request);
              return resume(request);
            },
          }),
      },
    };
    return (given: FeedbackToSend) => sendFeedback(parts, given);
  }
  const send = (given: FeedbackToSend) => sendIn()(given);
  const stored = (execution = anExecution()) => store.add(execution);

  const known = () => store.find("local-1") ?? assert.fail();
  const outcomes = () => known().resumes.map(({ outcome }) => outcome);
  const texts = () => requests.map(({ humanFeedback }) => humanFeedback);
  const read = (reading: StatusReading, inWindow = window) =>
    inWindow.store.update("local-1", (current) => applyReading(current, reading, Date.now())) ??
    assert.fail();

  function approval(execution: Execution, changes: Partial<FeedbackToSend> = {}): FeedbackToSend {
    return { execution, taskId: "review", isApprove: true, text: "", ...changes };
  }
  /** What a person gives who agrees to send it again. */
  const again = () => approval(known(), { again: true });

  it("sends the text, the newest ID and the kickoff's callbacks, and records the response", async () => {
    const callbacks = { taskWebhookUrl: "https://a.test/t", crewWebhookUrl: "https://a.test/c" };
    const execution = stored(
      anExecution({ kickoffIds: ["k-1", "k-2"], request: { inputs: {}, callbacks } }),
    );
    resume = () => Promise.resolve({ status: "retrying", message: "Once more." });
    const result = await send(approval(execution, { isApprove: false, text: "Shorter.\nPlease." }));
    assert.deepEqual(result, { status: "retrying", message: "Once more." });
    const humanFeedback = "Shorter.\nPlease.";
    assert.deepEqual(requests, [
      { executionId: "k-2", taskId: "review", humanFeedback, isApprove: false, ...callbacks },
    ]);
    assert.deepEqual([known().state, outcomes()], ["running", ["answered"]]);
    assert.equal(known().tasks[1]?.attempts[0]?.feedback?.text, humanFeedback);
    assert.deepEqual(polled, ["local-1"]);
  });

  it("sends Approved. for an approval without a text, and requires one for a rejection", async () => {
    const execution = stored();
    await assert.rejects(send(approval(execution, { isApprove: false, text: "  " })), UserError);
    assert.equal(requests.length, 0);
    await send(approval(execution));
    assert.equal(requests[0]?.humanFeedback, "Approved.");
  });

  it("follows a new ID in the crew's response", async () => {
    const execution = stored();
    resume = () => Promise.resolve({ kickoffId: "k-new" });
    const { status, kickoffId } = await send(approval(execution));
    assert.deepEqual([status, kickoffId], ["resumed", "k-new"]);
    assert.deepEqual(store.find("11111111-aaaa")?.kickoffIds, ["11111111-aaaa", "k-new"]);
  });

  it("sends once for ten clicks in two windows", async () => {
    const execution = stored();
    const senders = [sendIn(), sendIn(windows.open())];
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => senders[at % 2]!(approval(execution))),
    );
    assert.equal(requests.length, 1);
    const reasons = results.flatMap((each): unknown[] =>
      each.status === "rejected" ? [each.reason] : [],
    );
    assert.equal(reasons.length, 9);
    for (const reason of reasons)
      assert.ok(reason instanceof MaybeSentError || reason instanceof StaleFeedbackError);
  });

  it("sends the same words for the next attempt while the response to the one before is missing", async () => {
    const gate = Promise.withResolvers<ResumeAnswer>();
    resume = () => gate.promise;
    const first = send(approval(stored(), rejection));
    while (requests.length === 0) await nextTurn();
    const next = pausing("review", "Second.", 2);
    const shown = read(next);
    status = () => Promise.resolve(next);
    resume = () => Promise.resolve({ status: "retrying" });
    await send(approval(shown, rejection));
    gate.resolve({ status: "retrying" });
    await first;
    assert.deepEqual(texts(), ["Shorter.", "Shorter."]);
    const attempts = known().resumes.map(({ attempt, outcome }) => `${attempt} ${outcome}`);
    assert.deepEqual(attempts, ["1 answered", "2 answered"]);
  });

  it("reports that it may have been sent if no response arrives, and sends again only on request", async () => {
    const execution = stored();
    resume = () => Promise.reject(lost());
    await assert.rejects(send(approval(execution)), MaybeSentError);
    assert.equal(known().resumes[0]?.outcome, "unanswered");
    await assert.rejects(send(approval(execution)), MaybeSentError);
    assert.equal(requests.length, 1);
    await assert.rejects(send(again()), MaybeSentError);
    resume = () => Promise.resolve({ status: "resumed" });
    const both = await Promise.allSettled([1, 2].map(() => send(again())));
    assert.deepEqual(both.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
    assert.equal(requests.length, 3);
  });

  it("is not sent again if that happened in another window since the person agreed to it", async () => {
    resume = () => Promise.reject(lost());
    await assert.rejects(send(approval(stored())), MaybeSentError);
    const agreed = again();
    resume = () => Promise.resolve({ status: "resumed" });
    await sendIn(windows.open())(agreed);
    store.refresh();
    read(waiting);
    assert.notEqual(known().stillPaused, undefined, "the crew lags");
    await assert.rejects(send(agreed), stillPaused);
    assert.equal(requests.length, 2);
  });

  for (const [name, fail] of failures) {
    const long = "x".repeat(1_000_000);

    it(`never reports it as not sent if the crew accepted it and the ${name}`, async () => {
      const execution = stored();
      resume = () => {
        fail(window.database);
        return Promise.resolve({ status: "resumed", message: long });
      };
      await assert.rejects(
        send(approval(execution)),
        (error) => error instanceof MaybeSentError && /accepted your feedback/.test(error.message),
      );
      assert.deepEqual(polled, ["local-1"]);
      await assert.rejects(sendIn(windows.open())(approval(execution)), MaybeSentError);
      assert.equal(requests.length, 1);
    });

    it(`reports that it may have been sent if no response arrives and the ${name}`, async () => {
      const execution = stored();
      resume = () => {
        fail(window.database);
        return Promise.reject(lost(long));
      };
      await assert.rejects(send(approval(execution)), MaybeSentError);
      await assert.rejects(sendIn(windows.open())(approval(execution)), MaybeSentError);
      assert.equal(requests.length, 1);
    });
  }

  it("reports the crew's refusal even if that can't be recorded; then it may have been sent, and can be sent again", async () => {
    const execution = stored();
    resume = () => {
      window.database.all("PRAGMA query_only = ON");
      return Promise.reject(refusal);
    };
    await assert.rejects(send(approval(execution)), refusal);
    assert.deepEqual(problems, ["What became of a request could not be recorded."]);
    assert.deepEqual(outcomes(), ["sending"]);
    window.database.all("PRAGMA query_only = OFF");
    resume = () => Promise.resolve({ status: "resumed" });
    await assert.rejects(send(approval(execution)), MaybeSentError);
    assert.deepEqual(outcomes(), ["unanswered"]);
    await send(again());
    assert.equal(requests.length, 2);
  });

  it("sends again after a refusal", async () => {
    const execution = stored();
    resume = () => Promise.reject(refusal);
    await assert.rejects(send(approval(execution)), CrewApiError);
    assert.equal(known().resumes[0]?.outcome, "refused");
    resume = () => Promise.resolve({ status: "resumed" });
    await send(approval(execution));
    assert.equal(requests.length, 2);
  });

  for (const answer of [
    working("publish", 2),
    pausing("publish"),
    aReading({ state: "completed" }),
    aReading({ state: "failed" }),
    pausing("review", "Second.", 2),
    pausing("review", "Not numbered."),
  ])
    it(`is stale if the crew says: ${JSON.stringify(answer.waiting ?? answer.state)}`, async () => {
      const execution = stored();
      status = () => Promise.resolve(answer);
      await assert.rejects(send(approval(execution)), stale);
      assert.equal(requests.length, 0);
    });

  it("is stale after another window got a new ID, without a request", async () => {
    const execution = stored();
    resume = () => Promise.resolve({ kickoffId: "k-new" });
    await sendIn(windows.open())(approval(execution));
    status = () => assert.fail("requested");
    await assert.rejects(send(approval(execution, rejection)), stale);
    assert.equal(requests.length, 1);
  });

  it("sends if the crew doesn't say whether the task waits", async () => {
    const unclear: (() => Promise<StatusReading>)[] = [
      () => Promise.resolve(notFound),
      () => Promise.resolve(aReading({ state: "awaiting", stateText: "PAUSED" })),
      () => Promise.resolve(aReading({ state: "other", stateText: "HIBERNATING" })),
      () => Promise.reject(failure("notFound")),
      () => Promise.reject(failure("server")),
    ];
    for (const [at, answer] of unclear.entries()) {
      const localId = `unclear-${at}`;
      status = answer;
      await send(approval(stored(anExecution({ localId, kickoffIds: [localId] }))));
      assert.equal(requests.length, at + 1);
    }
  });

  for (const [dialect, pause] of [
    ["numbered, as in the documented dialect", waiting],
    [
      "not numbered and with other white space, as in the live dialect",
      pausing("review", "# Draft\n\nText.\n"),
    ],
  ] as const) {
    describe(`for a pause that the crew still reports after it accepted an answer (${dialect})`, () => {
      const seconds = (count: number) => () => Date.now() + count * 1000;

      it("sends nothing for a minute, and says why and what to do", async () => {
        const shown = stored();
        status = () => Promise.resolve(pause);
        await send(approval(shown));
        await assert.rejects(sendIn(window, seconds(1))(approval(shown)), stale);
        await assert.rejects(
          sendIn(window, seconds(12))(approval(known())),
          (error: StaleFeedbackError) =>
            stillPaused(error) && error.actions[1]?.command === "crewdeck.sendAgain",
        );
        assert.deepEqual([known().state, known().waiting], ["running", undefined]);
        assert.equal(requests.length, 1);
      });

      it("sends it after a minute, and only on request", async () => {
        const shown = stored();
        status = () => Promise.resolve(pause);
        await send(approval(shown));
        const later = seconds(62);
        await assert.rejects(sendIn(window, later)(approval(known())), stillPaused);
        assert.deepEqual([known().state, known().waiting?.attempt], ["waiting", 1]);
        assert.equal(requests.length, 1);
        await sendIn(window, later)(again());
        assert.equal(requests.length, 2);
        assert.deepEqual(outcomes(), ["answered", "answered"]);
        // And the next one needs confirmation, too.
        await assert.rejects(sendIn(window, later)(approval(known())), StaleFeedbackError);
      });

      it("doesn't send it for another output that waits by then", async () => {
        const shown = stored();
        status = () => Promise.resolve(pause);
        await send(approval(shown, rejection));
        await assert.rejects(sendIn(window, seconds(12))(approval(known())), StaleFeedbackError);
        const lagging = known();
        assert.deepEqual(lagging.stillPaused, { taskId: "review", attempt: 1 });
        status = () => Promise.resolve(pausing("review", "Second."));
        await assert.rejects(
          sendIn(window, seconds(13))(approval(lagging, { again: true })),
          stale,
        );
        assert.equal(requests.length, 1);
      });
    });
  }

  it("doesn't answer an output that the person hasn't seen, even if only another window knows it and the crew is unreachable", async () => {
    const shown = stored();
    const other = windows.open();
    read(pausing("review", "Second."), other);
    status = () => Promise.reject(failure("gateway"));
    await assert.rejects(send(approval(shown)), stale);
    read(aReading({ state: "completed" }), other);
    await assert.rejects(send(approval(shown)), stale);
    assert.equal(requests.length, 0);
  });

  it("ignores a status answer that another window's resume has overtaken", async () => {
    const shown = stored();
    const other = windows.open();
    resume = () => Promise.resolve({ kickoffId: "k-new" });
    let requested = 0;
    status = async () => {
      if (requested++ > 0) return waiting;
      await sendIn(other)(approval(shown));
      return aReading({ state: "completed" });
    };
    await assert.rejects(send(approval(shown, rejection)), stale);
    assert.equal(requests.length, 1);
    assert.equal(known().kickoffIds.at(-1), "k-new");
    assert.notEqual(known().state, "completed");
  });

  it("records that feedback had no effect if there is no token", async () => {
    const execution = stored();
    const missing = failure("unauthorized", { message: "No token." });
    resume = () => Promise.reject(missing);
    const feedback = approval(execution);
    await assert.rejects(send(feedback), missing);
    assert.equal(known().resumes[0]?.outcome, "refused");
    const named = namingFeedback(missing, feedback);
    assert.ok(named instanceof UserError);
    assert.match(named.message, /^Your feedback on “.+” failed: No token\. Do something\.$/);
    assert.equal(named.actions.at(-1)?.command, "crewdeck.openExecution");
  });

  it("sends again on request to a crew that gives all attempts the same number", async () => {
    await send(approval(stored(), rejection));
    const second = pausing("review", "Second.", 1);
    status = () => Promise.resolve(second);
    read(second);
    assert.equal(known().waiting?.attempt, 2);
    await send(approval(known()));
    read(second);
    assert.deepEqual(known().stillPaused, { taskId: "review", attempt: 2 });
    await send(again());
    assert.deepEqual(texts(), ["Shorter.", "Approved.", "Approved."]);
  });

  it("accepts a typed task ID for an execution that may be waiting, again after each response", async () => {
    const startedAt = "2020-01-01T00:00:00.000Z";
    const execution = stored(
      notWaiting({ state: "unknown", mayBeWaiting: true, tasks: [], startedAt }),
    );
    status = () => Promise.resolve(notFound);
    const typed = { taskId: "typed" };
    await send(approval(execution, { ...rejection, ...typed }));
    // The person still sees the earlier state.
    await assert.rejects(send(approval(execution, typed)), StaleFeedbackError);
    await send(approval(known(), typed));
    assert.deepEqual(texts(), ["Shorter.", "Approved."]);
  });

  it("sends nothing while a token is refused or missing", async () => {
    const execution = stored();
    for (const error of [failure("unauthorized"), new UserError("There is no token.")]) {
      status = () => Promise.reject(error);
      await assert.rejects(send(approval(execution)), error);
    }
    assert.equal(requests.length, 0);
  });

  it("doesn't send again automatically if its window crashed or was suspended while sending", async () => {
    const execution = stored();
    const gate = Promise.withResolvers<ResumeAnswer>();
    resume = () => gate.promise;
    const first = send(approval(execution));
    while (requests.length === 0) await nextTurn();
    const other = windows.open();
    await assert.rejects(sendIn(other)(approval(execution)), MaybeSentError);
    kill(window);
    resume = () => Promise.resolve({ status: "resumed" });
    await assert.rejects(sendIn(other)(approval(execution)), MaybeSentError);
    assert.deepEqual(outcomes(), ["unanswered"]);
    await sendIn(other)(again());
    assert.deepEqual(outcomes(), ["unanswered", "answered"]);
    // The window was only suspended, and now gets the response.
    gate.resolve({ status: "resumed" });
    await first;
    assert.deepEqual([outcomes(), requests.length], [["answered", "answered"], 2]);
  });

  it("reports that an execution without a kickoff ID can't get feedback", async () => {
    const execution = stored(notWaiting({ state: "unconfirmed", kickoffIds: [] }));
    await assert.rejects(send(approval(execution)), /has no ID/);
  });

  it("sends nothing if the execution is no longer tracked", async () => {
    const execution = stored();
    store.remove("local-1");
    await assert.rejects(send(approval(execution)), StaleFeedbackError);
    assert.equal(requests.length, 0);
  });

  it("answers a call that waits by its ID, once, and says whether it is for all of its tool", async () => {
    const call = { ofTask: "review", tool: "send_mail" };
    const taskId = "review: send_mail #1";
    const pause = { ...waiting, waiting: { taskId, attempt: 1, output: "{}", call } };
    status = () => Promise.resolve(pause);
    const asks = applyReading(stored(notWaiting()), pause, Date.now());
    const execution = store.update("local-1", () => asks) ?? assert.fail();
    const given = { execution, taskId, isApprove: true, text: "", isForRun: true };
    await send(given);
    const [request] = requests;
    assert.deepEqual(
      [request?.taskId, request?.isForRun, request?.isAnswer],
      [taskId, true, undefined],
    );
    assert.deepEqual(known().resumes.at(-1)?.feedback.isCall, true);
    await assert.rejects(send(given), StaleFeedbackError);
    assert.equal(requests.length, 1);
  });
});
