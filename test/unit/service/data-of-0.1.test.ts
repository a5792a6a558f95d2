import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import postgres from "postgres";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { projectFolder, temporaryFolder } from "../../support/folders.ts";
import { type TestPostgres, withPostgres } from "../../support/postgres.ts";
import { waitFor } from "../../support/wait.ts";
import { openOn, secretKey } from "./support.ts";

// Written by the service of commit 3a1ab88 (version 0.1), which was killed while it worked on four executions of the example crew.
const fixture = (name: string) =>
  readFileSync(path.join(projectFolder, `test/fixtures/service-of-0.1.${name}.sql`), "utf8");

const flow = JSON.stringify({
  ...{ kind: "flow", entry: "main.py", name: "news", agents: [], inputs: [] },
  tasks: ["write", "review"].map((id) => ({ id, description: "", expectedOutput: "" })),
});

/** As that service stored a flow that waits for its second answer, and one that has ended. */
const flows = `
  INSERT INTO executions (id, owner, project, inputs, meta, callbacks, state, created_at, ended_at) VALUES
    ('asking', 'bearer', '${flow}', '{}', 'null', '{}', 'running', 1, NULL),
    ('over', 'bearer', '${flow}', '{}', 'null', '{}', 'completed', 1, 9);
  INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at, feedback, callbacks, decided_at) VALUES
    ('asking', 0, 1, 'write', 'done', 'A draft', 1, 2, NULL, NULL, NULL),
    ('asking', 1, 1, 'review', 'rejected', 'A draft', 2, 3, 'Shorter', '{}', 4),
    ('asking', 1, 2, 'review', 'waiting', 'A short draft', 5, 6, NULL, NULL, NULL),
    ('over', 0, 1, 'write', 'done', 'A draft', 1, 2, NULL, NULL, NULL);
  INSERT INTO flow_pauses (execution_id, task_index, attempt, pause, answer) VALUES
    ('asking', 1, 1, '{"method":"review","message":"Right?","options":null,"defaultOption":null,"requestedAt":"first"}',
      '{"feedback":"Shorter","outcomes":null,"isApprove":false}'),
    ('asking', 1, 2, '{"method":"review","message":"Right?","options":null,"defaultOption":null,"requestedAt":"second"}', NULL);
  INSERT INTO flow_parts (execution_id, part, begins) VALUES ('asking', 1, 1), ('asking', 2, 1);
  INSERT INTO flow_outputs (execution_id, output) VALUES ('over', 'Published');
  INSERT INTO span_exports (execution_id, due) VALUES ('over', 1);
`;

const engine: Engine = {
  ...rehearsalEngine(0),
  runFlow: ({ answer }) => Promise.resolve({ output: `After ${JSON.stringify(answer)}` }),
};

interface Status {
  readonly status: string;
  readonly result?: { readonly output: string };
  readonly pending_human_input?: { readonly attempt: number; readonly task_id: string };
}

/** Each execution goes on where the earlier service left it. */
async function goOn(storage: Storage, executions: Readonly<Record<string, string>>) {
  const log: string[] = [];
  const { service, app } = openOn(storage, (line) => log.push(line), {
    callbackBackoffMs: 60_000,
    engine,
  });
  const headers = { Authorization: "Bearer T" };
  const idOf = (name: string) => executions[name] ?? name;
  const status = async (name: string) =>
    (await (await app.request(`/${idOf(name)}/status`, { headers })).json()) as Status;
  const until = async (name: string, isIt: (found: Status) => boolean) =>
    await waitFor(`the execution ${name}`, async () => {
      const found = await status(name);
      return isIt(found) && found;
    });
  const approve = async (name: string) => {
    const waits = ({ pending_human_input }: Status) => pending_human_input !== undefined;
    const { pending_human_input: pending } = await until(name, waits);
    const body = JSON.stringify({
      execution_id: idOf(name),
      task_id: pending?.task_id,
      human_feedback: "Good.",
      is_approve: true,
    });
    const answer = await app.request("/resume", { method: "POST", headers, body });
    assert.equal(answer.status, 200);
    return pending?.attempt;
  };
  try {
    const done = await status("done");
    assert.equal(done.status, "completed");
    assert.equal((await status("waiting")).pending_human_input?.attempt, 2);
    await service.work();
    assert.deepEqual((await status("done")).result, done.result);
    assert.equal(await approve("waiting"), 2);
    assert.equal(await approve("running"), 1);
    for (const name of ["waiting", "running", "approved"]) {
      while (
        !(
          await until(
            name,
            (found) => found.status !== "running" || found.pending_human_input !== undefined,
          )
        ).result
      )
        await approve(name);
      assert.equal((await status(name)).status, "completed");
    }
    const { result } = await status("waiting");
    assert.match(result?.output ?? "", /outline, attempt 1, rejected: Shorter/);
    assert.equal((await status("over")).result?.output, "Published");
    assert.equal(await approve("asking"), 2);
    const { result: published } = await until("asking", ({ status }) => status === "completed");
    assert.equal(
      published?.output,
      'After {"requestedAt":"second","feedback":"Good.","outcomes":null}',
    );
    await waitFor("the spans", () => log.some((line) => line.includes("spans of execution over")));
    assert.deepEqual(
      log.filter((line) => !line.includes("callback") && !line.includes("spans")),
      [],
    );
  } finally {
    await service.close();
  }
}

describe("service: executions of version 0.1", () => {
  it("go on from its SQLite file", async () => {
    const file = path.join(temporaryFolder("data-of-0.1"), "crewdeck.sqlite");
    const database = openSqlite(file);
    database.exec(fixture("sqlite") + flows);
    database.close();
    await goOn(await openStorage({ file }, secretKey, (line) => assert.fail(line)), {
      done: "45c2d73a-808f-4a0e-a34a-687a2b12420f",
      waiting: "491cde14-0a3d-4405-a847-052fc989e44a",
      approved: "5ef20d2a-a178-42b1-9bdb-b8fe309a7834",
      running: "16b43249-6e0b-4e70-8a7d-eee63be19895",
    });
  });

  describe("on Postgres", () => {
    let server: TestPostgres;
    withPostgres((given) => (server = given));

    it("go on from its tables", async () => {
      const url = await server.createDatabase();
      const sql = postgres(url, { max: 1 });
      await sql.unsafe(`${fixture("postgres")}; SET search_path TO crewdeck; ${flows}`);
      await sql.end();
      const place = { url, connections: 8 };
      await goOn(await openStorage(place, secretKey, (line) => assert.fail(line)), {
        done: "ad9946c6-04d8-4268-b50f-1fcce561a5b7",
        waiting: "0f7a6b11-f839-4af5-a41f-734f46941e04",
        approved: "319737bb-a9d1-4454-8ef0-fcf808687ee9",
        running: "eae5b033-ac6b-4722-ab01-7cd24562ea07",
      });
    });
  });
});
