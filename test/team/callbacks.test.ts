import assert from "node:assert/strict";
import path from "node:path";
import { CallbackReceiver, type Behaviour } from "../support/callback-receiver.ts";
import { projectFolder } from "../support/folders.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { Team, type Member } from "../support/team.ts";
import { waitFor } from "../support/wait.ts";

/** Of one worker for one receiver: for its human-input callbacks, and for others. */
const places = { humanInput: 8, others: 8 };

const workers = 2;
const shareOfAll = workers * (places.humanInput + places.others);

/** So many executions call only the one that hangs: more than it has places for their pauses. */
const toHang = 20;

/** So many executions call both receivers: the healthy one for a task and a pause. */
const executions = 40;
const healthyCallbacks = 2 * executions;

describe("callbacks of a team", () => {
  needsPostgres();
  let postgres: TestPostgres;
  let team: Team;
  const hanging = new CallbackReceiver();
  const healthy = new CallbackReceiver();
  before(async () => (postgres = await startPostgres({ isDurable: false })));
  after(async () => {
    await team.stop();
    await hanging.stop();
    await healthy.stop();
    await postgres.stop();
  });

  it("are shared out fairly by receiver over all workers: one that hangs has only its own places", async () => {
    hanging.behave = () => undefined;
    const [toHanging, toHealthy] = [await hanging.start(), await healthy.start()];
    team = Team.of({
      roles: ["api", ...Array.from({ length: workers }, () => "worker" as const)],
      database: await postgres.createDatabase(),
      folder: path.join(projectFolder, "media", "example-crew"),
      args: ["--task-seconds", "0"],
      // Longer than the test: what hangs keeps its place.
      env: () => ({ CREWDECK_CALLBACK_TIMEOUT_MS: "600000" }),
    });
    await team.start();
    const [api] = team.apis;
    const kickoff = (callbacks: object) =>
      api!.kickoff({ inputs: { topic: "tea", audience: "colleagues" }, ...callbacks });
    const stepWebhookUrl = `${toHanging}/step`;
    for (let count = 0; count < toHang; count += 1)
      await kickoff({
        stepWebhookUrl,
        taskWebhookUrl: `${toHanging}/task`,
        humanInputWebhookUrl: `${toHanging}/human`,
      });
    await waitFor("the places of the one that hangs", () => hanging.received.length >= shareOfAll);

    // All workers are needed to call the healthy one so often before it answers.
    const answers: (() => void)[] = [];
    const answer: Behaviour = (response) => void response.writeHead(204).end();
    healthy.behave = (...callback) => answers.push(() => answer(...callback));
    const urls = {
      stepWebhookUrl,
      taskWebhookUrl: `${toHealthy}/task`,
      humanInputWebhookUrl: `${toHealthy}/human`,
    };
    for (let count = 0; count < executions; count += 1) await kickoff(urls);
    await waitFor("the places of the healthy one", () => healthy.received.length >= shareOfAll);
    const begun = performance.now();
    healthy.behave = answer;
    for (const late of answers) late();
    await waitFor("its callbacks", () => healthy.received.length >= healthyCallbacks);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);

    const members = team.members.filter(({ role }) => role === "worker");
    const shares = await waitFor("the count of each worker", async () => {
      const counts = await Promise.all(members.map(deliveredBy));
      return counts.reduce((sum, count) => sum + count, 0) === healthyCallbacks && counts;
    });
    console.log(
      `      ${healthyCallbacks} callbacks in ${seconds} s, by worker: ${shares.join(", ")}`,
    );
    assert.ok(shares.every((count) => count >= places.humanInput + places.others));
    const [ids, hangingIds] = [healthy, hanging].map(
      ({ received }) => new Set(received.map(({ id }) => id)),
    );
    assert.deepEqual([ids?.size, healthy.received.length], [healthyCallbacks, healthyCallbacks]);
    assert.deepEqual([hangingIds?.size, hanging.received.length], [shareOfAll, shareOfAll]);
    assert.equal(hanging.at("/human").length, workers * places.humanInput);
  });
});

/** How many callbacks a worker says that it has delivered. */
async function deliveredBy({ url }: Member): Promise<number> {
  const headers = { Authorization: "Bearer T" };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const counts = text.matchAll(
    /^crewdeck_callback_attempts_total\{.*outcome="delivered".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
