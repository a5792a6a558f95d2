import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { serviceLog } from "../../src/base/window-protocol.ts";
import { Connection } from "../../src/local/connection.ts";
import { findRunning } from "../../src/local/running.ts";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { projectFolder } from "../support/folders.ts";
import { serviceProgram } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { startForWindow } from "../support/window-service.ts";

const exampleCrew = path.join(projectFolder, "media", "example-crew");
const engine = { engine: "rehearsal" } as const;
const host = path.join(projectFolder, "test", "support", "window-host.ts");

/** A window's host starts the crew's service, kicks off, and is killed while the first task runs. */
async function killedWhileItRuns() {
  serviceProgram();
  const child = spawn(process.execPath, [host, exampleCrew], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CREWDECK_LEAVE_MS: "500" },
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  child.kill("SIGKILL");
  await once(child, "exit");
  const left = JSON.parse(line) as Record<"url" | "token" | "dataFolder" | "id", string>;
  const running = await findRunning(left.dataFolder);
  assert.ok(running, "the service stays");
  const api = new CrewApi(left);
  const status = async () => (await api.get(`/${left.id}/status`)).body as DocumentedStatus;
  const untilWaiting = () =>
    waitFor("the review", async () => (await status()).pending_human_input);
  assert.equal((await status()).progress?.completed_tasks, 0);
  return { ...left, running, api, untilWaiting };
}

describe("service: when its window is killed", () => {
  it("what runs goes on; the pause is kept when it leaves, and is answered after the next start", async () => {
    const { dataFolder, id, untilWaiting } = await killedWhileItRuns();
    const { attempt, task_id } = await untilWaiting();
    assert.equal(attempt, 1);
    await waitFor("it to leave", async () => (await findRunning(dataFolder)) === undefined);
    assert.equal(statSync(path.join(dataFolder, serviceLog)).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(path.join(dataFolder, serviceLog), "utf8"), /token-of-the/);

    const next = await startForWindow({ folder: exampleCrew, engine, dataFolder });
    const api = new CrewApi(next);
    assert.equal((await api.get(`/${id}/status`)).status, 200);
    const body = { execution_id: id, task_id, human_feedback: "Good.", is_approve: true };
    const answered = await waitFor("the review again", async () => {
      const { status } = await api.post("/resume", body);
      return status === 200;
    });
    assert.ok(answered);
    await next.stop();
    rmSync(path.dirname(dataFolder), { recursive: true });
  });

  it("another window takes it over while it runs, and it stays for as long as that window", async () => {
    const { dataFolder, running, token, untilWaiting } = await killedWhileItRuns();
    const connection = await Connection.open({
      ...{ running, token, userToken: "" },
      onChange: () => undefined,
      onLine: () => undefined,
    });
    await untilWaiting();
    // Longer than it stays without a window.
    const since = performance.now();
    await waitFor("some time", () => performance.now() - since > 1_000);
    assert.equal((await findRunning(dataFolder))?.pid, running.pid);
    connection.close();
    await waitFor("it to leave", async () => (await findRunning(dataFolder)) === undefined);
    rmSync(path.dirname(dataFolder), { recursive: true });
  });
});
