import assert from "node:assert/strict";
import type { CallRules, KickoffAnswer, KickoffRequest } from "../../../src/api/types.ts";
import { UserError } from "../../../src/base/errors.ts";
import { earlierKickoff, MaybeStartedError, sendKickoff } from "../../../src/sending/kickoff.ts";
import type { Senders } from "../../../src/sending/senders.ts";
import { failure } from "../executions/samples.ts";
import { crew } from "../kickoff/support.ts";
import { failures, intentsIn, kill, senderParts, type Window, Windows } from "./window.ts";

const request: KickoffRequest = {
  inputs: { topic: "Otters" },
  taskWebhookUrl: "https://a.example/t",
};
const refusal = failure("validation");
const lost = failure("timeout", { message: "No answer.", sent: "maybe" });
const localId = "11111111-0000-4000-8000-000000000001";

type SentKickoff = Parameters<Senders["send"]>;

describe("Sending a kickoff", () => {
  let windows: Windows;
  let window: Window;
  let sent: KickoffRequest[];
  let polled: string[];
  let problems: string[];
  let answer: () => Promise<KickoffAnswer>;

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
    [sent, polled, problems] = [[], [], []];
    answer = () => Promise.resolve({ kickoffId: "k1" });
  });

  const unanswered = () => intentsIn(window);

  function makeSender(inWindow = window, rules: CallRules = {}) {
    const kickoff = (given: KickoffRequest) => {
      sent.push(given);
      return answer();
    };
    const parts = {
      ...senderParts(inWindow, {
        poll: (id) => polled.push(id),
        problem: (message) => problems.push(message),
      }),
      crews: { client: () => Promise.resolve({ kickoff }) },
      rules: () => rules,
    };
    return {
      send: (...[to, given, options]: SentKickoff) => sendKickoff(parts, to, given, options),
      earlier: () => earlierKickoff(parts, localId),
    };
  }
  const sendIt = (given = request, sender = makeSender()) => sender.send(crew, given, { localId });
  const storedState = () => windows.open().store.find(localId)?.state;

  it("stores the execution under its kickoff ID, and polls it", async () => {
    const execution = await makeSender().send(crew, request, { label: "Mine", localId });
    const known = [execution.localId, execution.kickoffIds, execution.state, execution.label];
    assert.deepEqual(known, [localId, ["k1"], "queued", "Mine"]);
    assert.deepEqual(execution.request, {
      inputs: { topic: "Otters" },
      callbacks: { taskWebhookUrl: "https://a.example/t" },
    });
    assert.deepEqual(windows.open().store.find("k1"), execution);
    assert.deepEqual(polled, [localId]);
    assert.deepEqual(sent, [request]);
    assert.deepEqual(unanswered(), [], "the record alone prevents a second request");
  });

  it("stores which engine a local crew runs on", async () => {
    const local = {
      ...crew,
      local: { folder: "file:///x", engine: "rehearsal", running: true },
    } as const;
    assert.equal((await makeSender().send(local, request)).engine, "rehearsal");
  });

  describe("to a crew whose calls may wait for a person", () => {
    const local = { folder: "file:///x", running: true } as const;
    const crewai = { ...crew, local: { ...local, engine: "crewai" } } as const;
    const own = { approveTools: ["send_mail"], limits: { tokens: 500 } };
    const prices = { "gpt-*": { input: 1, output: 2 } };
    const settings = { approveTools: ["pay"], limits: { tokens: 9, dollars: 1 }, prices };
    const sendWith = async (to: SentKickoff[0], rules?: CallRules, mine: CallRules = {}) =>
      (await makeSender(window, mine).send(to, { ...request, ...(rules && { rules }) })).request
        ?.rules;

    it("sends the rules of the request and of the settings, and stores them", async () => {
      assert.deepEqual(await sendWith(crewai, own), own);
      assert.deepEqual(await sendWith(crewai, own, settings), {
        ...{ approveTools: ["send_mail", "pay"], limits: { tokens: 500, dollars: 1 }, prices },
      });
      assert.equal(await sendWith(crewai), undefined);
      assert.deepEqual(sent[1]?.rules?.prices, prices);
    });

    it("sends none to a rehearsal", async () => {
      const rehearsal = { ...crew, local: { ...local, engine: "rehearsal" } } as const;
      assert.equal(await sendWith(rehearsal, own, settings), undefined);
    });

    it("refuses a crew that would ask nobody, and dollars without prices", async () => {
      await assert.rejects(sendWith(crew, own), /Only a local crew can let calls wait/);
      await assert.rejects(
        sendWith(crewai, { limits: { dollars: 1 } }),
        /needs the prices of your models: enter them in the setting crewdeck\.prices/,
      );
      assert.equal(await sendWith(crew, undefined, settings), undefined);
      assert.equal(sent.length, 1);
    });
  });

  it("writes row and record to disk before it sends the request", async () => {
    answer = () => {
      const other = windows.open();
      assert.equal(other.store.find(localId)?.state, "unconfirmed");
      assert.deepEqual([...other.outbox.underWay()], [localId]);
      return Promise.resolve({ kickoffId: "k1" });
    };
    await sendIt();
  });

  it("sends once, however often and from however many windows it is called", async () => {
    const gate = Promise.withResolvers<KickoffAnswer>();
    answer = () => gate.promise;
    const otherWindow = makeSender(windows.open());
    const tries = [makeSender(), otherWindow, otherWindow].map((sender) => sendIt(request, sender));
    const outcomes = Promise.allSettled(tries);
    const first = await Promise.race(tries.map((each) => each.catch((error: unknown) => error)));
    assert.ok(first instanceof MaybeStartedError);
    gate.resolve({ kickoffId: "k1" });
    assert.equal((await outcomes).filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(sent.length, 1);
    const isKnown = (error: unknown) =>
      error instanceof MaybeStartedError && error.execution?.kickoffIds[0] === "k1";
    for (const sender of [makeSender(), otherWindow])
      await assert.rejects(sendIt(request, sender), isKnown);
    assert.equal(sent.length, 1, "nothing more is sent afterwards");
  });

  for (const [when, error] of [
    ["after a definite refusal", refusal],
    ["if the request couldn't be made, as without a token", new UserError("There is no token.")],
  ] as const)
    it(`keeps nothing ${when}`, async () => {
      answer = () => Promise.reject(error);
      await assert.rejects(sendIt(), error);
      assert.deepEqual([window.store.list(), unanswered()], [[], []]);
    });

  for (const error of [lost, new TypeError("a bug")])
    it(`keeps a record that may have started after: ${error.message}`, async () => {
      answer = () => Promise.reject(error);
      await assert.rejects(
        sendIt(),
        (thrown) =>
          thrown instanceof MaybeStartedError &&
          thrown.execution?.localId === localId &&
          thrown.cause === error,
      );
      assert.equal(storedState(), "unconfirmed");
      await assert.rejects(sendIt(), MaybeStartedError);
      assert.equal(sent.length, 1);
    });

  it("quotes a response that doesn't say whether it started, and says where to look", async () => {
    const message = "The crew failed to answer (500): No.";
    answer = () => Promise.reject(failure("server", { status: 500, message, sent: "maybe" }));
    await assert.rejects(sendIt(), {
      name: MaybeStartedError.name,
      message: /may have started an execution: The crew failed to answer \(500\): No\.$/,
      remedy: /dashboard or log/,
    });
  });

  describe("the earlier kickoff of a form after a reload", () => {
    const known = () => {
      const earlier = makeSender(windows.open()).earlier();
      return earlier instanceof MaybeStartedError
        ? { mayHaveStarted: earlier.execution?.localId }
        : earlier?.kickoffIds;
    };

    it("is undefined if none was sent, or the crew refused it", async () => {
      assert.equal(known(), undefined);
      answer = () => Promise.reject(refusal);
      await assert.rejects(sendIt());
      assert.equal(known(), undefined);
    });

    it("is its execution if it started", async () => {
      await sendIt();
      assert.deepEqual(known(), ["k1"]);
    });

    it("may have started, before a response and without one", async () => {
      const gate = Promise.withResolvers<KickoffAnswer>();
      answer = () => gate.promise;
      const sending = sendIt();
      while (sent.length === 0) await new Promise(setImmediate);
      assert.deepEqual(known(), { mayHaveStarted: localId });
      gate.reject(lost);
      await assert.rejects(sending, MaybeStartedError);
      assert.deepEqual(known(), { mayHaveStarted: localId });
    });

    it("may have started after a crash, also after a recovery and when it is no longer tracked", async () => {
      answer = () => new Promise(() => undefined);
      void sendIt();
      while (sent.length === 0) await new Promise(setImmediate);
      kill(window);
      const recover = () => window.outbox.recover(window.store);
      recover();
      assert.deepEqual(known(), { mayHaveStarted: localId });
      window.store.remove(localId);
      recover();
      assert.deepEqual(known(), { mayHaveStarted: undefined });
      await assert.rejects(sendIt(), MaybeStartedError);
      assert.equal(sent.length, 1);
    });
  });

  for (const [name, fail] of failures) {
    it(`reports the kickoff ID if it arrived and the ${name}`, async () => {
      answer = () => {
        fail(window.database);
        return Promise.resolve({ kickoffId: "k1".repeat(100_000) });
      };
      await assert.rejects(
        sendIt(),
        (error) =>
          error instanceof MaybeStartedError && /k1.*Track it by this ID/.test(error.message),
      );
      assert.equal(storedState(), "unconfirmed");
    });
  }

  it("reports the crew's refusal even if the record can't be removed, which then says that it may have started", async () => {
    answer = () => {
      window.database.all("PRAGMA query_only = ON");
      return Promise.reject(refusal);
    };
    await assert.rejects(sendIt(), refusal);
    assert.deepEqual(problems, ["What became of a request could not be recorded."]);
    assert.equal(storedState(), "unconfirmed");
  });
});
