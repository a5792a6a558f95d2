import assert from "node:assert/strict";
import { UserError } from "../../../src/base/errors.ts";
import { FeedbackUnderWay } from "../../../src/feedback/under-way.ts";
import type { FeedbackResult, FeedbackToSend } from "../../../src/sending/feedback.ts";
import { anExecution } from "../views/executions.ts";

describe("feedback under way", () => {
  const first = anExecution();
  const second = anExecution({
    waiting: { taskId: "review", attempt: 2, since: "2026-10-21T12:02:00.000Z" },
  });
  const shorter = (execution = first, changes: Partial<FeedbackToSend> = {}): FeedbackToSend => ({
    ...{ execution, taskId: "review", isApprove: false, text: "Shorter." },
    ...changes,
  });
  let changes: number;
  let underWay: FeedbackUnderWay;

  beforeEach(() => {
    changes = 0;
    underWay = new FeedbackUnderWay(() => changes++);
  });

  /** A crew that answers when the test says so. */
  function hanging() {
    let resolve: (answer: FeedbackResult) => void = () => undefined;
    const promise = new Promise<FeedbackResult>((answered) => (resolve = answered));
    let sent = 0;
    return {
      send: () => {
        sent++;
        return promise;
      },
      answer: (message: string) => resolve({ status: "retrying", message }),
      sent: () => sent,
    };
  }

  it("sends the same words for the next attempt while the answer to the attempt before hangs", async () => {
    const [one, two] = [hanging(), hanging()];
    const answers = [
      underWay.once(shorter(), one.send),
      underWay.once(shorter(second), two.send),
    ] as const;
    assert.deepEqual([one.sent(), two.sent()], [1, 1]);
    two.answer("Third attempt.");
    assert.equal((await answers[1]).message, "Third attempt.");
    one.answer("Second attempt.");
    assert.equal((await answers[0]).message, "Second attempt.");
  });

  it("takes the same words for the same attempt for a double click, and refuses others", async () => {
    const { send, answer, sent } = hanging();
    const clicks = [underWay.once(shorter(), send), underWay.once(shorter(), send)];
    for (const other of [{ text: "Longer." }, { isApprove: true }])
      await assert.rejects(
        underWay.once(shorter(first, other), send),
        (error) => error instanceof UserError && /for this output is already/.test(error.message),
      );
    answer("Second attempt.");
    const messages = (await Promise.all(clicks)).map(({ message }) => message);
    assert.deepEqual(messages, ["Second attempt.", "Second attempt."]);
    assert.equal(sent(), 1);
  });

  it("is known by attempt, and by execution where the task is unknown", async () => {
    const { send, answer } = hanging();
    const sending = underWay.once(shorter(), send);
    assert.equal(underWay.has(first, "review"), true);
    assert.equal(underWay.has(second, "review"), false);
    assert.equal(underWay.has(first, "research"), false);
    assert.equal(underWay.has(second, undefined), true);
    assert.equal(underWay.has(anExecution({ localId: "local-2" }), undefined), false);
    assert.equal(changes, 1);
    answer("Second attempt.");
    await sending;
    assert.equal(underWay.has(first, undefined), false);
    assert.equal(changes, 2);
  });

  it("can be sent again after it failed", async () => {
    await assert.rejects(
      underWay.once(shorter(), () => Promise.reject(new Error("refused"))),
      /refused/,
    );
    const { send, answer, sent } = hanging();
    const again = underWay.once(shorter(), send);
    answer("Second attempt.");
    await again;
    assert.equal(sent(), 1);
  });
});
