import assert from "node:assert/strict";
import { isOver } from "../../../src/feedback/target.ts";
import { anApproval, anExecution, notWaiting } from "../views/executions.ts";

describe("The output that a thread is about", () => {
  const accepted = anApproval("answered");

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
