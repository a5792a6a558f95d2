import assert from "node:assert/strict";
import type { Draft, DraftTarget } from "../../../src/executions/drafts.ts";
import { typedDraft } from "../../../src/executions/drafts.ts";
import { FakeClock } from "../executions/fake-clock.ts";

describe("what is typed about an output", () => {
  const target: DraftTarget = { localId: "local-1", taskId: "review", attempt: 1 };
  let clock: FakeClock;
  let written: (string | undefined)[];
  let problems: unknown[];
  let keep: (draft: Draft) => void;
  let typed: ReturnType<typeof typedDraft>;

  beforeEach(() => {
    [clock, written, problems] = [new FakeClock(), [], []];
    keep = ({ attempt, text }) => written.push(`${attempt} ${text}`);
    const drafts = {
      find: () => undefined,
      keep: (draft: Draft) => keep(draft),
      remove: () => void written.push(undefined),
    };
    typed = typedDraft(drafts, clock, (error) => problems.push(error));
  });

  const type = (text: string, of = target) =>
    typed.typed({ target: of, text, number: clock.now() });

  it("is written once after a pause of 300 ms, however long it is typed", async () => {
    for (let length = 1; length <= 1_000; length++) {
      type("x".repeat(length));
      await clock.pass(1);
    }
    assert.deepEqual(written, []);
    await clock.pass(300);
    assert.deepEqual(written, [`1 ${"x".repeat(1_000)}`]);
    assert.equal(clock.pending, 0);
  });

  it("is written at once when the box or the page is left, and for an output before another", async () => {
    type("One.");
    typed.store();
    type("Two.", { ...target, attempt: 2 });
    type("Three.", { ...target, attempt: 3 });
    typed.dispose();
    typed.dispose();
    await clock.pass(1_000);
    assert.deepEqual(written, ["1 One.", "2 Two.", "3 Three."]);
  });

  it("removes the draft when it is emptied, and knows its newest keystroke", async () => {
    type("One.");
    const first = clock.now();
    assert.equal(typed.numberOf(target), first);
    assert.equal(typed.numberOf({ ...target, attempt: 2 }), 0);
    await clock.pass(10);
    type(" ");
    await clock.pass(300);
    assert.deepEqual(written, [undefined]);
    assert.equal(typed.numberOf(target), first + 10);
  });

  it("reports once that it can't be written", async () => {
    keep = () => {
      throw new Error("The disk is full.");
    };
    type("One.");
    await clock.pass(1_000);
    typed.dispose();
    assert.equal(problems.length, 1);
  });
});
