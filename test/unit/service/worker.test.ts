import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readStatus } from "../../../src/api/read-status.ts";
import { crewaiEngine } from "../../../src/service/crewai/engine.ts";
import { Worker, WorkerEnded } from "../../../src/service/crewai/worker.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { Harness } from "./support.ts";

describe("a worker of the crewai engine", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  it("lets other executions work until an attempt is repeated, however many wait for their turn", async () => {
    const folder = temporaryFolder("worker");
    const python = path.join(folder, "python");
    const task = `{"name":"only","description":"Do it.","expectedOutput":"Text."}`;
    // The first attempt of all kills it.
    writeFileSync(
      python,
      `#!/bin/sh
echo '{"type":"ready"}'
while read command; do
  case $command in
    *'"do":"open"'*) echo '{"type":"opened","crew":{"agents":[],"tasks":[${task}]}}' ;;
    *) mkdir "${folder}/killed" 2> /dev/null && kill -9 $$; echo '{"type":"output","output":"Text."}' ;;
  esac
done
`,
    );
    chmodSync(python, 0o700);
    const engine = crewaiEngine({
      folder: temporaryFolder("project"),
      data: path.join(folder, "data"),
      python,
      program: "worker.py",
      parallel: 1,
      env: process.env,
      log: () => undefined,
    });
    const harness = await new Harness({ engine }).start();
    const ids = await Promise.all(Array.from({ length: 40 }, () => harness.kickoff()));
    for (const id of ids) assert.equal((await harness.untilEnded(id)).status, "completed");
    await harness.end();
    rmSync(folder, { recursive: true });
  });

  it("reports events of crewAI, also those of an attempt that then fails", async () => {
    const folder = temporaryFolder("worker");
    const python = path.join(folder, "python");
    const task = `{"name":"only","description":"Do it.","expectedOutput":"Text."}`;
    const event = `{"type":"llm_call_started","timestamp":"2026-11-22T00:01:23+00:00","event_id":"e1","model":"m"}`;
    writeFileSync(
      python,
      `#!/bin/sh
echo '{"type":"ready"}'
read command; echo '{"type":"opened","crew":{"agents":[],"tasks":[${task}]}}'
read command; echo '{"type":"event","event":${event}}'; echo '{"type":"failed","message":"No."}'
`,
    );
    chmodSync(python, 0o700);
    const engine = crewaiEngine({
      ...{ folder: temporaryFolder("project"), data: path.join(folder, "data"), python },
      ...{ program: "worker.py", parallel: 1, env: process.env, log: () => undefined },
    });
    const harness = await new Harness({ engine }).start();
    const id = await harness.kickoff();
    await harness.untilEnded(id);
    const { events = [] } = readStatus(await harness.status(id));
    const types = events.map(({ type }) => type);
    assert.deepEqual(types, [
      "crew_kickoff_started",
      "task_started",
      "llm_call_started",
      "task_failed",
      "crew_kickoff_failed",
    ]);
    const [, start, call] = events;
    assert.deepEqual([call?.parentId, call?.taskName, call?.model], [start?.id, "only", "m"]);
    await harness.end();
    rmSync(folder, { recursive: true });
  });

  it("takes no reply that is cut off because the worker was killed", async () => {
    const folder = temporaryFolder("worker");
    const python = path.join(folder, "python");
    // It dies while it writes, as a worker that the system kills for its memory.
    writeFileSync(
      python,
      `#!/bin/sh\necho '{"type":"ready"}'\nread command\nprintf '{"type":"output","output":"Half a te'\nkill -9 $$\n`,
    );
    chmodSync(python, 0o700);
    const times = { loadMs: 60_000, quietMs: 60_000 };
    const onLine = () => undefined;
    const worker = new Worker({ python, program: "worker.py", env: process.env, ...times, onLine });
    await worker.ready;
    await assert.rejects(
      worker.run({ do: "attempt" }, () => undefined),
      WorkerEnded,
    );
    rmSync(folder, { recursive: true });
  });
});
