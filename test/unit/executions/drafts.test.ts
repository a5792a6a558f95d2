import assert from "node:assert/strict";
import {
  type Draft,
  Drafts,
  type DraftTarget,
  typedDraft,
} from "../../../src/executions/drafts.ts";
import { testDatabase } from "../../support/database.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { FakeClock } from "./fake-clock.ts";

describe("drafts of feedback", () => {
  let machine: ReturnType<typeof testDatabase>;
  const open = (database = machine.database) => {
    const drafts = new Drafts(database, (message, error) =>
      assert.fail(`${message} ${String(error)}`),
    );
    atEndOfTest(() => drafts.dispose());
    return drafts;
  };
  const openInOtherWindow = () => {
    const { database } = testDatabase(machine.folder);
    return { database, drafts: open(database) };
  };
  const draft = (changes: Partial<Draft> = {}): Draft => ({
    localId: "local-1",
    taskId: "review",
    attempt: 1,
    text: "Shorter.\n\nPlease.",
    at: "2026-10-21T12:00:00.000Z",
    ...changes,
  });

  const textsIn = (drafts: Drafts) => drafts.of("local-1").map(({ text }) => text);

  beforeEach(() => (machine = testDatabase()));

  it("are found by another window, for the same output only", () => {
    const drafts = open();
    assert.equal(drafts.find(draft()), undefined);
    assert.deepEqual(drafts.of("local-1"), []);
    drafts.keep(draft());
    drafts.keep(draft({ attempt: 2, text: "Second.", at: "2026-10-21T13:00:00.000Z" }));
    drafts.keep(draft({ localId: "local-10", text: "Another execution." }));
    const other = openInOtherWindow().drafts;
    assert.deepEqual(other.find({ localId: "local-1", taskId: "review", attempt: 1 }), draft());
    assert.equal(other.find(draft({ taskId: "Review" })), undefined);
    assert.deepEqual(textsIn(other), ["Shorter.\n\nPlease.", "Second."]);
  });

  it("accept any task ID, one draft for each output", () => {
    const drafts = open();
    const taskId = "../../etc: Ärger\n" + "x".repeat(300);
    drafts.keep(draft({ taskId }));
    drafts.keep(draft({ taskId, text: "Good after all." }));
    assert.deepEqual(textsIn(drafts), ["Good after all."]);
  });

  it("report additions and removals, also in other windows", () => {
    const drafts = open();
    const other = openInOtherWindow();
    assert.deepEqual(other.drafts.of("local-1"), []);
    const changes = { here: 0, there: 0 };
    drafts.onDidChange(() => changes.here++);
    other.drafts.onDidChange(() => changes.there++);
    for (const attempt of [1, 2, 3]) drafts.keep(draft({ attempt }));
    drafts.remove(draft({ attempt: 2 }));
    other.database.look();
    assert.deepEqual(changes, { here: 4, there: 1 });
    const attempts = other.drafts.of("local-1").map(({ attempt }) => attempt);
    assert.deepEqual(attempts, [1, 3]);
  });

  it("are deleted with their execution", () => {
    const drafts = open();
    const { database } = machine;
    for (const [index, localId] of ["local-1", "local-2"].entries()) {
      database.run("INSERT INTO executions VALUES (?, ?, '{}', '{}')", localId, index);
      drafts.keep(draft({ localId }));
    }
    database.run("DELETE FROM executions WHERE local_id = 'local-1'");
    assert.deepEqual([drafts.of("local-1").length, drafts.of("local-2").length], [0, 1]);
  });
});

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
