import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readStatus } from "../../../src/api/read-status.ts";
import { crewaiEngine } from "../../../src/service/crewai/engine.ts";
import { Worker, WorkerEnded } from "../../../src/service/crewai/worker.ts";
import { createLog } from "../../../src/service/operations/log.ts";
import { Processes } from "../../../src/service/crewai/processes.ts";
import { Secrets } from "../../../src/service/operations/redact.ts";
import { temporaryFolder } from "../../support/folders.ts";
import type { Reports } from "../../../src/service/engine.ts";
import { noReports } from "../../support/reports.ts";
import { crew, harness, inputs, serve } from "./support.ts";

/** An engine whose Python is the text of a program, with what it logs. */
function engineWith(
  program: string,
  folder: string,
  own: Partial<Pick<Parameters<typeof crewaiEngine>[0], "folder" | "secrets" | "times">> = {},
) {
  const python = path.join(folder, "python");
  writeFileSync(python, program);
  chmodSync(python, 0o700);
  const lines: string[] = [];
  const engine = crewaiEngine({
    ...{ folder: temporaryFolder("project"), data: path.join(folder, "data"), python },
    ...{ program: "worker.py", parallel: 1, env: process.env },
    processes: new Processes(4),
    secrets: new Secrets(["of-the-service"]),
    log: (line) => void lines.push(line),
    ...own,
  });
  return { engine, lines };
}

const reply = `echo '{"type":"output","output":"Text."}'`;

const task = `{"id":"only","description":"Do it.","expectedOutput":"Text.","humanInput":false,"extras":""}`;
const openedCrew = `{"type":"opened","crew":{"agents":[],"tasks":[${task}]},"inputs":[],"remarks":[]}`;

/** A program that replies as the Python of a crew with the task `only`, and runs a line of shell for an attempt. */
function pythonThat(atAttempt: string): string {
  return `#!/bin/sh
echo '{"type":"ready"}'
while read command; do
  case $command in
    *'"do":"project"'*) echo '{"type":"project","variables":[]}' ;;
    *'"do":"open"'*) echo '${openedCrew}' ;;
    *) ${atAttempt} ;;
  esac
done
`;
}

/** A program that has opened the crew of that task, and got the command of an attempt. */
const opened = openedWith([]);

/** @param variables those of the project's `.env` */
function openedWith(variables: readonly (readonly [name: string, value: string])[]): string {
  return `#!/bin/sh
echo '{"type":"ready"}'
read command; echo '${JSON.stringify({ type: "project", variables })}'
read next; echo '${openedCrew}'
read next
`;
}

describe("the Python processes of a service", () => {
  it("begin only when there is a place, which those that wait leave", async () => {
    const python = path.join(temporaryFolder("worker"), "python");
    writeFileSync(python, "#!/bin/sh\ncat\n");
    chmodSync(python, 0o700);
    const processes = new Processes(1);
    const start = async () => {
      await processes.room();
      const from = { python, program: "", env: process.env, secrets: new Secrets([]) };
      return processes.start({ ...from, loadMs: 600_000, onLine: () => undefined });
    };
    const first = await start();
    const [second, third] = [start(), start()];
    processes.wait(first, 600_000);
    assert.ok(processes.has(await second) && !processes.has(first));
    processes.end(await second);
    processes.wait(await third, 600_000);
    const fourth = await start();
    assert.ok(processes.has(fourth) && !processes.has(await third));
    const last = start();
    processes.endAll();
    await assert.rejects(last, /The service ends/);
    assert.ok(!processes.has(fourth));
  });
});

