import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { transformSync } from "esbuild";
import type { Execution } from "../../src/executions/model.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { Gate } from "../support/gate.ts";
import { storageFolder } from "../support/many-executions.ts";
import { noCallbacks } from "../support/no-callbacks.ts";
import { signal } from "../support/processes.ts";
import { seededRandom } from "../support/random.ts";
import { startService, type RunningService } from "../support/service.ts";
import { rowsIn } from "../support/sqlite.ts";
import { linkExtension } from "../support/vscode-server.ts";
import { waitFor } from "../support/wait.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { writeWriters } from "../support/writers.ts";
import { intentsIn, openWindow as openStore } from "../unit/sending/window.ts";
import { connectCrew } from "../ui/person.ts";

/** How many kickoffs, and how many resumes, the crew accepts from each host. */
const count = Number(process.env["CREWDECK_SENDING_COUNT"] ?? 60);
/** How often each host is killed. */
const kills = 3;
/** Milliseconds: far more than it takes, also on a busy machine. */
const limit = 20 * 60_000;

const tasks = [{ name: "write", description: "Write about {topic}." }];

/** A window with a crew of its own: a gate before the service that both share. */
class Lane {
  readonly name: string;
  readonly folder: string;
  readonly gate: Gate;

  constructor(name: string, folder: string, gate: Gate) {
    [this.name, this.folder, this.gate] = [name, folder, gate];
  }

  /** What the driver wrote into a file: see test/support/sending-driver.ts. */
  written(name: "hosts" | "calls"): readonly (readonly [event: string, ...string[]])[] {
    const file = path.join(path.dirname(this.folder), `${this.name}.${name}`);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as [string, ...string[]]);
  }

  calls(event: string): readonly (readonly string[])[] {
    return this.written("calls").flatMap(([name, ...call]) => (name === event ? [call] : []));
  }
}

