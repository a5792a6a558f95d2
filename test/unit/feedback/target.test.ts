import assert from "node:assert/strict";
import type { SentResume } from "../../../src/executions/model.ts";
import { isOver } from "../../../src/feedback/target.ts";
import { anExecution, notWaiting } from "../views/executions.ts";

describe("The output that a thread is about", () => {
  const accepted: SentResume = {
    taskId: "review",
    attempt: 1,
    feedback: { isApprove: true, text: "Approved.", at: "2026-10-21T12:05:00.000Z" },
    outcome: "answered",
  };

  it("no longer waits once the crew accepted feedback for it", () => {
    assert.equal(
      isOver({ execution: anExecution(), taskId: "review", isApprove: true }, anExecution()),
      false,
    );
    assert.equal(
      isOver(
        { execution: anExecution(), taskId: "review", isApprove: true },
        notWaiting({ resumes: [accepted] }),
      ),
      true,
    );
  });

  it("can be answered again while the crew still reports its pause, if the person confirmed it", () => {
    const lagging = notWaiting({
      resumes: [accepted],
      stillPaused: { taskId: "review", attempt: 1 },
    });
    const subject = { execution: lagging, taskId: "review", isApprove: false };
    assert.equal(isOver(subject, lagging), true);
    assert.equal(isOver({ ...subject, again: true }, lagging), false);
    assert.equal(isOver({ ...subject, again: true }, notWaiting({ resumes: [accepted] })), true);
  });
});
