import assert from "node:assert/strict";
import { approveSelected } from "../../src/actions/answer.ts";
import { person } from "../../src/actions/asker.ts";
import { UserError } from "../../src/base/errors.ts";
import type { Execution } from "../../src/executions/model.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { targetsIn } from "./execution-parts.ts";
import { withPerson } from "./scripted-person.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

describe("Reviewing several executions", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  const waiting = (localId: string, minute: number) =>
    anExecution({
      localId,
      label: localId,
      kickoffIds: [`id-${localId}`],
      waiting: {
        taskId: "review",
        attempt: 1,
        output: `Draft of ${localId}.`,
        since: `2026-10-21T12:0${minute}:00.000Z`,
      },
    });
  const approve = (rows: readonly unknown[]) =>
    approveSelected(targetsIn(parts.store), parts.feedback, rows, person);
  const row = ({ localId, kickoffIds: [kickoffId] }: Execution) => ({
    kind: "execution",
    localId,
    kickoffId,
  });

  it("approves what waits in the selected rows, each once, after one question that lists it", async () => {
    const [one, two] = [waiting("one", 1), waiting("two", 2)].map((each) => parts.store.add(each));
    const running = parts.store.add(notWaiting({ localId: "runs", kickoffIds: ["r"] }));
    const rows = [row(one!), row(two!), { ...row(two!), kind: "task", taskId: "review" }];
    const all = [...rows, row(running), { kind: "group", group: "state failed" }];
    const { shown: questions } = await withPerson(["escape", { press: "Approve" }], async () => {
      await approve(all);
      assert.equal(parts.sent.length, 0, "cancelled");
      await approve(all);
    });
    assert.deepEqual(
      parts.sent.map(({ executionId, taskId, humanFeedback, isApprove }) => [
        executionId,
        taskId,
        humanFeedback,
        isApprove,
      ]),
      [
        ["id-one", "review", "Approved.", true],
        ["id-two", "review", "Approved.", true],
      ],
    );
    assert.equal(questions.length, 2);
    assert.equal(questions[0]?.text, "Approve what waits? Outputs: 2");
    assert.match(
      questions[0].detail ?? "",
      /^“Approved\.” is sent to each: [^\n]*\n\nThis can cost money\.\n\n“one”: task review, attempt 1 – “Writers” \(crew\.test\)\n“two”: /,
    );
  });

  it("names what could not be approved, and approves the others", async () => {
    const [one, two] = [waiting("one", 1), waiting("two", 2)].map((each) => parts.store.add(each));
    const resumed = { status: "resumed", message: "Continues." } as const;
    const refused = new UserError("It is gone.");
    parts.crew.resume = () =>
      parts.sent.length === 1 ? Promise.reject(refused) : Promise.resolve(resumed);
    await withPerson([{ press: "Approve" }], () =>
      assert.rejects(approve([row(one!), row(two!)]), /1 of 2 outputs were not approved\. “one”: /),
    );
    assert.deepEqual(
      parts.sent.map(({ executionId }) => executionId),
      ["id-one", "id-two"],
    );
  });

  it("says that none of the selected rows waits", async () => {
    const running = parts.store.add(notWaiting());
    await assert.rejects(
      approve([row(running), row(running)]),
      /None of the selected executions waits for your approval/,
    );
  });
});
