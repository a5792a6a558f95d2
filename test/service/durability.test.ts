import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { CallbackReceiver } from "../support/callback-receiver.ts";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { EventCount } from "../support/event-count.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { seededRandom } from "../support/random.ts";
import { startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const kills = Number(process.env["CREWDECK_KILLS"] ?? 100);
/** Maximum of executions started between two kills. */
const perLife = 3;
/** A kill comes after at most so many responses and callbacks, plus so many milliseconds. Counting events makes it independent of the machine's speed. */
const latest = { events: 60, milliseconds: 40 };

/** What the service accepted for an execution, and must keep. */
interface Promised {
  readonly id: string;
  /** Feedback of resumes that were answered 200. */
  readonly accepted: string[];
}

describe(`service: ${kills} kills with SIGKILL under load`, () => {
  const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  const folder = path.join(projectFolder, "media", "example-crew");
  const data = temporaryFolder("durability");
  const receiver = new CallbackReceiver();
  const promised = new Map<string, Promised>();
  let callbacks: object;
  let feedbackCount = 0;
  const events = new EventCount();
  let service: RunningService | undefined;

  before(async () => {
    console.log(`      seed ${seed}: CREWDECK_SEED=${seed} kills at the same moments`);
    const base = await receiver.start();
    callbacks = {
      taskWebhookUrl: `${base}/task`,
      crewWebhookUrl: `${base}/crew`,
      humanInputWebhookUrl: `${base}/human`,
    };
    // One callback in five is refused, so that kills interrupt retries, too.
    receiver.behave = (response) => {
      events.add();
      response.writeHead(random() < 0.2 ? 503 : 204).end();
    };
  });
  after(async () => {
    await service?.kill();
    await receiver.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const start = async () => {
    events.reset();
    service = await startService({
      folder,
      args: ["--data", data, "--token", "T", "--user-token", "U", "--task-seconds", "0.02"],
      env: { CREWDECK_CALLBACK_BACKOFF_MS: "20" },
    });
    return service;
  };

  /** Kicks off and gives feedback until the service is killed. */
  const load = async (client: CrewApi): Promise<void> => {
    const begin = async () => {
      for (let n = 0; n < perLife; n += 1) {
        const id = await client.kickoff({
          inputs: await inputs(client),
          meta: { n },
          ...callbacks,
        });
        events.add();
        promised.set(id, { id, accepted: [] });
      }
    };
    const review = async () => {
      for (;;) {
        for (const one of promised.values()) await decide(client, one, random() < 0.7);
        // Rejects when the service is killed.
        await client.get("/inputs");
        events.add();
      }
    };
    await Promise.allSettled([begin(), review()]);
  };

  /** Decides about the waiting task, if any. Returns the state of the execution. */
  const decide = async (client: CrewApi, one: Promised, isApprove: boolean): Promise<string> => {
    if (ended.has(one.id)) return "completed";
    const status = (await client.get(`/${one.id}/status`)).body as DocumentedStatus;
    events.add();
    const waiting = status.pending_human_input;
    if (waiting) {
      reviewed.add(waiting.task_id);
      const human_feedback = `feedback ${(feedbackCount += 1)};`;
      const { status: code } = await client.post("/resume", {
        execution_id: one.id,
        task_id: waiting.task_id,
        human_feedback,
        is_approve: isApprove,
        ...callbacks,
      });
      if (code === 200) one.accepted.push(human_feedback);
    }
    if (status.status !== "running") ended.add(one.id);
    return status.status;
  };
  const ended = new Set<string>();
  /** Tasks that wait for a person. */
  const reviewed = new Set<string>();

  it("loses no execution, no accepted feedback and no callback", async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const life = await start();
      const moment = {
        events: Math.floor(random() * latest.events),
        milliseconds: random() * latest.milliseconds,
      };
      const loaded = load(new CrewApi(life));
      await events.reach(moment.events);
      await sleep(moment.milliseconds);
      await life.kill();
      await loaded;
    }
    const client = new CrewApi(await start());
    assert.ok(promised.size > kills, `only ${promised.size} executions were started`);

    const running = async () => {
      let count = 0;
      for (const one of promised.values())
        if ((await decide(client, one, true)) === "running") count += 1;
      return count;
    };
    await waitFor("all executions to complete", async () => (await running()) === 0, 240_000);

    // Each attempt and each execution is reported once; repeats have the same id.
    const expected = { crew: promised.size, task: 0, human: 0 };
    for (const { id, accepted } of promised.values()) {
      const { status, result } = (await client.get(`/${id}/status`)).body as DocumentedStatus;
      assert.equal(status, "completed");
      for (const feedback of accepted)
        assert.ok(result?.output.includes(feedback), `"${feedback}" is lost in ${id}`);
      const tasks = result?.tasks ?? [];
      expected.task += attemptsOf(tasks);
      expected.human += attemptsOf(tasks.filter(({ task_id }) => reviewed.has(task_id)));
    }
    // An execution whose kickoff response was lost runs, too.
    const own = (at: string) =>
      receiver.at(at).filter(({ body }) => promised.has(String(body["kickoff_id"]))).length;
    const reported = () => ({ crew: own("/crew"), task: own("/task"), human: own("/human") });
    await waitFor("all callbacks", () => isDeepStrictEqual(reported(), expected), 240_000).catch(
      () => {
        assert.deepEqual(reported(), expected);
      },
    );
    const feedback = [...promised.values()].reduce((sum, { accepted }) => sum + accepted.length, 0);
    const repeats = receiver.received.length - new Set(receiver.received.map(({ id }) => id)).size;
    console.log(
      `      ${promised.size} executions, ${feedback} accepted feedbacks, ${expected.task} attempts, ${repeats} callbacks repeated`,
    );
    await service?.stop();
    service = undefined;
  }).timeout(1_200_000);

  let names: string[] | undefined;
  const inputs = async (client: CrewApi) => {
    names ??= ((await client.get("/inputs")).body as { inputs: string[] }).inputs;
    return Object.fromEntries(names.map((name) => [name, `a ${name}`]));
  };
});

/** The number of attempts, from the outputs of the rehearsal engine. */
function attemptsOf(tasks: readonly { readonly output: string }[]): number {
  return tasks.reduce((sum, { output }) => sum + Number(/^Attempt: (\d+)$/m.exec(output)?.[1]), 0);
}
