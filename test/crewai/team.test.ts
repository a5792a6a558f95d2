import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import path from "node:path";
import { CrewApi } from "../support/crew-api.ts";
import {
  crewaiEnv,
  needsCrewai,
  newestCrewai,
  pythonWith,
  writeProject,
} from "../support/crewai.ts";
import { startModel } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { temporaryFolder } from "../support/folders.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { runningProcesses } from "../support/processes.ts";
import { startProgram } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

/** Its inputs are known only to Python. A person is asked about its only task. */
const crewFile = `from crewai import Agent, Crew, Task

def build() -> Crew:
    worker = Agent(role="Worker", goal="Work", backstory="You work.")
    only = Task(name="only", description="Do {topic}.", expected_output="Text.", agent=worker, human_input=True)
    return Crew(agents=[worker], tasks=[only])
`;

const most = 2;
const kickoffs = 10;

describe("a team that runs crewAI", () => {
  needsCrewai();
  needsPostgres();

  it("shares the executions of a crew, starts few Python processes, and needs none to answer", async () => {
    const model = await startModel(() => "A text.");
    const python = await pythonWith(newestCrewai);
    const postgres = await startPostgres({ isDurable: false });
    atEndOfTest(() => postgres.stop());
    const database = await postgres.createDatabase();
    const folders = ["busy", "quiet"].map(crewIn);
    const start = async (role: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
      const common = [...folders, "--engine", "crewai", "--database", database, "--token", "T"];
      const own = ["--role", role, "--data", temporaryFolder("team"), ...args];
      const program = await startProgram([...common, ...own], {
        ...{ ...crewaiEnv(model), CREWDECK_SECRET_KEY: key, ...env },
      });
      atEndOfTest(() => program.end("SIGTERM"));
      return { url: String(program.announced["url"]), pid: program.child.pid };
    };
    const ofWorker = ["--python", python, "--max-processes", String(most)];
    const workers = [await start("worker", ofWorker, {}), await start("worker", ofWorker, {})];
    // It finds no interpreter.
    const { url } = await start("api", [], { PATH: "" });
    const [busy, quiet] = ["busy", "quiet"].map(
      (name) => new CrewApi({ url: `${url}/${name}`, token: "T" }),
    ) as [CrewApi, CrewApi];
    for (const api of [busy, quiet])
      await waitFor("the inputs", async () => (await api.get("/inputs")).status === 200);

    // How long a worker has had too many. One that leaves may end when the next one has started.
    let since: number | undefined;
    let tooMany = 0;
    const lookAtProcesses = () => {
      const all = runningProcesses().filter(({ command }) => command.startsWith(python));
      const isOver = workers.some(
        ({ pid }) => all.filter(({ parent }) => parent === pid).length > most,
      );
      since = isOver ? (since ?? performance.now()) : undefined;
      if (since !== undefined) tooMany = Math.max(tooMany, performance.now() - since);
    };
    const begun = performance.now();
    const request = { inputs: { topic: "tea" } };
    const ids = await Promise.all(Array.from({ length: kickoffs }, () => busy.kickoff(request)));
    const other = await quiet.kickoff(request);
    const isWaiting = async (api: CrewApi, id: string) => {
      lookAtProcesses();
      const { body } = await api.get(`/${id}/status`);
      return (body as { pending_human_input?: object }).pending_human_input !== undefined;
    };
    await waitFor("the other crew", () => isWaiting(quiet, other));
    const waited = (performance.now() - begun) / 1000;
    for (const id of ids) await waitFor("an output", () => isWaiting(busy, id), 120_000);
    const shares = await Promise.all(workers.map(attemptsOf));
    console.log(
      `      attempts ${shares.join(" and ")}; the other crew's output after ${waited.toFixed(1)} s; too many processes for ${tooMany.toFixed(0)} ms`,
    );
    assert.ok(tooMany < 5000);
    assert.equal(shares[0]! + shares[1]!, kickoffs + 1);
    assert.ok(Math.min(...shares) >= 4);
  }).timeout(300_000);
});

const key = Buffer.alloc(32, "team").toString("base64");

function crewIn(name: string): string {
  const project = writeProject({ "crew.py": crewFile });
  const folder = path.join(path.dirname(project), name);
  renameSync(project, folder);
  return folder;
}

/** How many attempts a worker has completed. */
async function attemptsOf({ url }: { readonly url: string }): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, count] = /^crewdeck_attempts_total\{.*outcome="completed"\} (\d+)$/m.exec(metrics) ?? [];
  return Number(count ?? 0);
}
