import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { systemClock } from "../../../src/base/clock.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { sendFeedback } from "../../../src/sending/feedback.ts";
import { renderExecution } from "../../support/rendered.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { noAnswer, openWindow, senderParts } from "../sending/window.ts";
import { pausing } from "../executions/samples.ts";
import { anExecution } from "../views/executions.ts";

describe("attempts and the feedback between them", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder("attempts");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("stay readable after a restart, each rejected one with the feedback that caused the next", async () => {
    const window = openWindow(folder);
    const { store } = window;
    store.add(anExecution());
    for (const [attempt, feedback, next] of [
      [1, "Shorter.", "Second draft."],
      [2, "Funnier.", "Third draft."],
    ] as const) {
      const execution = store.find("local-1");
      assert.ok(execution);
      const client = {
        answerRequest: noAnswer,
        status: () => Promise.resolve(pausing("review", execution.waiting?.output, attempt)),
        resume: () => Promise.resolve({ status: "retrying" as const }),
      };
      const crews = { client: () => Promise.resolve(client) };
      const given = { execution, taskId: "review", isApprove: false, text: feedback };
      await sendFeedback({ ...senderParts(window), crews }, given);
      store.update("local-1", (known) =>
        applyReading(known, pausing("review", next, attempt + 1), systemClock.now()),
      );
    }
    window.dispose();

    const again = openWindow(folder);
    const kept = again.store.find("local-1");
    again.dispose();
    assert.ok(kept);
    const { text } = renderExecution(kept);
    const inOrder = [
      "### Attempt 1",
      "Text.",
      "Your feedback: rejected",
      "> Shorter.",
      "### Attempt 2",
      "Second draft.",
      "Your feedback: rejected",
      "> Funnier.",
      "### Attempt 3",
      "Third draft.",
    ];
    let at = 0;
    for (const part of inOrder) {
      at = text.indexOf(part, at);
      assert.ok(at >= 0, `${part} in ${text}`);
    }
  });
});
