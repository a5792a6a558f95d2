import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CallbackLedger, checkPromises, streamed } from "../support/chaos-checks.ts";
import { ChaosLoad } from "../support/chaos-load.ts";
import { EventCount } from "../support/event-count.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { IdleWatch } from "../support/idle-watch.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { seededRandom } from "../support/random.ts";
import { Team, type Member, type Role } from "../support/team.ts";

const kills = Number(process.env["CREWDECK_KILLS"] ?? 40);
const chaosSeconds = Number(process.env["CREWDECK_CHAOS_SECONDS"] ?? 30);
const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
const clients = 12;
const example = path.join(projectFolder, "media", "example-crew");

/** A kill comes after at most so many requests and callbacks, plus so many milliseconds. */
const latest = { events: 100, milliseconds: 100 };

/** A run that hangs is ended (ms): after the kills come the ends of all executions. */
const longest = 5000 * Math.max(kills, chaosSeconds) + 300_000;

/** How long a worker is only slow (ms). */
const slowMs = 3000;

/** With two crews, how long the processes can work before the next kill, at most (ms). */
const longestRest = 6000;

/** How long a place of a worker may stay empty while an execution of its crew is queued (ms): twice the time to the next look, and one more second. */
const idleMs = 5000;

interface Chaos {
  readonly roles: readonly Role[];
  /** Undefined: SQLite. */
  readonly postgres?: TestPostgres;
  /** Two crews, of which a worker runs one execution each; then what is killed gets time to work. */
  readonly hasTwoCrews?: boolean;
  readonly isEnough: (done: { readonly kills: number; readonly seconds: number }) => boolean;
}

describe("on SQLite, in one process", () => {
  it(`nothing is lost or doubled by ${kills} kills`, () =>
    chaos({ roles: ["both"], isEnough: (done) => done.kills >= kills })).timeout(longest);

  it(`two crews advance beside each other for ${chaosSeconds} s of kills`, () =>
    chaos({ roles: ["both"], hasTwoCrews: true, isEnough: isLongEnough })).timeout(longest);
});

describe("on Postgres, with several processes", () => {
  let postgres: TestPostgres;
  needsPostgres();
  before(async () => (postgres = await startPostgres()));
  after(() => postgres.stop());

  it(`nothing is lost or doubled by ${chaosSeconds} s of kills, crashes of Postgres and slow workers`, async () => {
    const roles = ["api", "api", "worker", "worker", "both"] as const;
    await chaos({ roles, postgres, isEnough: isLongEnough });
  }).timeout(longest);

  it(`two crews share two workers for ${chaosSeconds} s of the same`, async () => {
    const roles = ["api", "worker", "worker"] as const;
    await chaos({ roles, postgres, hasTwoCrews: true, isEnough: isLongEnough });
  }).timeout(longest);
});

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The example crew under another name. */
function secondCrew(): string {
  const folder = path.join(temporaryFolder("crews"), "second");
  cpSync(example, folder, { recursive: true });
  return folder;
}

function isLongEnough(done: { readonly seconds: number }): boolean {
  return done.seconds >= chaosSeconds;
}

