import assert from "node:assert/strict";
import postgres from "postgres";
import { readStatus } from "../../../src/api/read-status.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { CrewApi, type DocumentedStatus } from "../../support/crew-api.ts";
import { CuttingProxy, type Cut } from "../../support/cutting-proxy.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { waitFor } from "../../support/wait.ts";
import { inputs, openOn, secretKey } from "./support.ts";

/** A lost claim runs out after 30 s, and everything else is repeated at once (ms). */
const longestStory = 27_000;

/** How many services tell stories at once: with more, each step takes longer. */
const lanes = 6;

/** A service whose connections to Postgres can be dropped. */
async function openLane(server: TestPostgres) {
  const proxy = await CuttingProxy.start(server.port);
  const database = await server.createDatabase();
  const runs: string[] = [];
  const rehearsal = rehearsalEngine(0);
  const engine: Engine = {
    ...rehearsal,
    run: (attempt, report) => {
      runs.push(`${attempt.executionId} ${attempt.task.id} ${attempt.attempt}`);
      return rehearsal.run(attempt, report);
    },
  };
  const place = { url: proxy.through(database), connections: 8 };
  const storage = await openStorage(place, secretKey, () => undefined);
  const { service, app } = openOn(storage, () => undefined, { engine });
  await service.work();
  return {
    proxy,
    runs,
    api: new CrewApi({ url: "http://localhost", token: "T" }, app.request),
    /** Ends the leases of callbacks, as time does: those whose take got no answer are sent. */
    async endLeases() {
      const sql = postgres(database, { max: 1 });
      await sql`UPDATE crewdeck.deliveries SET due = 0 WHERE state = 'pending'`;
      await sql.end();
    },
    async end() {
      await service.close();
      await proxy.stop();
    },
  };
}
type Lane = Awaited<ReturnType<typeof openLane>>;

describe("service: a connection to Postgres that is dropped", () => {
  needsPostgres();
  let server: TestPostgres;
  let receiver: CallbackReceiver;
  let base: string;
  const open: Lane[] = [];
  before(async () => {
    server = await startPostgres({ isDurable: false });
    receiver = new CallbackReceiver();
    base = await receiver.start();
    for (let count = 0; count < lanes; count += 1) open.push(await openLane(server));
  });
  after(async () => {
    for (const lane of open) await lane.end();
    await receiver.stop();
    await server.stop();
  });

  /** As a person does it, who repeats what failed after a look at the status. Resolves to its outcome. */
  async function tellStory(lane: Lane, path: string) {
    const crewWebhookUrl = base + path;
    const started = await waitFor("a kickoff", async () => {
      const { status, body } = await lane.api.post("/kickoff", { inputs, crewWebhookUrl });
      return status === 200 && (body as { readonly kickoff_id: string });
    });
    const id = started.kickoff_id;
    const until = (what: string, isIt: (status: DocumentedStatus) => boolean) =>
      waitFor(
        what,
        async () => {
          const { status, body } = await lane.api.get(`/${id}/status`);
          return status === 200 && isIt(body as DocumentedStatus) && (body as DocumentedStatus);
        },
        longestStory,
      );
    const isAt = (attempt: number) => (status: DocumentedStatus) =>
      status.pending_human_input?.attempt === attempt;
    for (const attempt of [1, 2]) {
      await until(`attempt ${attempt}`, isAt(attempt));
      const decide = () =>
        lane.api.resume(id, "draft", attempt === 2, `about ${attempt}`, { crewWebhookUrl });
      await waitFor("the decision", async () => {
        if ((await decide()).status === 200) return true;
        return !isAt(attempt)(await until("a status", () => true));
      });
    }
    const ended = await until("the end", ({ status }) => status !== "running");
    const prefix = `${id} `;
    return {
      ...{ state: ended.status, error: ended.error, output: ended.result?.output },
      events: readStatus(ended).events?.map(({ type }) => type),
      runs: lane.runs.filter((run) => run.startsWith(prefix)).map((run) => run.slice(37)),
    };
  }

  it("loses and repeats nothing of an execution, at each of its statements", async () => {
    const begun = performance.now();
    const counts = new Map<string, number>();
    const [first] = open;
    assert.ok(first);
    first.proxy.onQuery = (sql) => void counts.set(sql, (counts.get(sql) ?? 0) + 1);
    const expected = await tellStory(first, "/whole");
    first.proxy.onQuery = () => undefined;
    assert.deepEqual(
      [expected.state, expected.runs],
      ["completed", ["research 1", "draft 1", "draft 2", "polish 1"]],
    );
    // Each statement, and of those that are sent more often the first and the last time.
    const drops = [...counts].flatMap(([sql, count]) =>
      [...new Set([1, count])].flatMap((which) =>
        (["before", "after"] as const).map((cut) => ({ sql, which, cut })),
      ),
    );
    const left = drops.entries();
    let hit = 0;
    await Promise.all(
      open.map(async (lane) => {
        for (const [index, { sql, which, cut }] of left) {
          let count = 0;
          lane.proxy.onQuery = (sent): Cut | undefined => {
            if (sent !== sql || (count += 1) !== which) return undefined;
            hit += 1;
            return cut;
          };
          const where = `Dropped ${cut} no. ${which} of ${sql}`;
          const outcome = await tellStory(lane, `/${index}`).catch((error: unknown) =>
            assert.fail(`${where}: ${String(error)}`),
          );
          assert.deepEqual(outcome, expected, where);
        }
      }),
    );
    // A callback may be sent again, but only when a sender that still lived would have given up.
    for (const lane of open) await lane.endLeases();
    for (const index of drops.keys())
      await waitFor("the callbacks", () => receiver.at(`/${index}`).length > 0);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(
      `      ${hit} of ${drops.length} drops at ${counts.size} statements in ${seconds} s`,
    );
    // How often a service looks for work varies.
    assert.ok(hit > 0.6 * drops.length, `${hit} of ${drops.length}`);
    // Each step has its own limit; there are more than a thousand.
  }).timeout(1_800_000);
});
