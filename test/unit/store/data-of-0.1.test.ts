import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { Drafts } from "../../../src/executions/drafts.ts";
import { formMemory } from "../../../src/kickoff/form/memory.ts";
import { keptRequests } from "../../../src/kickoff/request-files/kept.ts";
import { ProjectRecords } from "../../../src/local/records.ts";
import { testDatabase } from "../../support/database.ts";
import { projectFolder, temporaryFolder } from "../../support/folders.ts";

const written = path.join(projectFolder, "test", "fixtures", "database-of-0.1.sql");
const crewId = "url:http://127.0.0.1:34561";
const fail = (...problem: unknown[]) => assert.fail(problem.join(" "));

describe("the data that version 0.1 stored", () => {
  let folder: string;
  let machine: ReturnType<typeof testDatabase>;

  beforeEach(() => {
    folder = temporaryFolder("data-of-0.1");
    const connection = openSqlite(path.join(folder, "crewdeck.db"));
    connection.exec(readFileSync(written, "utf8"));
    connection.close();
    machine = testDatabase(folder);
  });

  it("has executions with their titles, attempts, feedback and events", () => {
    const log = { problem: fail };
    const store = new ExecutionStore({ database: machine.database, clock: systemClock, log });
    store.open();
    const [water, coffee, tea] = store
      .list()
      .flatMap(({ localId }) => store.find(localId) ?? [])
      .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    assert.ok(water && coffee && tea);
    assert.deepEqual(
      [water, coffee, tea].map(({ title, state, pinned }) => [title?.text, state, pinned]),
      [
        ["water", "waiting", undefined],
        ["coffee", "stopped", true],
        ["My tea run", "completed", undefined],
      ],
    );
    assert.deepEqual(tea.request?.inputs, { topic: "tea", audience: "guests" });
    const outline = tea.tasks.find(({ taskId }) => taskId === "outline");
    assert.partialDeepStrictEqual(outline?.attempts, [
      { number: 1, feedback: { isApprove: false, text: "Say more about green tea." } },
      { number: 2, feedback: { isApprove: true, text: "Approved." } },
    ]);
    assert.match(String(water.waiting?.output), /water/);
    assert.equal(store.events(tea.localId).events.at(0)?.type, "crew_kickoff_started");
    store.dispose();
  });

  it("has drafts of feedback and of the form, presets as request files, and local crews", async () => {
    const drafts = new Drafts(machine.database, fail);
    assert.deepEqual(
      drafts.of("4b2d5e68-6c38-414b-b5a7-a312afd9c08e").map(({ taskId, text }) => [taskId, text]),
      [["outline", "Shorter, please."]],
    );
    drafts.dispose();
    const { draft } = formMemory(machine.database, fail).read(crewId);
    const inputs = draft?.values.inputs.map(({ name, text }) => [name, text]);
    assert.deepEqual(inputs, [["topic", "half typed"]]);
    const [preset] = await keptRequests(machine.database, folder, fail).list();
    assert.deepEqual(
      [preset?.label, preset?.crew, preset?.values.inputs, preset?.values.meta],
      ["Green tea", crewId, { topic: "green tea", audience: "guests" }, { team: "A" }],
    );
    assert.deepEqual(
      new ProjectRecords(machine.database, folder).list().map(({ name, port }) => [name, port]),
      [["example_crew", 33145]],
    );
  });
});