async function chaos({ roles, postgres, hasTwoCrews = false, isEnough }: Chaos): Promise<void> {
  console.log(`      seed ${seed}: CREWDECK_SEED=${seed} kills in the same order`);
  // Apart: how the load's requests come in turn is not repeated by the same seed.
  const [random, ofLoad, ofReceiver] = [0, 1, 2].map((more) => seededRandom(seed + more));
  assert.ok(random && ofLoad && ofReceiver);
  const events = new EventCount();
  const ledger = new CallbackLedger();
  // One callback in five is refused, so that kills interrupt retries, too.
  ledger.receiver.behave = (response, callback) => {
    events.add();
    ledger.note(callback);
    response.writeHead(ofReceiver() < 0.2 ? 503 : 204).end();
  };
  const base = await ledger.receiver.start();
  const team = Team.of({
    roles,
    ...(postgres && { database: await postgres.createDatabase() }),
    folder: example,
    args: ["--task-seconds", "0.05", ...(hasTwoCrews ? [secondCrew(), "--parallel", "1"] : [])],
    env: () => ({ CREWDECK_CALLBACK_BACKOFF_MS: "20" }),
  });
  const callbacks = (n: number) => ({
    taskWebhookUrl: `${base}/task`,
    stepWebhookUrl: `${base}/step`,
    crewWebhookUrl: `${base}/crew`,
    humanInputWebhookUrl: `${base}/human`,
    webhooks: { url: `${base}/stream`, events: streamed, realtime: n % 2 === 0 },
  });
  // The second crew has one execution in six: the other's must not keep it waiting.
  const crewOf = (n: number) => (hasTwoCrews ? (n % 6 === 0 ? "/second" : "/example-crew") : "");
  const load = new ChaosLoad({ team, events, callbacks, crewOf, random: ofLoad });
  const watch = new IdleWatch(team, hasTwoCrews ? 1 : 16);
  const done = { kills: 0, restarts: 0, pauses: 0 };

  /** Kills some processes at once, and starts them again. */
  const kill = async (members: readonly Member[]) => {
    const found = members.filter(({ isPaused }) => !isPaused);
    done.kills += found.length;
    await Promise.all(found.map((member) => member.end("SIGKILL")));
    await team.endLeases();
    await Promise.all(found.map((member) => member.start()));
  };
  const shuffled = () =>
    team.members
      .map((member) => ({ member, order: random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ member }) => member);

  try {
    await team.start();
    const loaded = Promise.all([load.run(clients), watch.run()]);
    // Awaited below, unless something else fails before.
    loaded.catch(() => undefined);
    const begun = performance.now();
    let slowed: Promise<void> | undefined;
    const isDone = () =>
      isEnough({ kills: done.kills, seconds: (performance.now() - begun) / 1000 });
    // A slow machine needs longer until there is something to lose.
    while (!isDone() || !load.hasAll(clients)) {
      if (hasTwoCrews) await sleep(random() * longestRest);
      events.reset();
      const moment = random() * latest.events;
      // Nothing comes while all processes start.
      await Promise.race([events.reach(moment), sleep(2000)]);
      await sleep(random() * latest.milliseconds);
      const members = shuffled();
      const what = random();
      const worker = members.find(({ role }) => role === "worker");
      if (worker && slowed === undefined && (done.pauses === 0 || what < 0.3)) {
        done.pauses += 1;
        // It keeps its connections, and what it has begun, for longer than its lease.
        worker.pause(true);
        await team.endLeases();
        slowed = watch.disturb(async () => {
          await sleep(slowMs);
          worker.pause(false);
          slowed = undefined;
        });
      } else if (postgres && (done.restarts === 0 || what < 0.1)) {
        done.restarts += 1;
        await watch.disturb(() => postgres.restart());
      } else if (what < 0.8) await watch.disturb(() => kill(members.slice(0, 1)));
      else await watch.disturb(() => kill(members.slice(0, what < 0.95 ? 2 : members.length)));
    }
    await slowed;
    // Those that ended by themselves, which is reported below.
    for (const member of team.members) if (!member.isRunning) await member.start();
    load.end();
    watch.end();
    await loaded;
    const { violations, figures } = await checkPromises(load, ledger);
    for (const { problem } of team.members) if (problem !== undefined) violations.push(problem);
    if (watch.longestMs > idleMs)
      violations.push(`a place of a worker stayed empty for ${watch.longestMs.toFixed(0)} ms`);
    if (load.pauses.size < (hasTwoCrews ? 2 : 1)) violations.push("a crew did not advance");
    const { received } = ledger.receiver;
    const repeats = received.length - new Set(received.map(({ id }) => id)).size;
    console.log(
      [
        `${done.kills} kills, ${done.restarts} crashes of Postgres, ${done.pauses} slow workers`,
        `${figures.executions} executions (${load.lost.size} kickoffs not answered), ${figures.attempts} attempts, ${figures.rejections} rejections, ${figures.repeatedAttempts} attempts repeated after a kill`,
        `${load.figures.accepted} decisions accepted, ${load.figures.refused} refused, ${load.figures.lost} not answered; ${load.figures.races} races, ${figures.late} came late`,
        `empty places while work waited: at most ${seconds(watch.longestMs)}, in ${watch.looks} looks; longest time without a decision: ${[...load.pauses].map(([crew, ms]) => `${crew} ${seconds(ms)}`).join(", ")}`,
        `${figures.callbacks} callbacks, ${repeats} repeats of the same ID`,
        `${load.figures.requests} requests, ${load.figures.unanswered} unanswered, longest ${seconds(load.figures.longestMs)}; ${[...load.serverErrors].map(([status, count]) => `${count} answered ${status}`).join(", ") || "no server errors"}`,
      ]
        .map((line) => `      ${line}`)
        .join("\n"),
    );
    assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations`);
  } finally {
    load.abort();
    await team.stop();
    await ledger.receiver.stop();
  }
}
