import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, chownSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { mock } from "node:test";
import { promisify } from "node:util";
import postgres from "postgres";
import { change, isLost, rows, type Work } from "../../../src/service/database/database.ts";
import { schema } from "../../../src/service/database/postgres.ts";
import { openPostgresDatabase } from "../../../src/service/database/postgres.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { CrewApi } from "../../support/crew-api.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { isCi } from "../../support/needs.ts";
import { type TestPostgres, withPostgres } from "../../support/postgres.ts";
import { waitFor, within } from "../../support/wait.ts";
import { type HarnessOptions, inputs, openOn, secretKey } from "./support.ts";

const run = promisify(execFile);

describe("service: faults on Postgres", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));
  let url: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    url = await server.createDatabase();
  });
  afterEach(async () => {
    // What was opened last may need what was opened first.
    for (const close of closing.splice(0).reverse()) await within("the clean-up", close());
  });

  /** A process that serves one crew. */
  async function open(options: HarnessOptions = {}) {
    const log: string[] = [];
    const note = (line: string) => void log.push(line);
    const storage = await within(
      "the database",
      openStorage({ url, connections: 5 }, secretKey, note),
    );
    const { service, app } = openOn(storage, note, options);
    closing.push(() => service.close());
    const api = new CrewApi(
      { url: `http://localhost/${options.name ?? ""}`, token: "T" },
      (path, init) => within(`the answer of ${path}`, app.request(path, init)),
    );
    return { service, log, api, kickoff: () => api.kickoff({ inputs }) };
  }

  function connect(address = url) {
    const sql = postgres(address, { max: 1, onnotice: () => undefined });
    closing.push(() => sql.end());
    return sql;
  }

  /** A storage whose connections can be dropped. */
  async function openThroughProxy() {
    const proxy = await CuttingProxy.start(server.port);
    const place = { url: proxy.through(url), connections: 5 };
    const storage = await openStorage(place, secretKey, () => undefined);
    closing.push(async () => {
      await storage.database.close();
      await proxy.stop();
    });
    return { proxy, ...storage };
  }

  /** Has a change of a table refused, as by a full disk. */
  async function refuse(change: string, table: string) {
    const sql = connect();
    await sql.unsafe(`
      CREATE SEQUENCE refused;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('public.refused'); RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE ${change} ON ${schema}.${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
    return {
      refusals: () =>
        waitFor("refusals", async () => {
          const [row] = await sql`SELECT last_value FROM refused`;
          return Number(row?.["last_value"]) >= 3;
        }),
      free: () => sql.unsafe(`DROP TRIGGER full_disk ON ${schema}.${table}`),
    };
  }

  it("every query and every transaction ends, whole or not at all, however often Postgres crashes", async () => {
    const database = await openPostgresDatabase(url, 5, () => undefined);
    closing.push(() => database.close());
    await database.query(change("CREATE TABLE entries (amount INTEGER)"));
    const balanced = function* (): Work<void> {
      yield* change("INSERT INTO entries VALUES (1)");
      yield* change("INSERT INTO entries VALUES (-1)");
    };
    const works = [
      ...Array.from(
        { length: 30 },
        () => () => database.query(rows("SELECT amount FROM entries LIMIT 1000")),
      ),
      ...Array.from({ length: 10 }, () => () => database.transaction(balanced)),
    ];
    const counts = works.map(() => 0);
    let isOver = false;
    const loops = works.map(async (work, index) => {
      while (!isOver)
        try {
          await work();
          counts[index] = (counts[index] ?? 0) + 1;
        } catch (error) {
          if (!isLost(error)) throw error;
        }
    });
    const untilAllGoOn = async () => {
      const before = [...counts];
      const goOn = waitFor("all of them to go on", () =>
        counts.every((count, index) => count > (before[index] ?? 0)),
      );
      // One of them fails only with an error that isn't of a lost connection.
      await Promise.race([goOn, ...loops]);
    };
    await untilAllGoOn();
    for (let crashes = 0; crashes < 3; crashes += 1) {
      await server.restart();
      await untilAllGoOn();
    }
    isOver = true;
    await Promise.all(loops);
    const sum = await database.query(rows("SELECT sum(amount) AS sum FROM entries"));
    assert.deepEqual(Array.from(sum), [{ sum: 0 }]);
  });

  it("one connection hears notices again after a loss, also if connecting takes long", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    atEndOfTest(() => mock.timers.reset());
    const { proxy } = await openThroughProxy();
    let [listens, checks] = [0, 0];
    proxy.onQuery = (sql) => {
      if (sql.startsWith("LISTEN")) listens += 1;
      if (!sql.includes("clock_timestamp")) return undefined;
      if (listens > 0) checks += 1;
      return listens > 0 ? undefined : "before";
    };
    await waitFor("the next check", () => {
      mock.timers.tick(5000);
      mock.timers.tick(5000);
      return checks > 0;
    });
    assert.equal(listens, 1);
  });

  it("an error's text may be anything", async () => {
    const engine: Engine = {
      ...rehearsalEngine(0),
      run: () => Promise.reject(new Error("\0 and \ud800")),
    };
    const { service, api, kickoff } = await open({ engine });
    await service.work();
    const id = await kickoff();
    assert.match(
      JSON.stringify(await api.untilEnded(id)),
      /Task execution failed: \ufffd and \ufffd/,
    );
  });

  it("a full disk ends no execution whose output was approved", async () => {
    const { service, log, api, kickoff } = await open();
    await service.work();
    const id = await kickoff();
    await api.untilWaiting(id);
    const disk = await refuse("UPDATE OF turn", "executions");
    assert.equal((await api.resume(id, "draft", true)).status, 200);
    await disk.refusals();
    await disk.free();
    assert.equal((await api.untilEnded(id)).status, "completed");
    assert.match(
      log.join("\n"),
      /^An execution waits until the database can be used: error: full$/,
    );
  });

  describe("a disk that is really full", () => {
    let disk: string;
    before(async function () {
      disk = temporaryFolder("full-disk");
      const problem = await mountDisk(disk);
      if (problem === undefined) return;
      if (isCi && process.getuid?.() === 0) throw new Error(problem);
      console.log(`      skipped: ${problem}`);
      this.skip();
    });
    after(async () => {
      // Nothing is mounted where the test was skipped. After a failure, Postgres may still use it.
      await run("umount", ["--lazy", disk]).catch(() => undefined);
    });

    it("refuses kickoffs in words; what was accepted goes on when there is space", async () => {
      const admin = connect(server.url);
      const [row] = await admin`SHOW data_directory`;
      const { uid, gid } = statSync(String(row?.["data_directory"]));
      chownSync(disk, uid, gid);
      await admin.unsafe(`CREATE TABLESPACE small LOCATION '${disk}'`);
      closing.push(() => admin`DROP TABLESPACE small`.execute());
      await admin`CREATE DATABASE on_small_disk TABLESPACE small`;
      closing.push(() => admin`DROP DATABASE on_small_disk WITH (FORCE)`.execute());
      url = server.url.replace(/postgres$/, "on_small_disk");
      const { service, api, kickoff } = await open();
      await service.work();
      const first = await kickoff();
      await api.untilWaiting(first);
      const filler = path.join(disk, "filler");
      // The service ends when it has stored what it has begun.
      closing.push(() => rm(filler, { force: true }));
      fill(filler);
      const accepted = [first];
      const large = { inputs: { ...inputs, topic: randomBytes(200_000).toString("hex") } };
      const refusal = await waitFor("a refusal", async () => {
        const answer = await api.post("/kickoff", large);
        // A new connection to Postgres may need some space, too.
        if (answer.status === 503) return false;
        if (answer.status !== 200) return answer;
        accepted.push((answer.body as { kickoff_id: string }).kickoff_id);
        return false;
      });
      assert.equal(refusal.status, 500);
      assert.match(JSON.stringify(refusal.body), /The disk that keeps the service's data is full/);
      // A little may still fit.
      const early = await api.resume(first, "draft", true);
      assert.ok([200, 500, 503].includes(early.status), `${early.status}`);
      rmSync(filler);
      const [found] = await connect().unsafe(`SELECT count(*) AS count FROM ${schema}.executions`);
      assert.equal(Number(found?.["count"]), accepted.length);
      accepted.push(await kickoff());
      for (const id of accepted.slice(early.status === 200 ? 1 : 0)) {
        await api.untilWaiting(id);
        assert.equal((await api.resume(id, "draft", true)).status, 200);
      }
      for (const id of accepted) assert.equal((await api.untilEnded(id)).status, "completed");
    });
  });

  it("an execution waits for a process that serves its crew", async () => {
    const [old, next] = [await open({ name: "old" }), await open({ name: "next" })];
    const id = await next.kickoff();
    await old.service.work();
    assert.deepEqual(old.log, ['Executions of the crew "next" wait for a process that serves it.']);
    await next.service.work();
    await next.api.untilWaiting(id);
    assert.equal(old.log.length, 1);
  });

  it("a process removes the files of an execution that ended in another one", async () => {
    const rested: (readonly [string, boolean])[] = [];
    const rest: Engine["rest"] = (...what) => rested.push(what);
    await open({ engine: { ...rehearsalEngine(0), rest } });
    const sql = connect();
    await sql.notify("crewdeck", JSON.stringify({ kind: "ended", executionId: "one" }));
    await waitFor("the notice", () => rested.length > 0);
    assert.deepEqual(rested, [["one", true]]);
  });

  it("a process ends in order though Postgres does not answer", async () => {
    let end: ((error: Error) => void) | undefined;
    const run = () => new Promise<never>((_, reject) => (end = reject));
    const { service, log, kickoff } = await open({ engine: { name: "endless", run } });
    await service.work();
    await kickoff();
    const fail = await waitFor("the attempt", () => end);
    server.pause(true);
    try {
      let hasEnded = false;
      void service.drain(0).then(() => (hasEnded = true));
      await waitFor("its end", () => hasEnded);
    } finally {
      server.pause(false);
      fail(new Error("The test has ended."));
    }
    assert.deepEqual(log, [
      "Running executions could not be given back: The database does not answer.",
    ]);
  });
});

/** A disk of its own for a folder. Resolves to why there can be none here. */
async function mountDisk(folder: string): Promise<string | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "Only root can make a small disk, on Linux.";
  return await run("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", folder]).then(
    () => undefined,
    (error: unknown) => `No small disk can be made: ${String(error)}`,
  );
}

/** Writes a file until the disk is full. */
function fill(file: string): void {
  for (const size of [1_048_576, 4096])
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      assert.match(String(error), /ENOSPC/);
    }
}
