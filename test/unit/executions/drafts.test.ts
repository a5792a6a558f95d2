import assert from "node:assert/strict";
import { type Draft, Drafts } from "../../../src/executions/drafts.ts";
import { testDatabase } from "../../support/database.ts";

describe("drafts of feedback", () => {
  let machine: ReturnType<typeof testDatabase>;
  const ends: (() => void)[] = [];
  const open = (database = machine.database) => {
    const drafts = new Drafts(database, (message, error) =>
      assert.fail(`${message} ${String(error)}`),
    );
    ends.push(() => drafts.dispose());
    return drafts;
  };
  const openInOtherWindow = () => {
    const other = testDatabase(machine.folder);
    ends.push(() => other.end());
    return { database: other.database, drafts: open(other.database) };
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

  afterEach(() => {
    for (const end of ends.splice(0).reverse()) end();
    machine.end();
  });

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
      database.run("INSERT INTO executions VALUES (?, ?, '{}')", localId, index);
      drafts.keep(draft({ localId }));
    }
    database.run("DELETE FROM executions WHERE local_id = 'local-1'");
    assert.deepEqual([drafts.of("local-1").length, drafts.of("local-2").length], [0, 1]);
  });
});
