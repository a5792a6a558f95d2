import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { ResumeAnswer, ResumeRequest, StatusReading } from "../../../src/api/types.ts";
import { UserError } from "../../../src/base/errors.ts";
import { MaybeSentError, StaleFeedbackError } from "../../../src/sending/errors.ts";
import { FeedbackSender, type FeedbackToSend } from "../../../src/sending/feedback.ts";
import { Intents, resumeKey } from "../../../src/sending/sends.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { recoverSends } from "../../../src/sending/recover.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { anExecution, notWaiting } from "../views/executions.ts";
import { noSecrets } from "../../support/secret-memory.ts";

const reading: StatusReading = {
  state: "running",
  stateText: "running",
  ended: false,
  tasks: [],
  raw: {},
};
const waiting: StatusReading = {
  ...reading,
  state: "waiting",
  waiting: { taskId: "review", output: "# Draft\n\nText.", attempt: 1 },
};
const lost = () =>
  new CrewApiError({ kind: "timeout", message: "No answer in 60 s.", remedy: "", sent: "maybe" });

describe("sending feedback", () => {
  let folder: string;
  let store: ExecutionStore;
  let intents: Intents;
  let requests: ResumeRequest[];
  let polled: string[];
  let problems: string[];
  let status: () => Promise<StatusReading>;
  let resume: (request: ResumeRequest) => Promise<ResumeAnswer>;
  const others: ExecutionStore[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crewdeck-feedback-"));
    intents = new Intents(join(folder, "intents"));
    store = await openStore();
    requests = [];
    polled = [];
    problems = [];
    status = () => Promise.resolve(waiting);
    resume = () => Promise.resolve({ status: "resumed", message: "Goes on.", raw: {} });
  });

  afterEach(async () => {
    for (const other of others.splice(0)) other.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  async function openStore(): Promise<ExecutionStore> {
    const onProblem = (message: string, error: unknown) =>
      assert.fail(`${message} ${String(error)}`);
    const opened = new ExecutionStore({
      folder: join(folder, "executions"),
      clock: systemClock,
      onProblem,
    });
    others.push(opened);
    await opened.open();
    return opened;
  }

  function sender(in_: ExecutionStore = store, now = Date.now): FeedbackSender {
    return new FeedbackSender({
      store: in_,
      intents,
      secrets: noSecrets,
      clock: { ...systemClock, now },
      clientFor: () => ({
        status: () => status(),
        resume: (request) => {
          requests.push(request);
          return resume(request);
        },
      }),
      poll: (localId) => polled.push(localId),
      onProblem: (message) => problems.push(message),
    });
  }

  async function stored(execution: Execution = anExecution()): Promise<Execution> {
    return await store.add(execution);
  }

  function approval(execution: Execution, changes: Partial<FeedbackToSend> = {}): FeedbackToSend {
    return { execution, taskId: "review", isApprove: true, text: "", ...changes };
  }

  it("sends words, the newest id and the kickoff's callbacks again, and notes the answer", async () => {
    const callbacks = { taskWebhookUrl: "https://a.test/t", crewWebhookUrl: "https://a.test/c" };
    const execution = await stored(
      anExecution({ kickoffIds: ["k-1", "k-2"], request: { inputs: {}, callbacks } }),
    );
    resume = () => Promise.resolve({ status: "retrying", message: "Once more.", raw: {} });
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

  it("says Approved. where an approval has no words, and wants words for a rejection", async () => {
    const execution = await stored();
    await assert.rejects(
      sender().send(approval(execution, { isApprove: false, text: "  " })),
      UserError,
    );
    assert.equal(requests.length, 0);
    await sender().send(approval(execution));
    assert.equal(requests[0]?.humanFeedback, "Approved.");
  });

  it("follows a new id that the crew answers", async () => {
    const execution = await stored();
    resume = () => Promise.resolve({ kickoffId: "k-new", raw: {} });
    const result = await sender().send(approval(execution));
    assert.equal(result.status, "resumed");
    assert.equal(result.kickoffId, "k-new");
    assert.deepEqual(store.find("11111111-aaaa")?.kickoffIds, ["11111111-aaaa", "k-new"]);
  });

  it("is sent once by ten clicks in two windows", async () => {
    const execution = await stored();
    const other = await openStore();
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

  it("may have been sent when no answer comes, and goes again only when the person says so", async () => {
    const execution = await stored();
    resume = () => Promise.reject(lost());
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.equal(store.find("local-1")?.resumes[0]?.outcome, "unanswered");
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.equal(requests.length, 1);
    await assert.rejects(sender().send(approval(execution, { again: true })), MaybeSentError);
    resume = () => Promise.resolve({ status: "resumed", raw: {} });
    const both = await Promise.allSettled(
      [1, 2].map(() => sender().send(approval(execution, { again: true }))),
    );
    assert.deepEqual(both.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
    assert.equal(requests.length, 3);
  });

  it("never reads as unsent where its outcome cannot be written down", async () => {
    const execution = await stored();
    let written = 0;
    // The note before sending is written, and from then on the disk is full.
    const full = {
      find: store.find.bind(store),
      refresh: () => store.refresh(),
      update: (...change: Parameters<ExecutionStore["update"]>) =>
        requests.length === 0
          ? (written++, store.update(...change))
          : Promise.reject(new Error("ENOSPC")),
    };
    const sending = () =>
      new FeedbackSender({
        store: full,
        intents,
        secrets: noSecrets,
        clock: systemClock,
        clientFor: () => ({
          status: () => status(),
          resume: (request) => (requests.push(request), resume(request)),
        }),
        poll: (localId) => polled.push(localId),
        onProblem: (message) => problems.push(message),
      }).send(approval(execution));
    await assert.rejects(
      sending(),
      (error) =>
        error instanceof MaybeSentError && /took your feedback.*ENOSPC/.test(error.message),
    );
    assert.deepEqual([written > 0, polled], [true, ["local-1"]]);
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    assert.equal(requests.length, 1);
  });

  it("may have been sent even where that cannot be written down", async () => {
    const execution = await stored();
    const full = {
      find: store.find.bind(store),
      refresh: () => store.refresh(),
      update: (...change: Parameters<ExecutionStore["update"]>) =>
        requests.length === 0 ? store.update(...change) : Promise.reject(new Error("ENOSPC")),
    };
    resume = () => Promise.reject(lost());
    const sending = new FeedbackSender({
      store: full,
      intents,
      secrets: noSecrets,
      clock: systemClock,
      clientFor: () => ({
        status: () => status(),
        resume: (request) => (requests.push(request), resume(request)),
      }),
      poll: () => undefined,
      onProblem: (message) => problems.push(message),
    }).send(approval(execution));
    await assert.rejects(sending, MaybeSentError);
  });

  it("tells the crew's refusal even where that cannot be written down, and gives the claim back", async () => {
    const execution = await stored();
    const refusal = new CrewApiError({
      kind: "badRequest",
      status: 400,
      message: "Execution is not in pending human input state",
      remedy: "",
      sent: "no",
    });
    resume = () => Promise.reject(refusal);
    const update = store.update.bind(store);
    store.update = (...change) =>
      requests.length === 0 ? update(...change) : Promise.reject(new Error("ENOSPC"));
    await assert.rejects(sender().send(approval(execution)), (error) => error === refusal);
    assert.deepEqual(problems, ["A refusal of feedback could not be written down."]);
    assert.deepEqual(await intents.all(), []);
    store.update = update;
    await recoverSends({ store, intents, clock: systemClock });
    resume = () => Promise.resolve({ status: "resumed", raw: {} });
    await sender().send(approval(execution, { again: true }));
    assert.equal(requests.length, 2);
  });

  it("can be sent anew after a refusal", async () => {
    const execution = await stored();
    resume = () =>
      Promise.reject(
        new CrewApiError({
          kind: "badRequest",
          status: 400,
          message: "Execution is not in pending human input state",
          remedy: "",
        }),
      );
    await assert.rejects(sender().send(approval(execution)), CrewApiError);
    assert.equal(store.find("local-1")?.resumes[0]?.outcome, "refused");
    resume = () => Promise.resolve({ status: "resumed", raw: {} });
    await sender().send(approval(execution));
    assert.equal(requests.length, 2);
  });

  it("does not send what a definite answer shows to be too late", async () => {
    const late: Partial<StatusReading>[] = [
      { state: "running" },
      { state: "completed", ended: true },
      { state: "failed", ended: true },
      { state: "waiting", waiting: { taskId: "publish" } },
      { state: "waiting", waiting: { taskId: "review", attempt: 2, output: "Second." } },
      { state: "waiting", waiting: { taskId: "review", output: "Another output, not numbered." } },
    ];
    for (const [at, answer] of late.entries()) {
      const execution = await stored(
        anExecution({ localId: `late-${at}`, kickoffIds: [`late-${at}`] }),
      );
      status = () => Promise.resolve({ ...reading, ...answer });
      await assert.rejects(
        sender().send(approval(execution)),
        StaleFeedbackError,
        JSON.stringify(answer),
      );
    }
    assert.equal(requests.length, 0);
  });

  for (const [kind, answer, words] of [
    [
      "answered",
      { state: "running" },
      /“review” has been answered already, in another window or by somebody else\. The crew goes on; its next output comes here by itself/,
    ],
    [
      "answered",
      { state: "waiting", waiting: { taskId: "publish" } },
      /“review” has been answered, and “publish” waits now\. Read that output, then answer it/,
    ],
    [
      "ended",
      { state: "completed", ended: true },
      /the execution has ended.*Read its result; to have it done differently, kick it off again/,
    ],
    [
      "newerAttempt",
      { state: "waiting", waiting: { taskId: "review", attempt: 2, output: "Second." } },
      /a newer output of “review” waits now: attempt 2, and you were at attempt 1\. Read it first/,
    ],
  ] as const) {
    it(`explains a stale pause: ${kind} (${JSON.stringify(answer)})`, async () => {
      const execution = await stored();
      status = () => Promise.resolve({ ...reading, ...answer } as StatusReading);
      await assert.rejects(sender().send(approval(execution)), (error) => {
        assert.ok(error instanceof StaleFeedbackError);
        assert.equal(error.kind, kind);
        assert.match(error.message, words);
        assert.equal(error.actions[0]?.command, "crewdeck.openExecution");
        return true;
      });
      assert.equal(requests.length, 0);
    });
  }

  it("explains a stale pause: a new id, which another window has brought, without asking the crew", async () => {
    const execution = await stored();
    const other = await openStore();
    resume = () => Promise.resolve({ kickoffId: "k-new", raw: {} });
    await sender(other).send(approval(execution));
    status = () => assert.fail("asked");
    await assert.rejects(
      sender().send(approval(execution, { isApprove: false, text: "No." })),
      (error) => {
        assert.ok(error instanceof StaleFeedbackError);
        assert.equal(error.kind, "newId");
        assert.match(
          error.message,
          /goes on under a new ID, k-new\. That is followed here: see what waits there, and answer that/,
        );
        return true;
      },
    );
    assert.equal(requests.length, 1);
  });

  it("sends where the crew cannot tell whether the task waits", async () => {
    const unclear: (() => Promise<StatusReading>)[] = [
      () => Promise.resolve({ ...reading, state: "unknown", stateText: "NOT FOUND" }),
      () => Promise.resolve({ ...reading, state: "awaiting", stateText: "PAUSED" }),
      () => Promise.resolve({ ...reading, state: "other", stateText: "HIBERNATING" }),
      () => Promise.reject(new CrewApiError({ kind: "notFound", message: "", remedy: "" })),
      () => Promise.reject(new CrewApiError({ kind: "server", message: "", remedy: "" })),
    ];
    for (const [at, answer] of unclear.entries()) {
      const execution = await stored(
        anExecution({ localId: `unclear-${at}`, kickoffIds: [`unclear-${at}`] }),
      );
      status = answer;
      await sender().send(approval(execution));
      assert.equal(requests.length, at + 1);
    }
  });

  for (const [dialect, pause] of [
    ["numbered, as by the documented dialect", waiting],
    [
      "not numbered and with other blank space, as by the live dialect",
      { ...reading, state: "waiting", waiting: { taskId: "review", output: "# Draft\n\nText.\n" } },
    ],
  ] as const) {
    describe(`for a pause that the crew still reports after it took an answer (${dialect})`, () => {
      const seconds = (count: number) => () => Date.now() + count * 1000;

      it("sends nothing for a moment, and says why and what can be done", async () => {
        const shown = await stored();
        status = () => Promise.resolve(pause);
        await sender().send(approval(shown));
        await assert.rejects(
          sender(store, seconds(1)).send(approval(shown)),
          /has been answered already, and the crew took that/,
        );
        await assert.rejects(
          sender(store, seconds(12)).send(approval(store.find("local-1")!)),
          (error) => {
            assert.ok(error instanceof StaleFeedbackError);
            assert.equal(error.kind, "stillPaused");
            assert.match(
              error.message,
              /not sent: you approved this output of “review” and the crew took it, but it still reports the pause\. It may only be slow/,
            );
            assert.deepEqual(
              error.actions.map(({ command }) => command),
              ["crewdeck.openExecution", "crewdeck.sendAgain"],
            );
            return true;
          },
        );
        assert.deepEqual(
          [store.find("local-1")?.state, store.find("local-1")?.waiting],
          ["running", undefined],
        );
        assert.equal(requests.length, 1);
      });

      it("sends it a minute later when the person says so, and only then", async () => {
        const shown = await stored();
        status = () => Promise.resolve(pause);
        await sender().send(approval(shown));
        const later = seconds(62);
        await assert.rejects(
          sender(store, later).send(approval(store.find("local-1")!)),
          (error) => error instanceof StaleFeedbackError && error.kind === "stillPaused",
        );
        assert.deepEqual(
          [store.find("local-1")?.state, store.find("local-1")?.waiting?.attempt],
          ["waiting", 1],
        );
        assert.equal(requests.length, 1);
        await sender(store, later).send(approval(store.find("local-1")!, { again: true }));
        assert.equal(requests.length, 2);
        assert.deepEqual(
          store.find("local-1")?.resumes.map(({ outcome }) => outcome),
          ["answered", "answered"],
        );
        await assert.rejects(
          sender(store, later).send(approval(store.find("local-1")!)),
          StaleFeedbackError,
          "and once more it wants to be asked",
        );
      });

      it("does not send it again for another output that waits by then", async () => {
        const shown = await stored();
        status = () => Promise.resolve(pause);
        await sender().send(approval(shown, { isApprove: false, text: "Shorter." }));
        await assert.rejects(
          sender(store, seconds(12)).send(approval(store.find("local-1")!)),
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
          sender(store, seconds(13)).send(approval(lagging, { again: true })),
          (error) => error instanceof StaleFeedbackError && error.kind === "newerAttempt",
        );
        assert.equal(requests.length, 1);
      });
    });
  }

  it("sends once more, too, what a crew took that gives all its attempts one number", async () => {
    const shown = await stored();
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
    await store.update("local-1", (known) => applyReading(known, second, Date.now()));
    assert.equal(store.find("local-1")?.waiting?.attempt, 2);
    await sender().send(approval(store.find("local-1")!));
    await store.update("local-1", (known) => applyReading(known, second, Date.now()));
    assert.deepEqual(store.find("local-1")?.stillPaused, { taskId: "review", attempt: 2 });
    await sender().send(approval(store.find("local-1")!, { again: true }));
    assert.deepEqual(
      requests.map(({ humanFeedback }) => humanFeedback),
      ["Shorter.", "Approved.", "Approved."],
    );
  });

  it("takes a typed task id for an execution that may be waiting, again after each answer", async () => {
    const execution = await stored(
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
      "the person still looks at what was there before",
    );
    await sender().send(approval(store.find("local-1")!, { taskId: "typed" }));
    assert.deepEqual(
      requests.map((request) => request.isApprove),
      [false, true],
    );
  });

  it("sends nothing while a token is refused or missing", async () => {
    const execution = await stored();
    for (const error of [
      new CrewApiError({ kind: "unauthorized", message: "", remedy: "" }),
      new UserError("There is no token on this machine."),
    ]) {
      status = () => Promise.reject(error);
      await assert.rejects(sender().send(approval(execution)), error);
    }
    assert.equal(requests.length, 0);
  });

  it("gets past a claim of a window that died before it sent, but not past a living one's", async () => {
    const execution = await stored();
    await intents.claim(resumeKey("local-1", "review", 1), { at: new Date().toISOString() });
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    const all = intents.all.bind(intents);
    intents.all = async () =>
      (await all()).map((intent) => ({ ...intent, session: "of a process that ended" }));
    await sender().send(approval(execution));
    assert.equal(requests.length, 1);
  });

  it("gets past a claim older than any request that nothing was written for, whoever has its process's number now", async () => {
    const execution = await stored();
    await intents.claim(resumeKey("local-1", "review", 1), {
      at: new Date(Date.now() - 9 * 60_000).toISOString(),
    });
    await assert.rejects(sender().send(approval(execution)), MaybeSentError);
    await intents.release(resumeKey("local-1", "review", 1));
    await intents.claim(resumeKey("local-1", "review", 1), {
      at: new Date(Date.now() - 11 * 60_000).toISOString(),
    });
    await sender().send(approval(execution));
    assert.equal(requests.length, 1);
  });

  it("says that a kickoff without an answer has no id to give feedback to", async () => {
    const execution = await stored(notWaiting({ state: "unconfirmed", kickoffIds: [] }));
    await assert.rejects(sender().send(approval(execution)), /no ID yet/);
  });

  it("says so when the execution is no longer tracked", async () => {
    const execution = await stored();
    await store.remove("local-1");
    await assert.rejects(sender().send(approval(execution)), StaleFeedbackError);
    assert.equal(requests.length, 0);
  });
});