describe("a worker of the crewai engine", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  let folder: string;
  let project: string;
  beforeEach(() => {
    [folder, project] = [temporaryFolder("worker"), temporaryFolder("project")];
  });
  it("lets other executions work until an attempt is repeated, however many wait for their turn", async () => {
    // The first attempt of all kills it.
    const program = pythonThat(`mkdir "${folder}/killed" 2>&- && kill -9 $$; ${reply}`);
    const { engine } = engineWith(program, folder);
    await serve({ engine });
    const ids = await Promise.all(Array.from({ length: 40 }, () => harness.kickoff()));
    for (const id of ids) assert.equal((await harness.untilEnded(id)).status, "completed");
  });

  it("begins an attempt only after it was counted, and not if it was begun too often", async () => {
    const begun = path.join(folder, "begun");
    const { engine } = engineWith(pythonThat(`touch "${begun}"; ${reply}`), folder);
    const task = { ...crew.tasks[0]!, id: "only" };
    const project = { ...crew, tasks: [task] };
    const attempt = {
      ...{ executionId: "one", project, taskIndex: 0, task, agent: undefined, inputs },
      ...{ earlier: [], notes: [], attempt: 1, isFirst: true },
    };
    const run = (begin: Reports["begin"]) => engine.run(attempt, { ...noReports, begin });
    await engine.prepare?.("one", project);
    await assert.rejects(
      run(() => Promise.reject(new Error("Too often."))),
      /^Error: Too often\.$/,
    );
    assert.ok(!existsSync(begun));
    await run(() => noReports.begin());
    assert.ok(existsSync(begun));
    engine.close?.();
  });

  it("says what is wrong in the files, too, when Python can't open the project", async () => {
    const failed = `{"type":"failed","message":"KeyError: 1"}`;
    const program = `#!/bin/sh\necho '{"type":"ready"}'\nread command; echo '${failed}'\ncat\n`;
    mkdirSync(path.join(project, "config"));
    writeFileSync(
      path.join(project, "config", "agents.yaml"),
      "w:\n  role: r\n  goal: g\n  backstory: b\n",
    );
    writeFileSync(
      path.join(project, "config", "tasks.yaml"),
      "a:\n  description: First\nsecond.\n  expected_output: b\n",
    );
    const { engine } = engineWith(program, folder, { folder: project });
    const message =
      /^config\/tasks\.yaml:3:1: Line 3 continues line 2\. .*\nPython says: KeyError: 1$/;
    await assert.rejects(async () => await engine.inputs?.(crew), { message });
    await assert.rejects(async () => await engine.prepare?.("one", crew), { message });
    engine.close?.();
  });

  it("reports events of crewAI, also those of an attempt that then fails", async () => {
    const event = `{"type":"llm_call_started","timestamp":"2026-11-22T00:01:23+00:00","event_id":"e1","model":"m"}`;
    const { engine } = engineWith(
      `${opened}echo '{"type":"event","event":${event}}'; echo '{"type":"failed","message":"No."}'`,
      folder,
    );
    await serve({ engine });
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
  });

  it("takes no reply that is cut off because the worker was killed, and no further command", async () => {
    const python = path.join(folder, "python");
    // It dies while it writes, as a worker that the system kills for its memory.
    writeFileSync(
      python,
      `#!/bin/sh\necho '{"type":"ready"}'\nread command\nprintf '{"type":"output","output":"Half a te'\nkill -9 $$\n`,
    );
    chmodSync(python, 0o700);
    const onLine = () => undefined;
    const secrets = new Secrets();
    const program = "worker.py";
    const worker = new Worker({
      python,
      program,
      env: process.env,
      secrets,
      loadMs: 60_000,
      onLine,
    });
    await worker.ready;
    await assert.rejects(
      worker.run({ do: "attempt" }, () => undefined),
      WorkerEnded,
    );
    await worker.ended;
    worker.end();
    await assert.rejects(
      worker.run({ do: "attempt" }, () => undefined),
      /The crew's Python process ended \(SIGKILL\)/,
    );
  });

  it("has no variable of the project's .env in the log, the error and the events, and none of the service's secrets", async () => {
    const variables = [
      ["DB", "s3cret db"],
      ["MODEL", "gpt-4o-mini"],
    ] as const;
    const said = "gpt-4o-mini refused s3cret db and of-the-service";
    const event = `{"type":"llm_call_failed","timestamp":"2026-11-22T00:01:23+00:00","error":"${said}"}`;
    const { engine, lines } = engineWith(
      `${openedWith(variables)}echo "${said}" >&2; echo '{"type":"event","event":${event}}'; echo '{"type":"failed","message":"${said}"}'; sleep 60`,
      folder,
      { folder: project },
    );
    await serve({ engine });
    const status = await harness.untilEnded(await harness.kickoff());
    const hidden = "gpt-4o-mini refused [hidden] and [hidden]";
    assert.equal(status.error, `Task execution failed: ${hidden}`);
    assert.deepEqual(lines, [`[crew] ${hidden}`]);
    const everything = JSON.stringify(status);
    assert.match(everything, /"type":"llm_call_failed"/);
    assert.doesNotMatch(everything, /s3cret|of-the-service/);
  });

  it("is asked for inputs without a variable of the .env in the log and the error, in a storage folder of its own, within the time that a project may take to load", async () => {
    const asked = openedWith([["DB", "s3cret#db"]])
      .replace("read command;", `read command; echo "$command" > "${folder}/command";`)
      .replace(`echo '${openedCrew}'\nread next\n`, "");
    const said = "s3cret#db";
    const failing = engineWith(
      `${asked}echo "${said}" >&2; echo '{"type":"failed","message":"${said}"}'; sleep 60`,
      folder,
      { folder: project },
    );
    await assert.rejects(failing.engine.inputs!(crew), { message: /\nPython says: \[hidden\]$/ });
    assert.deepEqual(failing.lines, ["[crew] [hidden]"]);
    const { storage } = JSON.parse(readFileSync(path.join(folder, "command"), "utf8")) as {
      storage: string;
    };
    assert.match(path.relative(path.join(folder, "data"), storage), /^storage.inputs /);
    assert.ok(!existsSync(storage));
    const silent = engineWith(`${asked}echo "calling the station" >&2; sleep 60`, folder, {
      folder: project,
      times: { load: 1_000 },
    });
    const message = /did not load within 1 seconds\.\nIt printed last:\ncalling the station$/;
    await assert.rejects(silent.engine.inputs!(crew), { message });
  });

  it("has at most 1 MB of what an attempt prints in the log, however short its lines are", async () => {
    let hidden = 0;
    class CountingSecrets extends Secrets {
      override hide(text: string): string {
        hidden++;
        return super.hide(text);
      }
    }
    const { engine, lines } = engineWith(
      `${opened}yes | head -n 200000 >&2; echo '{"type":"output","output":"Text."}'; sleep 60`,
      folder,
      { secrets: new CountingSecrets() },
    );
    await serve({ engine });
    await harness.untilEnded(await harness.kickoff());
    assert.equal(lines.at(-1), "[crew] (The crew prints more than 1 MB; the rest isn't shown.)");
    assert.ok(hidden < 20_000, "what isn't shown isn't searched for secrets");
    let written = "";
    const log = createLog("json", new Secrets(), true, {
      write: (line) => (written += line),
    });
    for (const line of lines) log(line, { crew: "writers", execution_id: randomUUID() });
    assert.ok(written.length < 1_100_000, `${written.length} characters`);
  });

  it("is ended with an error that says why, if the project closes what it replies with", async () => {
    const { engine } = engineWith(`${opened}exit 70`, folder);
    await serve({ engine });
    const status = await harness.untilEnded(await harness.kickoff());
    assert.match(String(status.error), /closed file descriptors that it did not open/);
  });
});
