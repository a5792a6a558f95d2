import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CrewApi } from "../support/crew-api.ts";
import { crewaiEnv, needsCrewai, writeProject } from "../support/crewai.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startModelServer } from "../support/model-server.ts";
import { childrenOf, isRunning, signal } from "../support/processes.ts";
import { seededRandom } from "../support/random.ts";
import { startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

const kills = Number(process.env["CREWDECK_KILLS"] ?? 50);
/** An early kill finds the service or Python starting; a later one waits for requests to the model. Pauses (ms) are the longest. */
const kinds = {
  early: { share: 0.7, worker: 0.25, requests: 0, pause: 1200 },
  later: { worker: 0.6, requests: 2, pause: 300 },
};
const modelMs = 200;
/** Executions under way at a time. */
const together = 2;
/** Of one attempt; the third one fails it by design. */
const mostDeaths = 2;

const crew = `import os
from crewai import Agent, Crew, Task

def build() -> Crew:
    with open("worker", "w") as file:
        file.write(str(os.getpid()))
    worker = Agent(role="Worker", goal="Work", backstory="You work.")
    task = dict(expected_output="Text.", agent=worker)
    first = Task(name="first", description="Begin {topic}.", human_input=True, **task)
    second = Task(name="second", description="Finish {topic}.", **task)
    return Crew(agents=[worker], tasks=[first, second])
`;

interface Promised {
  readonly id: string;
  readonly topic: string;
  /** Feedback of resumes that were answered 200. */
  readonly accepted: string[];
  rejected: number;
  hasEnded: boolean;
  /** How often a worker was killed since it was last seen to wait. */
  deaths: number;
}

describe(`the crewai engine: ${kills} kills with SIGKILL of worker and service`, () => {
  needsCrewai();
  const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);

  it("loses no execution and no accepted feedback, repeats only attempts that a kill interrupted, and leaves no process", async () => {
    console.log(`      seed ${seed}: CREWDECK_SEED=${seed} kills at the same moments`);
    const data = temporaryFolder("crewai-durability");
    const model = await startModelServer(() => sleep(modelMs, "A text."));
    const python = await warmPython();
    const folder = writeProject({ "crew.py": crew });
    const all: Promised[] = [];
    const workers = new Set<number>();
    let service: RunningService | undefined;
    let [feedbackCount, unanswered] = [0, 0];

    const start = async () =>
      (service = await startService({
        folder,
        args: [
          ...["--engine", "crewai", "--python", python, "--on-restart", "continue"],
          ...["--data", data, "--token", "T"],
        ],
        env: crewaiEnv(model),
      }));

    /** The one that last loaded the crew, or all before that. */
    const killable = () => {
      const children = childrenOf(service?.child.pid ?? 0);
      for (const pid of children) workers.add(pid);
      const file = path.join(folder, "worker");
      const working = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
      if (!isRunning(working)) return children;
      workers.add(working);
      return [working];
    };
    const killService = async () => {
      killable();
      await service?.kill();
    };

    /** Decides about the waiting task, if any. */
    const decide = async (api: CrewApi, one: Promised, isApprove: boolean) => {
      const { status, pending_human_input, error } = await api.status(one.id);
      assert.notEqual(status, "error", String(error));
      one.hasEnded = status === "completed";
      if (one.hasEnded || pending_human_input) one.deaths = 0;
      if (!pending_human_input) return;
      const human_feedback = `feedback ${(feedbackCount += 1)};`;
      unanswered += 1;
      const { task_id } = pending_human_input;
      const answer = await api.resume(one.id, task_id, isApprove, human_feedback);
      unanswered -= 1;
      if (answer.status !== 200) return;
      one.accepted.push(human_feedback);
      if (!isApprove) one.rejected += 1;
    };

    /** Kicks off and gives feedback until the service is killed. */
    const load = async (api: CrewApi): Promise<void> => {
      for (;;) {
        const open = all.filter(({ hasEnded }) => !hasEnded);
        if (open.length < together) {
          const topic = `topic ${all.length};`;
          unanswered += 1;
          const id = await api.kickoff({ inputs: { topic } });
          unanswered -= 1;
          all.push({ id, topic, accepted: [], rejected: 0, hasEnded: false, deaths: 0 });
        }
        for (const one of open) await decide(api, one, random() < 0.6);
        await sleep(20);
      }
    };

    try {
      const first = new CrewApi(await start());
      // Only Python knows them. Each later service finds its answer in the database.
      await waitFor("the inputs", async () => (await first.get("/inputs")).status === 200);
      await killService();
      let loading: Promise<void> | undefined;
      let problem: unknown;
      for (let kill = 0; kill < kills; kill += 1) {
        if (loading === undefined) {
          loading = load(new CrewApi(await start()));
          // Rejects when the service is killed.
          loading.catch((error: unknown) => (problem = error));
        }
        const before = model.requests.length;
        const kind = random() < kinds.early.share ? kinds.early : kinds.later;
        const isWorker = random() < kind.worker;
        const count = Math.ceil(random() * kind.requests);
        await waitFor(
          "requests to the model",
          () => model.requests.length - before >= count || problem !== undefined,
          240_000,
        );
        await sleep(random() * kind.pause);
        const dying = isWorker && all.every(({ deaths }) => deaths < mostDeaths) ? killable() : [];
        if (dying.length > 0) for (const one of all) if (!one.hasEnded) one.deaths += 1;
        for (const pid of dying) signal(pid, "SIGKILL");
        if (problem instanceof Error) throw problem;
        if (dying.length > 0) continue;
        await killService();
        await loading.catch(() => undefined);
        [loading, problem] = [undefined, undefined];
      }
      await killService();
      await loading?.catch(() => undefined);

      const api = new CrewApi(await start());
      await waitFor(
        "all executions to complete",
        async () => {
          for (const one of all) if (!one.hasEnded) await decide(api, one, true);
          return all.every(({ hasEnded }) => hasEnded);
        },
        300_000,
      );
      await killService();
      await waitFor("all workers to end", () => [...workers].every((pid) => !isRunning(pid)));
      let attempts = 0;
      for (const { topic, accepted, rejected } of all) {
        const prompts = model.requests.filter(({ prompt }) => prompt.includes(topic));
        const last = prompts.findLast(({ prompt }) => prompt.includes("Finish"))?.prompt ?? "";
        for (const feedback of accepted)
          assert.ok(last.includes(feedback), `"${feedback}" is lost in ${topic}`);
        attempts += rejected + 2;
      }
      // A kickoff or resume whose answer a kill cut off may have been accepted.
      const repeated = model.requests.length - attempts;
      console.log(
        `      ${all.length} executions, ${attempts} attempts, ${workers.size} workers, ${repeated} requests repeated`,
      );
      assert.ok(all.length > 1);
      assert.ok(repeated <= kills + unanswered, `${repeated} requests repeated`);
    } catch (error) {
      console.log(service?.log());
      throw error;
    } finally {
      await service?.kill();
      await model.stop();
    }
  }).timeout(1_200_000);
});
