import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import postgres from "postgres";
import { codeOf } from "../../../src/base/errors.ts";
import {
  change,
  isLost,
  patient,
  row,
  rows,
  tell,
  type Database,
  type Notice,
} from "../../../src/service/database/database.ts";
import {
  openPostgresDatabase,
  type PostgresDatabase,
} from "../../../src/service/database/postgres.ts";
import { version } from "../../../src/service/database/schema.ts";
import { Refusal } from "../../../src/service/errors.ts";
import { projectFolder } from "../../support/folders.ts";
import { type TestPostgres, withPostgres } from "../../support/postgres.ts";
import { waitFor } from "../../support/wait.ts";
import { valuesOf } from "./support.ts";

describe("service: Postgres", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));
  let url: string;
  let log: string[];
  const opened: Database[] = [];
  beforeEach(async () => {
    url = await server.createDatabase();
    log = [];
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });

  async function open(): Promise<PostgresDatabase> {
    const database = await openPostgresDatabase(url, 5, (line) => log.push(line));
    opened.push(database);
    return database;
  }
  const refusalOf = async (address: string): Promise<string> => {
    const error: unknown = await openPostgresDatabase(address, 1, () => undefined).then(
      (database) => database.close(),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.reason, "database");
    return error.message;
  };

  it("has its tables once when ten processes start at once for the first time", async () => {
    await Promise.all(Array.from({ length: 10 }, open));
    const [first] = opened;
    assert.ok(first);
    const versions = await first.query(rows("SELECT version FROM crewdeck_version"));
    assert.deepEqual(
      versions.map((row) => row["version"]),
      [version],
    );
    assert.doesNotMatch(server.log(), /already exists|duplicate key/);
    assert.deepEqual(log, []);
  });

  it("is refused if it is older than Postgres 14", async () => {
    // Only the number of the version is another one.
    const older = createServer((client) => {
      const actual = connect(server.port, "127.0.0.1");
      client.pipe(actual).on("error", () => client.destroy());
      actual.on("data", (bytes) =>
        client.write(
          Buffer.from(bytes.toString("latin1").replace(/1[4-9]00\d\d/g, "130016"), "latin1"),
        ),
      );
      client.on("error", () => actual.destroy()).on("close", () => actual.destroy());
    });
    await once(older.listen(0, "127.0.0.1"), "listening");
    try {
      const address = new URL(url);
      address.port = String((older.address() as AddressInfo).port);
      assert.match(
        await refusalOf(address.href),
        /^The database is Postgres .*\. Use Postgres 14 or newer\.$/,
      );
    } finally {
      older.close();
    }
  });

  it("is refused if a newer version of Crewdeck made it, or one under development", async () => {
    const database = await open();
    await database.query(change("INSERT INTO crewdeck_version (version) VALUES (99)"));
    assert.match(
      await refusalOf(url),
      /made by a newer version of Crewdeck \(its schema is 99, this one knows \d+\)\. Update Crewdeck/,
    );
    await database.query(change("DELETE FROM crewdeck_version WHERE version > 5"));
    await database.query(change("INSERT INTO crewdeck_version (version) VALUES (5)"));
    assert.match(
      await refusalOf(url),
      /under development \(its schema is 5\)\. Use another database/,
    );
  });

  it("is refused in words if it can't be used, without the password", async () => {
    const { password } = new URL(url);
    const changed = (changes: Partial<URL>) => Object.assign(new URL(url), changes).href;
    for (const [address, problem] of [
      [changed({ port: "1" }), /ECONNREFUSED/],
      [changed({ password: "wrong%2Fsecret" }), /password authentication failed/],
      [changed({ pathname: "/missing" }), /database "missing" does not exist/],
    ] as const) {
      const message = await refusalOf(address);
      assert.match(message, /^The database can't be used: /);
      assert.match(message, problem);
      for (const secret of [password, "wrong%2Fsecret", "wrong/secret"])
        assert.ok(!message.includes(secret));
    }
  });

  it("is refused if its user may not make tables, and says what is missing", async () => {
    const sql = postgres(url, { max: 1 });
    await sql.unsafe("CREATE ROLE weak LOGIN PASSWORD 'weak'");
    await sql.end();
    const weak = Object.assign(new URL(url), { username: "weak", password: "weak" }).href;
    const { pathname } = new URL(url);
    assert.equal(
      await refusalOf(weak),
      `The database can't be used: permission denied for database ${pathname.slice(1)}. Its user makes and owns the schema "crewdeck": GRANT CREATE ON DATABASE lets it make one. Or name the user that owns it.`,
    );
  });

  it("stores text with the character 0 readably", async () => {
    const database = await open();
    const read = await database.query(row("SELECT CAST(? AS TEXT) AS text", "a\0b"));
    assert.equal(read?.["text"], "a\u{fffd}b");
  });

  it("has as many connections as it may, and one for notices", async () => {
    const database = await open();
    const asked = Array.from({ length: 100 }, () =>
      database.query(row("SELECT pg_sleep(0.01), CAST(? AS INTEGER) AS one", 1)),
    );
    await Promise.all(asked);
    const [counted] = await database.query(
      rows("SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()"),
    );
    assert.equal(counted?.["count"], 5);
  });

  it("repeats a change that a deadlock prevented", async () => {
    const database = await open();
    await database.query(change("CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER)"));
    await database.query(change("INSERT INTO counts VALUES ('a', 0), ('b', 0)"));
    const add = (name: string) =>
      change("UPDATE counts SET count = count + 1 WHERE name = ?", name);
    let begun = 0;
    const both = (one: string, other: string) =>
      database.transaction(function* () {
        begun += 1;
        yield* add(one);
        // Long enough for the other transaction's first change.
        yield* row("SELECT pg_sleep(0.3)");
        yield* add(other);
      });
    await Promise.all([both("a", "b"), both("b", "a")]);
    const counts = await database.query(rows("SELECT count FROM counts"));
    assert.deepEqual(valuesOf(counts, "count"), [2, 2]);
    assert.ok(begun > 2, "there was a deadlock");
  });

  /** Another process on the same database, which prints the notices that it hears, and sends one when it is asked to. */
  async function otherProcess() {
    const program = `
      import { openPostgresDatabase } from "./src/service/database/postgres.ts";
      import { tell } from "./src/service/database/database.ts";
      const database = await openPostgresDatabase(process.env.URL, 2, () => undefined);
      database.onNotice((notice) => console.log(JSON.stringify(notice)));
      process.stdin.on("data", (id) => database.query(tell({ kind: "ended", executionId: String(id) })));
      console.log("ready");`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: projectFolder,
      env: { ...process.env, URL: url },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await waitFor("the other process", () => output.startsWith("ready\n"));
    return { child, heard: () => output.split("\n").slice(1, -1) };
  }

  it("has notices reach this process and others, each once, also after Postgres restarts", async () => {
    const database = await open();
    const heard: string[] = [];
    database.onNotice((notice) => heard.push(JSON.stringify(notice)));
    const other = await otherProcess();
    try {
      const notice = (executionId: string): Notice => ({ kind: "ended", executionId });
      const from = (executionId: string) => JSON.stringify(notice(executionId));
      await database.query(tell(notice("here")));
      await waitFor("the notice", () => other.heard().length > 0);
      other.child.stdin.write("there");
      await waitFor("the other's notice", () => heard.length > 1);
      // A later notice comes after a repeat.
      other.child.stdin.write("again");
      await waitFor("the other's second notice", () =>
        [heard, other.heard()].every((notices) => notices.includes(from("again"))),
      );
      assert.deepEqual(heard, [from("here"), from("there"), from("again")]);
      assert.deepEqual(other.heard(), heard);

      await server.kill();
      // So that the library fails to connect again at once, and stops to listen.
      await assert.rejects(() => database.query(row("SELECT 1 AS one")), isLost);
      await server.restart();
      const restarted = performance.now();
      await waitFor("a query", () => database.query(row("SELECT 1 AS one")).catch(() => false));
      await waitFor("a notice from there and one from here", () => {
        other.child.stdin.write("late");
        void database.query(tell(notice("late here")));
        return heard.includes(from("late")) && other.heard().includes(from("late here"));
      });
      const seconds = (performance.now() - restarted) / 1000;
      console.log(`      notices came again ${seconds.toFixed(1)} s after the restart`);
      assert.ok(seconds < 60);
    } finally {
      other.child.kill();
    }
  });

  it("fails with an error that says that it is away; a run's queries and changes wait for it", async () => {
    const database = await open();
    const query = () => database.query(row("SELECT 1 AS one"));
    await server.kill();
    try {
      await assert.rejects(query, isLost);
      await assert.rejects(() => database.transaction(() => row("SELECT 1 AS one")), isLost);
    } finally {
      const waiting = Promise.all([
        patient(database, () => undefined).query(row("SELECT 2 AS two")),
        patient(database, () => undefined).transaction(() => row("SELECT 3 AS three")),
      ]);
      await server.restart();
      assert.deepEqual(
        (await waiting).map((found) => ({ ...found })),
        [{ two: 2 }, { three: 3 }],
      );
    }
  });

  it("is also away while it refuses connections for another reason; a run's queries wait", async () => {
    const database = await open();
    const admin = postgres(server.url, { max: 1 });
    const name = new URL(url).pathname.slice(1);
    const allow = (isAllowed: boolean) =>
      admin.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
    const query = () => database.query(row("SELECT 1 AS one"));
    await allow(false);
    try {
      await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
      await waitFor("a refusal", async () => {
        const error: unknown = await query().catch((thrown: unknown) => thrown);
        assert.ok(isLost(error), String(error));
        return codeOf(error) === "55000";
      });
      const waiting = patient(database, () => undefined).query(row("SELECT 2 AS two"));
      await assert.rejects(query, isLost);
      await allow(true);
      assert.deepEqual({ ...(await waiting) }, { two: 2 });
    } finally {
      await admin.end();
    }
  });

  it("refuses what comes after its end, and connects for nothing", async () => {
    const database = await open();
    await database.close();
    await assert.rejects(() => database.transaction(() => row("SELECT 1 AS one")), /is closed/);
    await assert.rejects(
      () => database.query(row("SELECT 1 AS one")),
      (error) => !isLost(error),
    );
    const sql = postgres(server.url, { max: 1 });
    const name = new URL(url).pathname.slice(1);
    const connections = () =>
      sql`SELECT 1 FROM pg_stat_activity WHERE application_name = 'crewdeck' AND datname = ${name}`;
    // Postgres notices the end of a connection a moment later.
    await waitFor("the connections to end", async () => (await connections()).length === 0);
    await sql.end();
  });
});
