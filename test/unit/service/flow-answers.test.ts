import assert from "node:assert/strict";
import { answerTo } from "../../../src/service/flow-answers.ts";

const pauseWith = (options: readonly string[] | null, defaultOption: string | null = null) => ({
  ...{ method: "review", output: "", message: "", metadata: {}, state: {}, requestedAt: "" },
  options,
  defaultOption,
});
const three = pauseWith(["approved", "rejected", "request_changes"]);

describe("feedback about a flow's method", () => {
  const outcomes = (pause: typeof three, feedback: string, isApprove?: boolean) =>
    answerTo(pause, feedback, isApprove).outcomes;

  it("that is one of its options is that option, in any spelling", () => {
    for (const feedback of ["request_changes", "Request changes.", " REQUEST-CHANGES "])
      assert.deepEqual(outcomes(three, feedback, false), ["request_changes"]);
    assert.deepEqual(outcomes(three, "Approved!", true), ["approved"]);
    assert.deepEqual(answerTo(three, "rejected"), {
      feedback: "rejected",
      outcomes: ["rejected"],
      isApprove: false,
    });
    assert.throws(() => answerTo(three, "rejected", true), /contradicts is_approve/);
    assert.throws(() => answerTo(three, "approved", false), /contradicts is_approve/);
    assert.deepEqual(outcomes(three, "request_changes", true), ["request_changes"]);
  });

  it("with is_approve true is the option that says so, whatever its words", () => {
    assert.deepEqual(outcomes(three, "Fine, but shorter next time", true), ["approved"]);
    assert.deepEqual(outcomes(three, "", true), ["approved"]);
    assert.deepEqual(outcomes(pauseWith(["no", "yes"]), "", true), ["yes"]);
  });

  it("with is_approve false is never an approval: crewAI's model chooses among the others", () => {
    assert.deepEqual(outcomes(three, "Too long", false), ["rejected", "request_changes"]);
    assert.deepEqual(outcomes(three, "", false), ["rejected"]);
    assert.deepEqual(outcomes(pauseWith(["ok", "again"]), "", false), ["again"]);
    assert.throws(
      () => answerTo(pauseWith(["ok"]), "No!", false),
      /can't be rejected\. Send one of "ok"/,
    );
  });

  it("without a meaning is refused if it has no words, unless there is a default", () => {
    const plain = ["publish", "revise"];
    assert.throws(
      () => answerTo(pauseWith(plain), " ", true),
      /several ways to continue\. Send one of "publish", "revise" as human_feedback/,
    );
    assert.deepEqual(outcomes(pauseWith(plain, "revise"), " ", true), ["revise"]);
    assert.deepEqual(outcomes(pauseWith(plain), "Good", true), plain);
  });

  it("without is_approve is crewAI's to classify, and an option may be neither", () => {
    assert.deepEqual(answerTo(three, "request_changes"), {
      feedback: "request_changes",
      outcomes: ["request_changes"],
    });
    assert.deepEqual(answerTo(three, "Too long"), { feedback: "Too long", outcomes: null });
    assert.deepEqual(answerTo(three, ""), { feedback: "", outcomes: null });
  });

  it("is passed as it is where there are no options; a rejection without words says so", () => {
    assert.deepEqual(answerTo(pauseWith(null), "Short", true), {
      feedback: "Short",
      outcomes: null,
      isApprove: true,
    });
    assert.equal(answerTo(pauseWith(null), "", false).feedback, "Rejected.");
    assert.equal(answerTo(pauseWith(null), "").feedback, "");
  });
});
