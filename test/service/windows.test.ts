import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { serviceLog } from "../../src/base/window-protocol.ts";
import { Connection } from "../../src/local/connection.ts";
import { findRunning } from "../../src/local/service-process.ts";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
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
    env: { ...process.env, CREWDECK_LEAVE_MS: "2000" },
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  child.kill("SIGKILL");
  await once(child, "exit");
  const left = JSON.parse(line) as Record<"url" | "token" | "dataFolder" | "id", string>;
  const running = await findRunning(left.dataFolder);
  assert.ok(running, "the service stays");
  const api = new CrewApi(left);
  assert.equal((await api.status(left.id)).progress?.completed_tasks, 0);
  return { ...left, running, api };
}

describe("service: when its window is killed", () => {
  it("what runs goes on; the pause is kept when it leaves, and is answered after the next start", async () => {
    const { dataFolder, id, api: before } = await killedWhileItRuns();
    const { task_id } = (await before.untilWaiting(id, 1)).pending_human_input;
    await waitFor("it to leave", async () => (await findRunning(dataFolder)) === undefined);
    assert.equal(statSync(path.join(dataFolder, serviceLog)).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(path.join(dataFolder, serviceLog), "utf8"), /token-of-the/);

    const next = await startForWindow({ folder: exampleCrew, engine, dataFolder });
    const api = new CrewApi(next);
    assert.equal((await api.get(`/${id}/status`)).status, 200);
    await waitFor("the review again", async () => {
      const { status } = await api.resume(id, task_id, true, "Good.");
      return status === 200;
    });
    await next.stop();
    rmSync(path.dirname(dataFolder), { recursive: true });
  });

  it("another window takes it over while it runs, and it stays for as long as that window", async () => {
    const { dataFolder, running, token, api, id } = await killedWhileItRuns();
    const connection = await Connection.open({
      ...{ running, token, userToken: "" },
      onChange: () => undefined,
      onLine: () => undefined,
    });
    await api.untilWaiting(id);
    // Longer than it stays without a window.
    const since = performance.now();
    await waitFor("some time", () => performance.now() - since > 3_000);
    assert.equal((await findRunning(dataFolder))?.pid, running.pid);
    connection.close();
    await waitFor("it to leave", async () => (await findRunning(dataFolder)) === undefined);
    rmSync(path.dirname(dataFolder), { recursive: true });
  });
});

describe("service: when the classes of its folder change", () => {
  const several = path.join(projectFolder, "test", "fixtures", "shapes", "several-crews");

  it("executions that wait are known at each crew's address and go on: with a second class, and without theirs", async () => {
    const root = temporaryFolder("classes");
    const [folder, dataFolder] = [path.join(root, "project"), path.join(root, "data")];
    cpSync(several, folder, { recursive: true });
    const file = path.join(folder, "src/several_crews/crew.py");
    const text = readFileSync(file, "utf8");
    const [head = "", draft = "", edit = ""] = text.split("@CrewBase\n");
    const only = (crew: string) => writeFileSync(file, `${head}@CrewBase\n${crew}`);
    const start = async (at: string) => {
      const service = await startForWindow({ folder, engine, dataFolder });
      return { service, api: new CrewApi({ ...service, url: service.url + at }) };
    };
    const begin = async ({ api }: { api: CrewApi }) => {
      const id = await api.kickoff({ inputs: { text: "Tides.", reader: "all" } });
      await api.untilWaiting(id);
      return id;
    };
    const approve = async ({ api }: { api: CrewApi }, id: string) => {
      const { task_id } = (await api.untilWaiting(id)).pending_human_input;
      assert.equal((await api.resume(id, task_id, true, "Good.")).status, 200);
      assert.equal((await api.untilEnded(id)).status, "completed");
    };

    only(edit);
    const alone = await start("");
    const first = await begin(alone);
    writeFileSync(file, text);
    const refused = await alone.api.post("/kickoff", { inputs: { text: "Tides.", reader: "all" } });
    assert.match(JSON.stringify(refused.body), /these crews.*DraftCrew, EditCrew.*start it again/);
    await alone.service.stop();

    const both = await start("/DraftCrew");
    assert.deepEqual(both.service.connection.classes, ["DraftCrew", "EditCrew"]);
    await approve(both, first);
    const second = await begin({
      api: new CrewApi({ ...both.service, url: `${both.service.url}/EditCrew` }),
    });
    await both.service.stop();

    only(draft);
    const without = await start("");
    assert.deepEqual(without.service.connection.classes, []);
    await approve(without, second);
    await without.service.stop();
  });
});
