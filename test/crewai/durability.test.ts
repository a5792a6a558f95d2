import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import {
  crewaiEnv,
  needsCrewai,
  newestCrewai,
  pythonWith,
  writeProject,
} from "../support/crewai.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startModelServer } from "../support/model-server.ts";
import { childrenOf } from "../support/processes.ts";
import { seededRandom } from "../support/random.ts";
import { startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const kills = Number(process.env["CREWDECK_KILLS"] ?? 50);
/** A kill comes after at most so many requests to the model, plus so many milliseconds. */
const latest = { requests: 4, milliseconds: 300 };
/** Executions under way at a time. */
const together = 2;

const crew = `from crewai import Agent, Crew, Task

def build() -> Crew:
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
}

describe(`the crewai engine: ${kills} kills with SIGKILL of worker and service`, () => {
  needsCrewai();
  const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);

  it("loses no execution and no accepted feedback, and repeats only the attempts that it interrupted", async () => {
    console.log(`      seed ${seed}: CREWDECK_SEED=${seed} kills at the same moments`);
    const data = temporaryFolder("crewai-durability");
    const model = await startModelServer(() => sleep(50, "A text."));
    const python = await pythonWith(newestCrewai);
    const folder = writeProject({ "crew.py": crew });
    const all: Promised[] = [];
    let service: RunningService | undefined;
    let feedbackCount = 0;

    const start = async () =>
      (service = await startService({
        folder,
        args: [
          ...["--engine", "crewai", "--python", python, "--unfinished", "continue"],
          ...["--data", data, "--token", "T"],
        ],
        env: crewaiEnv(model),
      }));

    /** Decides about the waiting task, if any. */
    const decide = async (api: CrewApi, one: Promised, isApprove: boolean) => {
      const { status, pending_human_input, error } = (await api.get(`/${one.id}/status`))
        .body as DocumentedStatus;
      assert.notEqual(status, "error", String(error));
      one.hasEnded = status === "completed";
      if (!pending_human_input) return;
      const human_feedback = `feedback ${(feedbackCount += 1)};`;
      const answer = await api.post("/resume", {
        execution_id: one.id,
        task_id: pending_human_input.task_id,
        human_feedback,
        is_approve: isApprove,
      });
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
          const id = await api.kickoff({ inputs: { topic } });
          all.push({ id, topic, accepted: [], rejected: 0, hasEnded: false });
        }
        for (const one of open) await decide(api, one, random() < 0.6);
        await sleep(20);
      }
    };

    try {
      let loading: Promise<void> | undefined;
      let wasWorker = false;
      let problem: unknown;
      for (let kill = 0; kill < kills; kill += 1) {
        if (loading === undefined) {
          loading = load(new CrewApi(await start()));
          // Rejects when the service is killed.
          loading.catch((error: unknown) => (problem = error));
        }
        const before = model.requests.length;
        const isWorker = random() < 0.5;
        // The attempt that the last kill repeated is done: three dead workers fail it by design.
        const least: number = wasWorker ? 2 : 0;
        const count: number = least + Math.floor(random() * (latest.requests - least));
        await waitFor(
          "requests to the model",
          () => model.requests.length - before >= count || problem !== undefined,
          240_000,
        );
        if (problem instanceof Error) throw problem;
        await sleep(random() * latest.milliseconds);
        if (isWorker)
          for (const pid of childrenOf(service?.child.pid ?? 0)) process.kill(pid, "SIGKILL");
        else {
          await service?.kill();
          await loading.catch(() => undefined);
          [loading, problem] = [undefined, undefined];
        }
        wasWorker = isWorker || (wasWorker && count < 2);
      }
      await service?.kill();
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
      let attempts = 0;
      for (const { topic, accepted, rejected } of all) {
        const prompts = model.requests.filter(({ prompt }) => prompt.includes(topic));
        const last = prompts.findLast(({ prompt }) => prompt.includes("Finish"))?.prompt ?? "";
        for (const feedback of accepted)
          assert.ok(last.includes(feedback), `"${feedback}" is lost in ${topic}`);
        attempts += rejected + 2;
      }
      // A resume whose answer a kill cut off may have been accepted.
      const repeated = model.requests.length - attempts;
      console.log(
        `      ${all.length} executions, ${attempts} attempts, ${repeated} requests repeated`,
      );
      assert.ok(all.length > 1);
      assert.ok(repeated <= 2 * kills, `${repeated} requests repeated`);
    } catch (error) {
      console.log(service?.log());
      throw error;
    } finally {
      await service?.kill();
      await model.stop();
    }
  }).timeout(1_200_000);
});
