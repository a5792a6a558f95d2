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
import { anExecution, notWaiting } from "../views/executions.ts";
import {
  failures,
  intentsIn,
  kill,
  noAnswer,
  senderParts,
  type Window,
  Windows,
} from "./window.ts";

const reading: StatusReading = {
  state: "running",
  stateText: "running",
  ended: false,
  tasks: [],
};
const waiting: StatusReading = {
  ...reading,
  state: "waiting",
  waiting: { taskId: "review", output: "# Draft\n\nText.", attempt: 1 },
};
const refusal = new CrewApiError({
  kind: "badRequest",
  status: 400,
  message: "Execution is not in pending human input state",
  remedy: "",
});
const lost = () =>
  new CrewApiError({ kind: "timeout", message: "No answer in 60 s.", remedy: "", sent: "maybe" });

/** Whether an error says in this way that the pause is over. */
const stale =
  (kind: StaleFeedbackError["kind"], message = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof StaleFeedbackError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, message);
    assert.equal(error.actions[0]?.command, "crewdeck.openExecution");
    return true;
  };

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
    requests = [];
    polled = [];
    problems = [];
    status = () => Promise.resolve(waiting);
    resume = () => Promise.resolve({ status: "resumed", message: "Continues." });
  });

  afterEach(() => windows.close());

  function sender(inWindow: Window = window, now = Date.now) {
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
    return { send: (given: FeedbackToSend) => sendFeedback(parts, given) };
  }

  function stored(execution: Execution = anExecution()): Execution {
    return store.add(execution);
  }

  const outcomes = () => store.find("local-1")?.resumes.map(({ outcome }) => outcome);

  function approval(execution: Execution, changes: Partial<FeedbackToSend> = {}): FeedbackToSend {
    return { execution, taskId: "review", isApprove: true, text: "", ...changes };
  }

  it("sends the text, the newest ID and the kickoff's callbacks, and records the response", async () => {
    const callbacks = { taskWebhookUrl: "https://a.test/t", crewWebhookUrl: "https://a.test/c" };
    const execution = stored(
      anExecution({ kickoffIds: ["k-1", "k-2"], request: { inputs: {}, callbacks } }),
    );
    resume = () => Promise.resolve({ status: "retrying", message: "Once more." });
    const result = await sender().send(
      approval(execution, { isApprove: false, text: "Shorter.\nPlease." }),
    );
    assert.deepEqual(result, { status: "retrying", message: "Once more." });
    assert.deepEqual(requests, [
      {
        executionId: "k-2",
        taskId: "review",
        humanFeedback: "Shorter.\nPlease.",
        isApprove: false,
        ...callbacks,
      },
    ]);
    const now = store.find("k-1");
    assert.equal(now?.state, "running");
    assert.equal(now.resumes[0]?.outcome, "answered");
    assert.equal(now.tasks[1]?.attempts[0]?.feedback?.text, "Shorter.\nPlease.");
    assert.deepEqual(polled, ["local-1"]);
  });

  it("sends Approved. for an approval without a text, and requires one for a rejection", async () => {
    const execution = stored();
    await assert.rejects(
      sender().send(approval(execution, { isApprove: false, text: "  " })),
      UserError,
    );
    assert.equal(requests.length, 0);
    await sender().send(approval(execution));
    assert.equal(requests[0]?.humanFeedback, "Approved.");
  });

  it("follows a new ID in the crew's response", async () => {
    const execution = stored();
    resume = () => Promise.resolve({ kickoffId: "k-new" });
    const result = await sender().send(approval(execution));
    assert.equal(result.status, "resumed");
    assert.equal(result.kickoffId, "k-new");
    assert.deepEqual(store.find("11111111-aaaa")?.kickoffIds, ["11111111-aaaa", "k-new"]);
  });

  it("sends once for ten clicks in two windows", async () => {
    const execution = stored();
    const other = windows.open();
    const senders = [sender(), sender(other)];
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => senders[at % 2]!.send(approval(execution))),
    );
    assert.equal(requests.length, 1);
    assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
    for (const result of results)
      if (result.status === "rejected")
        assert.ok(
          result.reason instanceof MaybeSentError || result.reason instanceof StaleFeedbackError,
          String(result.reason),
        );
  });

  it("sends the same words for the next attempt while the response to the one before is missing", async () => {
    let answerFirst: (answer: ResumeAnswer) => void = () => undefined;
    resume = () => new Promise((answered) => (answerFirst = answered));
    const first = sender().send(approval(stored(), { isApprove: false, text: "Shorter." }));
    while (requests.length === 0) await nextTurn();
    const next = { ...waiting, waiting: { taskId: "review", output: "Second.", attempt: 2 } };
    const shown = store.update("local-1", (known) => applyReading(known, next, Date.now()));
    assert.ok(shown);
    status = () => Promise.resolve(next);
    resume = () => Promise.resolve({ status: "retrying" });
    await sender().send(approval(shown, { isApprove: false, text: "Shorter." }));
    answerFirst({ status: "retrying" });
    await first;
    assert.deepEqual(
      requests.map(({ humanFeedback }) => humanFeedback),
      ["Shorter.", "Shorter."],
    );
    assert.deepEqual(
      store.find("local-1")?.resumes.map(({ attempt, outcome }) => [attempt, outcome]),
      [
        [1, "answered"],
        [2, "answered"],
      ],
    );
  });

  it("reports that it may have been sent if no response arrives, and sends again only on request", async () => {
    const execution = stored();
    resume = () => Promise.reject(lost());
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.equal(store.find("local-1")?.resumes[0]?.outcome, "unanswered");
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.equal(requests.length, 1);
    await assert.rejects(
      sender().send(approval(store.find("local-1")!, { again: true })),
      MaybeSentError,
    );
    resume = () => Promise.resolve({ status: "resumed" });
    const both = await Promise.allSettled(
      [1, 2].map(() => sender().send(approval(store.find("local-1")!, { again: true }))),
    );
    assert.deepEqual(both.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
    assert.equal(requests.length, 3);
  });

  it("is not sent again if that happened in another window since the person agreed to it", async () => {
    resume = () => Promise.reject(lost());
    await assert.rejects(sender().send(approval(stored())), MaybeSentError);
    const agreed = approval(store.find("local-1")!, { again: true });
    resume = () => Promise.resolve({ status: "resumed" });
    await sender(windows.open()).send(agreed);
    store.refresh();
    store.update("local-1", (known) => applyReading(known, waiting, Date.now()));
    assert.notEqual(store.find("local-1")?.stillPaused, undefined, "the crew lags");
    await assert.rejects(sender().send(agreed), stale("stillPaused"));
    assert.equal(requests.length, 2);
  });

  for (const [name, fail] of failures) {
    const long = "x".repeat(1_000_000);

    it(`sends nothing while the ${name}`, async () => {
      const execution = stored();
      status = () => {
        fail(window.database);
        return Promise.reject(new CrewApiError({ kind: "server", message: "", remedy: "" }));
      };
      await assert.rejects(sender().send(approval(execution, { text: long })));
      const other = windows.open();
      assert.deepEqual(
        [requests, other.store.find("local-1")?.resumes, intentsIn(other)],
        [[], [], []],
        "neither request nor record",
      );
    });

    it(`never reports it as not sent if the crew accepted it and the ${name}`, async () => {
      const execution = stored();
      resume = () => {
        fail(window.database);
        return Promise.resolve({ status: "resumed", message: long });
      };
      await assert.rejects(
        sender().send(approval(execution)),
        (error) => error instanceof MaybeSentError && /accepted your feedback/.test(error.message),
      );
      assert.deepEqual(polled, ["local-1"]);
      await assert.rejects(sender(windows.open()).send(approval(execution)), MaybeSentError);
      assert.equal(requests.length, 1);
    });

    it(`reports that it may have been sent if no response arrives and the ${name}`, async () => {
      const execution = stored();
      resume = () => {
        fail(window.database);
        return Promise.reject(
          new CrewApiError({ kind: "timeout", message: long, remedy: "", sent: "maybe" }),
        );
      };
      await assert.rejects(sender().send(approval(execution)), MaybeSentError);
      await assert.rejects(sender(windows.open()).send(approval(execution)), MaybeSentError);
      assert.equal(requests.length, 1);
    });
  }

  it("reports the crew's refusal even if that can't be recorded; then it may have been sent, and can be sent again", async () => {
    const execution = stored();
    resume = () => {
      window.database.all("PRAGMA query_only = ON");
      return Promise.reject(refusal);
    };
    await assert.rejects(sender().send(approval(execution)), (error) => error === refusal);
    assert.deepEqual(problems, ["What became of a request could not be recorded."]);
    assert.deepEqual(outcomes(), ["sending"]);
    window.database.all("PRAGMA query_only = OFF");
    resume = () => Promise.resolve({ status: "resumed" });
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.deepEqual(outcomes(), ["unanswered"]);
    await sender().send(approval(store.find("local-1")!, { again: true }));
    assert.equal(requests.length, 2);
  });

  it("sends again after a refusal", async () => {
    const execution = stored();
    resume = () => Promise.reject(refusal);
    await assert.rejects(sender().send(approval(execution)), CrewApiError);
    assert.equal(store.find("local-1")?.resumes[0]?.outcome, "refused");
    resume = () => Promise.resolve({ status: "resumed" });
    await sender().send(approval(execution));
    assert.equal(requests.length, 2);
  });

  for (const [kind, answer, message] of [
    [
      "answered",
      { state: "running" },
      /“review” has been answered already, in another window or by somebody else\. The crew continues; its next output appears here/,
    ],
    [
      "answered",
      { state: "waiting", waiting: { taskId: "publish" } },
      /“review” has been answered, and “publish” waits now\. Read that output, then answer it/,
    ],
    [
      "ended",
      { state: "completed", ended: true },
      /the execution has ended.*Read its result, or kick it off again/,
    ],
    ["ended", { state: "failed", ended: true }, /the execution has ended/],
    [
      "newerAttempt",
      { state: "waiting", waiting: { taskId: "review", attempt: 2, output: "Second." } },
      /a newer output of “review” waits now: attempt 2, and you were at attempt 1\. Read it first/,
    ],
    [
      "newerAttempt",
      { state: "waiting", waiting: { taskId: "review", output: "Another output, not numbered." } },
      /waits now: attempt 2/,
    ],
  ] as const) {
    it(`explains a stale pause: ${kind} (${JSON.stringify(answer)})`, async () => {
      const execution = stored();
      status = () => Promise.resolve({ ...reading, ...answer } as StatusReading);
      await assert.rejects(sender().send(approval(execution)), stale(kind, message));
      assert.equal(requests.length, 0);
    });
  }

  it("explains a stale pause: a new ID that another window got, without a request", async () => {
    const execution = stored();
    const other = windows.open();
    resume = () => Promise.resolve({ kickoffId: "k-new" });
    await sender(other).send(approval(execution));
    status = () => assert.fail("requested");
    await assert.rejects(
      sender().send(approval(execution, { isApprove: false, text: "No." })),
      stale(
        "newId",
        /continues under a new ID, k-new\. That is followed here: see what waits there, and answer that/,
      ),
    );
    assert.equal(requests.length, 1);
  });

  it("sends if the crew doesn't say whether the task waits", async () => {
    const unclear: (() => Promise<StatusReading>)[] = [
      () => Promise.resolve({ ...reading, state: "unknown", stateText: "NOT FOUND" }),
      () => Promise.resolve({ ...reading, state: "awaiting", stateText: "PAUSED" }),
      () => Promise.resolve({ ...reading, state: "other", stateText: "HIBERNATING" }),
      () => Promise.reject(new CrewApiError({ kind: "notFound", message: "", remedy: "" })),
      () => Promise.reject(new CrewApiError({ kind: "server", message: "", remedy: "" })),
    ];
    for (const [at, answer] of unclear.entries()) {
      const execution = stored(
        anExecution({ localId: `unclear-${at}`, kickoffIds: [`unclear-${at}`] }),
      );
      status = answer;
      await sender().send(approval(execution));
      assert.equal(requests.length, at + 1);
    }
  });

  for (const [dialect, pause] of [
    ["numbered, as in the documented dialect", waiting],
    [
      "not numbered and with other white space, as in the live dialect",
      { ...reading, state: "waiting", waiting: { taskId: "review", output: "# Draft\n\nText.\n" } },
    ],
  ] as const) {
    describe(`for a pause that the crew still reports after it accepted an answer (${dialect})`, () => {
      const seconds = (count: number) => () => Date.now() + count * 1000;

      it("sends nothing for a minute, and says why and what to do", async () => {
        const shown = stored();
        status = () => Promise.resolve(pause);
        await sender().send(approval(shown));
        await assert.rejects(
          sender(window, seconds(1)).send(approval(shown)),
          /has been answered already, and the crew accepted that/,
        );
        await assert.rejects(
          sender(window, seconds(12)).send(approval(store.find("local-1")!)),
          (error: StaleFeedbackError) =>
            stale(
              "stillPaused",
              /not sent: the crew accepted your feedback on this output of “review”, but still reports the pause\. It may only be slow/,
            )(error) && error.actions[1]?.command === "crewdeck.sendAgain",
        );
        assert.deepEqual(
          [store.find("local-1")?.state, store.find("local-1")?.waiting],
          ["running", undefined],
        );
        assert.equal(requests.length, 1);
      });

      it("sends it after a minute, and only on request", async () => {
        const shown = stored();
        status = () => Promise.resolve(pause);
        await sender().send(approval(shown));
        const later = seconds(62);
        await assert.rejects(
          sender(window, later).send(approval(store.find("local-1")!)),
          stale("stillPaused"),
        );
        assert.deepEqual(
          [store.find("local-1")?.state, store.find("local-1")?.waiting?.attempt],
          ["waiting", 1],
        );
        assert.equal(requests.length, 1);
        await sender(window, later).send(approval(store.find("local-1")!, { again: true }));
        assert.equal(requests.length, 2);
        assert.deepEqual(
          store.find("local-1")?.resumes.map(({ outcome }) => outcome),
          ["answered", "answered"],
        );
        await assert.rejects(
          sender(window, later).send(approval(store.find("local-1")!)),
          StaleFeedbackError,
          "and the next one needs confirmation, too",
        );
      });

      it("doesn't send it for another output that waits by then", async () => {
        const shown = stored();
        status = () => Promise.resolve(pause);
        await sender().send(approval(shown, { isApprove: false, text: "Shorter." }));
        await assert.rejects(
          sender(window, seconds(12)).send(approval(store.find("local-1")!)),
          StaleFeedbackError,
        );
        const lagging = store.find("local-1")!;
        assert.deepEqual(lagging.stillPaused, { taskId: "review", attempt: 1 });
        status = () =>
          Promise.resolve({
            ...reading,
            state: "waiting",
            waiting: { taskId: "review", output: "Second." },
          });
        await assert.rejects(
          sender(window, seconds(13)).send(approval(lagging, { again: true })),
          stale("newerAttempt"),
        );
        assert.equal(requests.length, 1);
      });
    });
  }

  it("doesn't answer an output that the person hasn't seen, even if only another window knows it and the crew is unreachable", async () => {
    const shown = stored();
    windows
      .open()
      .store.update("local-1", (known) =>
        applyReading(
          known,
          { ...reading, state: "waiting", waiting: { taskId: "review", output: "Second." } },
          Date.now(),
        ),
      );
    status = () => Promise.reject(new CrewApiError({ kind: "gateway", message: "", remedy: "" }));
    await assert.rejects(sender().send(approval(shown)), stale("newerAttempt"));
    windows
      .open()
      .store.update("local-1", (known) =>
        applyReading(known, { ...reading, state: "completed" }, Date.now()),
      );
    await assert.rejects(sender().send(approval(shown)), stale("ended"));
    assert.equal(requests.length, 0);
  });

  it("ignores a status answer that another window's resume has overtaken", async () => {
    const shown = stored();
    const other = windows.open();
    resume = () => Promise.resolve({ kickoffId: "k-new" });
    let requested = 0;
    status = async () => {
      if (requested++ > 0) return waiting;
      await sender(other).send(approval(shown));
      return { ...reading, state: "completed", ended: true };
    };
    await assert.rejects(
      sender().send(approval(shown, { isApprove: false, text: "No." })),
      stale("newId"),
    );
    assert.equal(requests.length, 1);
    assert.equal(store.find("local-1")?.kickoffIds.at(-1), "k-new");
    assert.notEqual(store.find("local-1")?.state, "completed");
  });

  it("records that nothing was sent if there is no token", async () => {
    const execution = stored();
    const missing = new CrewApiError({ kind: "unauthorized", message: "No token.", remedy: "" });
    resume = () => Promise.reject(missing);
    const feedback = approval(execution);
    await assert.rejects(sender().send(feedback), missing);
    assert.equal(store.find("local-1")?.resumes[0]?.isUnsent, true);
    const named = namingFeedback(missing, feedback);
    assert.ok(named instanceof UserError);
    assert.match(named.message, /^Your feedback on “.+” was not sent: No token\.$/);
  });

  it("restarts polling that had stopped after 24 h, even if no response arrives", async () => {
    const execution = stored(anExecution({ watchingStoppedAt: "2026-10-22T12:00:00.000Z" }));
    resume = () => Promise.reject(lost());
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.equal(store.find("local-1")?.watchingStoppedAt, undefined);
  });

  it("sends again on request to a crew that gives all attempts the same number", async () => {
    const shown = stored();
    status = () =>
      Promise.resolve({
        ...reading,
        state: "waiting",
        waiting: { taskId: "review", output: "# Draft\n\nText.", attempt: 1 },
      });
    await sender().send(approval(shown, { isApprove: false, text: "Shorter." }));
    const second = {
      ...reading,
      state: "waiting" as const,
      waiting: { taskId: "review", output: "Second.", attempt: 1 },
    };
    status = () => Promise.resolve(second);
    store.update("local-1", (known) => applyReading(known, second, Date.now()));
    assert.equal(store.find("local-1")?.waiting?.attempt, 2);
    await sender().send(approval(store.find("local-1")!));
    store.update("local-1", (known) => applyReading(known, second, Date.now()));
    assert.deepEqual(store.find("local-1")?.stillPaused, { taskId: "review", attempt: 2 });
    await sender().send(approval(store.find("local-1")!, { again: true }));
    assert.deepEqual(
      requests.map(({ humanFeedback }) => humanFeedback),
      ["Shorter.", "Approved.", "Approved."],
    );
  });

  it("accepts a typed task ID for an execution that may be waiting, again after each response", async () => {
    const execution = stored(
      notWaiting({
        state: "unknown",
        mayBeWaiting: true,
        tasks: [],
        startedAt: "2020-01-01T00:00:00.000Z",
      }),
    );
    status = () => Promise.resolve({ ...reading, state: "unknown", stateText: "NOT FOUND" });
    await sender().send(approval(execution, { taskId: "typed", isApprove: false, text: "No." }));
    await assert.rejects(
      sender().send(approval(execution, { taskId: "typed" })),
      StaleFeedbackError,
      "the person still sees the earlier state",
    );
    await sender().send(approval(store.find("local-1")!, { taskId: "typed" }));
    assert.deepEqual(
      requests.map((request) => request.isApprove),
      [false, true],
    );
  });

  it("sends nothing while a token is refused or missing", async () => {
    const execution = stored();
    for (const error of [
      new CrewApiError({ kind: "unauthorized", message: "", remedy: "" }),
      new UserError("There is no token on this machine."),
    ]) {
      status = () => Promise.reject(error);
      await assert.rejects(sender().send(approval(execution)), error);
    }
    assert.equal(requests.length, 0);
  });

  it("doesn't send again automatically if its window crashed or was suspended while sending", async () => {
    const execution = stored();
    let answer: (answer: ResumeAnswer) => void = () => assert.fail("nothing was sent");
    resume = () => new Promise((resolve) => (answer = resolve));
    const first = sender().send(approval(execution));
    while (requests.length === 0) await new Promise(setImmediate);
    const other = windows.open();
    await assert.rejects(sender(other).send(approval(execution)), /is already being sent/);
    kill(window);
    resume = () => Promise.resolve({ status: "resumed" });
    await assert.rejects(sender(other).send(approval(execution)), /may have been sent before/);
    assert.deepEqual(outcomes(), ["unanswered"]);
    await sender(other).send(approval(store.find("local-1")!, { again: true }));
    assert.deepEqual(outcomes(), ["unanswered", "answered"]);
    // The window was only suspended, and now gets the response.
    answer({ status: "resumed" });
    await first;
    assert.deepEqual([outcomes(), requests.length], [["answered", "answered"], 2]);
  });

  it("reports that an execution without a kickoff ID can't get feedback", async () => {
    const execution = stored(notWaiting({ state: "unconfirmed", kickoffIds: [] }));
    await assert.rejects(sender().send(approval(execution)), /has no ID/);
  });

  it("sends nothing if the execution is no longer tracked", async () => {
    const execution = stored();
    store.remove("local-1");
    await assert.rejects(sender().send(approval(execution)), StaleFeedbackError);
    assert.equal(requests.length, 0);
  });
});
