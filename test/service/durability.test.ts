import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { CallbackReceiver } from "../support/callback-receiver.ts";
import type { CrewApi } from "../support/crew-api.ts";
import { type DocumentedStatus } from "../support/crew-api.ts";
import { EventCount } from "../support/event-count.ts";
import { projectFolder } from "../support/folders.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { seededRandom } from "../support/random.ts";
import { Team } from "../support/team.ts";
import { waitFor } from "../support/wait.ts";

const kills = {
  sqlite: Number(process.env["CREWDECK_KILLS"] ?? 100),
  postgres: Number(process.env["CREWDECK_KILLS"] ?? 20),
};
const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
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

/** A run that hangs is ended (ms). */
const longest = 1_800_000;

describe(`service on SQLite: ${kills.sqlite} kills with SIGKILL under load`, () => {
  it("loses no execution, no accepted feedback and no callback", () =>
    attack(kills.sqlite)).timeout(longest);
});

describe(`service on Postgres: ${kills.postgres} kills with SIGKILL under load`, () => {
  needsPostgres();

  it("loses no execution, no accepted feedback and no callback", async () => {
    const postgres = await startPostgres();
    try {
      await attack(kills.postgres, await postgres.createDatabase());
    } finally {
      await postgres.stop();
    }
  }).timeout(longest);
});

/** @param database the address of a Postgres; without it, a SQLite file */
async function attack(kills: number, database?: string): Promise<void> {
  console.log(`      seed ${seed}: CREWDECK_SEED=${seed} kills at the same moments`);
  const begun = performance.now();
  // Apart: in which order requests and callbacks come is not repeated by the same seed.
  const [random, ofLoad, ofReceiver] = [0, 1, 2].map((more) => seededRandom(seed + more));
  assert.ok(random && ofLoad && ofReceiver);
  const receiver = new CallbackReceiver();
  const events = new EventCount();
  const promised = new Map<string, Promised>();
  const ended = new Set<string>();
  /** Tasks that wait for a person. */
  const reviewed = new Set<string>();
  let feedbackCount = 0;
  // One callback in five is refused, so that kills interrupt retries, too.
  receiver.behave = (response) => {
    events.add();
    response.writeHead(ofReceiver() < 0.2 ? 503 : 204).end();
  };
  const base = await receiver.start();
  const callbacks = {
    taskWebhookUrl: `${base}/task`,
    crewWebhookUrl: `${base}/crew`,
    humanInputWebhookUrl: `${base}/human`,
  };
  const team = Team.of({
    roles: ["both"],
    ...(database !== undefined && { database }),
    folder: path.join(projectFolder, "media", "example-crew"),
    args: ["--task-seconds", "0.02"],
    env: () => ({ CREWDECK_CALLBACK_BACKOFF_MS: "20" }),
  });
  const [service] = team.members;
  assert.ok(service);

  const start = async (): Promise<CrewApi> => {
    events.reset();
    await service.start();
    assert.ok(service.api);
    return service.api;
  };

  /** Kicks off and gives feedback until the service is killed. */
  const load = async (client: CrewApi): Promise<void> => {
    const begin = async () => {
      for (let n = 0; n < perLife; n += 1) {
        const inputs = { topic: "a topic", audience: "an audience" };
        const id = await client.kickoff({ inputs, meta: { n }, ...callbacks });
        events.add();
        promised.set(id, { id, accepted: [] });
      }
    };
    const review = async () => {
      for (;;) {
        for (const one of promised.values()) await decide(client, one, ofLoad() < 0.7);
        await client.get("/inputs");
        events.add();
      }
    };
    for (const lane of await Promise.allSettled([begin(), review()]))
      // What `fetch` throws when the service is killed.
      if (lane.status === "rejected" && !(lane.reason instanceof TypeError)) throw lane.reason;
  };

  const statusOf = async (client: CrewApi, id: string): Promise<DocumentedStatus> => {
    const { status, body } = await client.get(`/${id}/status`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as DocumentedStatus;
  };

  /** Decides about the waiting task, if any. Returns the state of the execution. */
  const decide = async (client: CrewApi, one: Promised, isApprove: boolean): Promise<string> => {
    if (ended.has(one.id)) return "completed";
    const status = await statusOf(client, one.id);
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

  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const loaded = load(await start());
      const moment = {
        events: Math.floor(random() * latest.events),
        milliseconds: random() * latest.milliseconds,
      };
      // The load ends before its service only if something is wrong.
      await Promise.race([events.reach(moment.events), loaded]);
      await sleep(moment.milliseconds);
      await service.end("SIGKILL");
      await loaded;
    }
    const killed = performance.now();
    const client = await start();
    assert.ok(promised.size > kills, `only ${promised.size} executions were started`);

    const running = async () => {
      let count = 0;
      for (const one of promised.values())
        if ((await decide(client, one, true)) === "running") count += 1;
      return count;
    };
    await waitFor("all executions to complete", async () => (await running()) === 0, 600_000);

    // Each attempt and each execution is reported once; repeats have the same id.
    const expected = { crew: promised.size, task: 0, human: 0 };
    for (const { id, accepted } of promised.values()) {
      const { status, result } = await statusOf(client, id);
      assert.equal(status, "completed");
      for (const feedback of accepted)
        assert.ok(result?.output.includes(feedback), `"${feedback}" is lost in ${id}`);
      const tasks = result?.tasks ?? [];
      expected.task += tasks.length;
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
    const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(0)} s`;
    console.log(
      `      ${promised.size} executions, ${feedback} accepted feedbacks, ${expected.task} tasks, ${repeats} callbacks repeated; kills took ${seconds(begun, killed)}, the rest ${seconds(killed, performance.now())}`,
    );
    assert.equal(await service.end("SIGTERM"), 0);
    assert.equal(service.problem, undefined);
  } finally {
    await team.stop();
    await receiver.stop();
  }
}

/** The number of attempts, from the outputs of the rehearsal engine. */
function attemptsOf(tasks: readonly { readonly output: string }[]): number {
  return tasks.reduce((sum, { output }) => sum + Number(/^Attempt: (\d+)$/m.exec(output)?.[1]), 0);
}
