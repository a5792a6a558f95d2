import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Draft, Drafts } from "../../../src/feedback/drafts.ts";

describe("drafts of feedback", () => {
  let folder: string;
  const open = () =>
    new Drafts(join(folder, "drafts"), (message, error) =>
      assert.fail(`${message} ${String(error)}`),
    );
  const draft = (changes: Partial<Draft> = {}): Draft => ({
    localId: "local-1",
    taskId: "review",
    attempt: 1,
    isApprove: false,
    text: "Shorter.\n\nPlease.",
    at: "2026-10-21T12:00:00.000Z",
    ...changes,
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crewdeck-drafts-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("are found again by another window, for the same output only", async () => {
    const drafts = open();
    assert.equal(await drafts.find(draft()), undefined);
    assert.deepEqual(await drafts.of("local-1"), []);
    await drafts.keep(draft());
    await drafts.keep(draft({ attempt: 2, text: "Second.", at: "2026-10-21T13:00:00.000Z" }));
    await drafts.keep(draft({ localId: "local-10", text: "Another execution." }));
    const found = await open().find({ localId: "local-1", taskId: "review", attempt: 1 });
    assert.equal(found?.text, "Shorter.\n\nPlease.");
    assert.equal(found.isApprove, false);
    assert.equal(await open().find(draft({ taskId: "Review" })), undefined);
    assert.deepEqual(
      (await open().of("local-1")).map(({ text }) => text),
      ["Shorter.\n\nPlease.", "Second."],
    );
  });

  it("take any task's id, one draft an output", async () => {
    const drafts = open();
    const taskId = "../../etc: Ärger\n" + "x".repeat(300);
    await drafts.keep(draft({ taskId }));
    await drafts.keep(draft({ taskId, isApprove: true, text: "Good after all." }));
    assert.deepEqual(
      (await drafts.of("local-1")).map(({ text, isApprove }) => ({ text, isApprove })),
      [{ text: "Good after all.", isApprove: true }],
    );
  });

  it("go one by one, or with their execution, and tell it", async () => {
    const drafts = open();
    let told = 0;
    drafts.onDidChange(() => told++);
    for (const attempt of [1, 2, 3]) await drafts.keep(draft({ attempt }));
    await drafts.keep(draft({ localId: "local-2" }));
    await drafts.remove(draft({ attempt: 2 }));
    assert.equal(told, 5);
    assert.deepEqual(
      (await drafts.of("local-1")).map(({ attempt }) => attempt),
      [1, 3],
    );
    await drafts.removeAll("local-1");
    assert.deepEqual(
      [(await drafts.of("local-1")).length, (await drafts.of("local-2")).length],
      [0, 1],
    );
  });

  it("are bounded in number, the oldest go first, and in size", async () => {
    const drafts = open();
    await drafts.keep(draft({ attempt: 1 }));
    const [first = ""] = await readdir(join(folder, "drafts"));
    await utimes(join(folder, "drafts", first), 1, 1);
    for (let other = 0; other < 199; other++)
      await writeFile(join(folder, "drafts", `other-${other}.json`), "{}");
    await drafts.keep(draft({ attempt: 2 }));
    assert.equal((await readdir(join(folder, "drafts"))).length, 200);
    assert.equal(await drafts.find(draft({ attempt: 1 })), undefined);
    assert.equal((await drafts.find(draft({ attempt: 2 })))?.attempt, 2);
    await assert.rejects(drafts.keep(draft({ text: "x".repeat(500_001) })), /too long to be kept/);
  });

  it("that cannot be understood are none, and give way to the next", async () => {
    const drafts = open();
    await drafts.keep(draft());
    const [name = ""] = await readdir(join(folder, "drafts"));
    for (const text of ["", "{", "null", '{"localId":"local-1"}']) {
      await writeFile(join(folder, "drafts", name), text);
      assert.equal(await drafts.find(draft()), undefined);
      assert.deepEqual(await drafts.of("local-1"), []);
    }
    await drafts.keep(draft());
    assert.equal((await drafts.of("local-1")).length, 1);
  });
});
