import assert from "node:assert/strict";
import path from "node:path";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { type TestPostgres, withPostgres } from "../support/postgres.ts";
import { startService, type RunningService } from "../support/service.ts";

const folder = path.join(projectFolder, "media", "example-crew");

describe("a backup of a Postgres", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));

  const start = (database: string): Promise<RunningService> =>
    startService({
      folder,
      args: ["--database", database, "--task-seconds", "0"],
      // Of a backup's callbacks, only who has the key can read the secrets.
      env: { CREWDECK_SECRET_KEY: Buffer.alloc(32, 1).toString("base64") },
    });

  it("is made while the service works, and executions go on from it in an empty database", async () => {
    const [database, empty] = [await server.createDatabase(), await server.createDatabase()];
    const dump = path.join(temporaryFolder("dump"), "crewdeck.dump");
    const first = await start(database);
    const old = new CrewApi(first);
    const inputs = { topic: "tides", audience: "sailors" };
    const waiting = await old.kickoff({ inputs });
    const task = await untilWaiting(old, waiting);
    const ended = await old.kickoff({ inputs });
    await approve(old, ended, await untilWaiting(old, ended));
    const before = await untilCompleted(old, ended);
    await server.run("pg_dump", ["--format=custom", `--file=${dump}`, database]);
    // It is not in the backup.
    const later = await old.kickoff({ inputs });
    await first.stop();
    await server.run("pg_restore", ["--no-owner", "--exit-on-error", `--dbname=${empty}`, dump]);
    const second = await start(empty);
    try {
      const restored = new CrewApi(second);
      assert.deepEqual(await restored.status(ended), before);
      assert.equal((await restored.get(`/${later}/status`)).status, 404);
      assert.equal(await untilWaiting(restored, waiting), task);
      await approve(restored, waiting, task);
      await untilCompleted(restored, waiting);
      const fresh = await restored.kickoff({ inputs });
      await approve(restored, fresh, await untilWaiting(restored, fresh));
      await untilCompleted(restored, fresh);
    } finally {
      await second.stop();
    }
  });
});

/** Resolves to the task that waits. */
async function untilWaiting(api: CrewApi, id: string): Promise<string> {
  return (await api.untilWaiting(id)).pending_human_input.task_id;
}

async function untilCompleted(api: CrewApi, id: string): Promise<object> {
  const ended = await api.untilEnded(id);
  assert.equal(ended.status, "completed");
  return ended;
}

async function approve(api: CrewApi, id: string, task: string): Promise<void> {
  const answer = await api.resume(id, task, true);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