describe(`Two extension hosts on one store, each of which kicks off and resumes ${count} executions and is killed again and again`, function () {
  this.timeout(limit);
  const folder = temporaryFolder("killed-hosts");
  let service: RunningService;
  let lanes: readonly Lane[] = [];
  let received: ReturnType<typeof receivedBy>;
  let stored: ReturnType<typeof openStore> | undefined;
  let executions: readonly Execution[];

  before(async () => {
    const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
    console.log(`      seed ${seed} (repeat with CREWDECK_SEED=${seed})`);
    service = await startService({
      folder: writeWriters(folder, tasks),
      args: ["--task-seconds", "0"],
    });
    const dataFolder = path.join(folder, "vscode");
    linkExtension(path.join(dataFolder, "extensions"), writeDriver(folder));
    lanes = await Promise.all(
      ["writers", "editors"].map(
        async (name) => new Lane(name, writeFolder(folder, name), await Gate.before(service)),
      ),
    );
    const workspace = writeFolder(folder, "nobody");
    const first = await openWindow({
      dataFolder,
      workspace,
      env: { CREWDECK_SENDING_COUNT: String(count), CREWDECK_SENDING_FOLDER: folder },
      settings: {
        ...noCallbacks,
        "workbench.statusBar.visible": false,
        "crewdeck.keepEndedExecutions": 0,
        "crewdeck.notifications.waiting": false,
        "crewdeck.notifications.completed": false,
      },
    });
    for (const { name, gate } of lanes)
      await connectCrew(first, { url: gate.url, token: service.token, name });
    const begun = performance.now();
    await Promise.all(
      lanes.map(async (lane, index) => {
        const window = index === 0 ? first : await first.secondWindow(lane.folder);
        if (index === 0) await openFolder(window, lane.folder);
        await killAgainAndAgain(lane, window, seededRandom(seed + index));
      }),
    );
    const seconds = Math.round((performance.now() - begun) / 1000);
    await first.close({ isKept: true });
    received = receivedBy(lanes);
    stored = openStore(storageFolder(dataFolder));
    const { outbox, store } = stored;
    outbox.recover(store);
    executions = store.list().flatMap(({ localId }) => store.find(localId) ?? []);
    console.log(
      `      ${received.kickoffs.size} kickoffs and ${received.resumes.size} resumes arrived, with ${2 * kills} kills in ${seconds} s`,
    );
  });

  after(async () => {
    stored?.dispose();
    await Promise.all(lanes.map(({ gate }) => gate.stop()));
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it("get all kickoffs and resumes accepted in spite of the kills", () => {
    for (const lane of lanes) {
      assert.equal(
        lane.written("hosts").filter(([event]) => event === "started").length,
        kills + 1,
      );
      assert.ok(lane.calls("started").length >= count);
      assert.ok(lane.calls("resumed").length >= count);
    }
  });

  it("send nothing twice, by what arrived and by what the crew counted", () => {
    for (const arrived of [received.kickoffs, received.resumes])
      assert.deepEqual(
        [...arrived].filter(([, times]) => times > 1),
        [],
      );
    assert.deepEqual(countedBy(service), {
      started: [...received.kickoffs.keys()].sort(),
      resumed: [...received.resumes.keys()].sort(),
    });
  });

  it("lose nothing: each kickoff that the crew received has one record, with its ID or as one that may have started", () => {
    const lost = new Set(stored && intentsIn(stored));
    const records = new Map<unknown, Execution[]>();
    for (const execution of executions)
      records.set(topicOf(execution), [...(records.get(topicOf(execution)) ?? []), execution]);
    const called = lanes.flatMap((lane) => lane.calls("kickoff").map(([topic = ""]) => topic));
    const ids = new Map(
      lanes.flatMap((lane) =>
        lane.calls("started").map(([topic = "", id]) => [topic, id] as const),
      ),
    );
    assert.equal(new Set(called).size, called.length);
    assert.deepEqual(
      [...received.kickoffs.keys(), ...records.keys()].filter(
        (topic) => !called.includes(String(topic)),
      ),
      [],
    );
    for (const topic of called) {
      const [record, ...others] = records.get(topic) ?? [];
      assert.deepEqual(others, [], topic);
      if (ids.has(topic)) assert.deepEqual(record?.kickoffIds, [ids.get(topic)]);
      if (received.kickoffs.has(topic)) assert.ok(record, `${topic} is lost`);
      if (record === undefined) continue;
      const isOpen = record.kickoffIds.length === 0;
      assert.equal(record.state === "unconfirmed", isOpen, topic);
      assert.equal(lost.has(record.localId), isOpen, topic);
      if (!isOpen) assert.equal(received.kickoffs.get(topic), 1, topic);
    }
  });

  it("lose no resume: each that the crew received is recorded once, as answered or as one that may have been sent", () => {
    const accepted = new Set(lanes.flatMap((lane) => lane.calls("resumed").map(([id]) => id)));
    const known = new Set(executions.flatMap(({ kickoffIds }) => kickoffIds));
    assert.deepEqual(
      [...received.resumes.keys()].filter((id) => !known.has(id)),
      [],
    );
    for (const { kickoffIds, state, resumes } of executions) {
      const [id = ""] = kickoffIds;
      const outcomes = resumes.map(({ outcome }) => outcome);
      if (received.resumes.has(id)) assert.equal(outcomes.length, 1, id);
      if (accepted.has(id) || state === "completed") assert.deepEqual(outcomes, ["answered"], id);
      else assert.ok(["", "unanswered"].includes(outcomes.join()), `${id} ${outcomes.join()}`);
      if (outcomes.includes("answered")) assert.equal(received.resumes.get(id), 1, id);
    }
    assert.equal(stored?.outbox.underWay().size, 0);
  });
});

/** Opens another folder in the same window. */
async function openFolder({ page, workspace }: VSCodeWindow, folder: string): Promise<void> {
  const [before, after] = [workspace, folder].map((one) => encodeURIComponent(one));
  await page.goto(page.url().replace(before ?? "", after ?? ""));
}

function topicOf({ request }: Execution): unknown {
  return request?.inputs["topic"];
}

/**
 * Kills the lane's host at moments that the random numbers choose. VS Code starts another one, at most twice for a loaded page.
 * Resolves when the driver is done.
 */
async function killAgainAndAgain(
  lane: Lane,
  { page }: VSCodeWindow,
  random: () => number,
): Promise<void> {
  // Counted in requests and responses: each accepted one is two of them.
  const moments = Array.from({ length: kills }, () => ({
    passed: Math.floor(random() * 3 * count),
    ms: random() * 10,
  })).sort((one, other) => one.passed - other.passed);
  let passed = 0;
  /** The process ID of the host, until it is about to be killed. */
  let host: number | undefined;
  lane.gate.onPass = (_, { method }) => {
    if (method === "POST") passed += 1;
    const [moment] = moments;
    if (host === undefined || moment === undefined || passed < moment.passed) return;
    moments.shift();
    const killed = host;
    host = undefined;
    // The test is about the moment of the kill.
    void delay(moment.ms).then(() => signal(killed, "SIGKILL"));
  };
  for (let hosts = 1; hosts <= kills + 1; hosts += 1) {
    await waitFor(`extension host ${hosts} of ${lane.name}`, () => {
      const pid = lane.written("hosts").filter(([event]) => event === "started")[hosts - 1]?.[1];
      host = pid === undefined ? undefined : Number(pid);
      return host;
    });
    await waitFor(
      `the kill of this host, or the driver to be done`,
      () => {
        const [event, problem] = lane.written("hosts").at(-1) ?? [];
        if (event === "failed") assert.fail(problem);
        return host === undefined || event === "done";
      },
      limit,
    );
    if (host === undefined && hosts % 3 === 0) await page.reload();
  }
}

/** How often each kickoff, by its topic, and each resume, by its execution, arrived. */
function receivedBy(lanes: readonly Lane[]) {
  const [kickoffs, resumes] = [new Map<string, number>(), new Map<string, number>()];
  const add = (counts: Map<string, number>, key: string) =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { gate } of lanes) {
    for (const { body } of gate.sent("/kickoff"))
      add(kickoffs, (JSON.parse(body) as { inputs: { topic: string } }).inputs.topic);
    for (const { body } of gate.sent("/resume"))
      add(resumes, (JSON.parse(body) as { executionId: string }).executionId);
  }
  return { kickoffs, resumes };
}

/** The topics of the executions that the service started, and the executions that it resumed. */
function countedBy({ data }: RunningService) {
  const values = (query: string) =>
    rowsIn(path.join(data, "crewdeck.sqlite"), query)
      .map(({ value }) => String(value))
      .sort();
  return {
    started: values("SELECT json_extract(inputs, '$.topic') AS value FROM executions"),
    resumed: values("SELECT execution_id AS value FROM attempts WHERE decided_at IS NOT NULL"),
  };
}

/** Writes files, by path, to a new folder, which it returns. */
function writeFolder(parent: string, name: string, files: Record<string, string> = {}): string {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

/** Writes the extension that sends. @returns its folder */
function writeDriver(parent: string): string {
  const manifest = {
    name: "sending-driver",
    publisher: "crewdeck",
    version: "0.0.0",
    engines: { vscode: "^1.104.0" },
    main: "./driver.js",
    activationEvents: ["onStartupFinished"],
    extensionKind: ["workspace"],
    extensionDependencies: ["crewdeck.crewdeck"],
  };
  const source = readFileSync(path.join(projectFolder, "test/support/sending-driver.ts"), "utf8");
  return writeFolder(parent, "driver", {
    "package.json": JSON.stringify(manifest),
    "driver.js": transformSync(source, { loader: "ts", format: "cjs", platform: "node" }).code,
  });
}
