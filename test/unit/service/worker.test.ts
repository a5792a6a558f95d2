import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Worker, WorkerEnded } from "../../../src/service/crewai/worker.ts";
import { temporaryFolder } from "../../support/folders.ts";

describe("a worker of the crewai engine", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
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
      worker.attempt({}, () => undefined),
      WorkerEnded,
    );
    rmSync(folder, { recursive: true });
  });
});
