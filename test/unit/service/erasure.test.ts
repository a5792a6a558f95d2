import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { createErasure, marking } from "../../../src/service/database/sqlite.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { waitFor } from "../../support/wait.ts";
import { harness, inputs, openHarness, restart, serve, workAgain } from "./support.ts";

const secrets = [
  "bearer-of-kickoff",
  "password-of-kickoff",
  "bearer-of-resume",
  "password-of-resume",
];
const basic = (password: string) => Buffer.from(`name:${password}`).toString("base64");

describe("service: secrets of callbacks", () => {
  const receiver = new CallbackReceiver();
  let base: string;
  before(async () => (base = await receiver.start()));
  afterEach(() => {
    receiver.behave = (response) => response.writeHead(204).end();
    receiver.received.length = 0;
  });
  after(() => receiver.stop());

  const callbacks = (when: "kickoff" | "resume") => ({
    humanInputWebhook: {
      url: `${base}/human`,
      authentication: { strategy: "basic", username: "name", password: `password-of-${when}` },
    },
    webhooks: {
      url: `${base}/stream`,
      events: ["crew_kickoff_completed"],
      realtime: true,
      authentication: { strategy: "bearer", token: `bearer-of-${when}` },
    },
  });
  /** Secrets in any file of the data folder. */
  const found = () => {
    const files = readdirSync(harness.folder).map((name) =>
      readFileSync(path.join(harness.folder, name)),
    );
    return secrets.filter((secret) =>
      files.some((file) => file.includes(secret) || file.includes(basic(secret))),
    );
  };
  const untilErased = () => waitFor("the secrets to be erased", () => found().length === 0);
  const begin = async () => {
    const id = await harness.kickoffUntilWaiting({ inputs, ...callbacks("kickoff") });
    return id;
  };
  const untilReported = () =>
    waitFor("the last callback", () =>
      receiver
        .at("/stream")
        .find(({ headers }) => headers.authorization === "Bearer bearer-of-resume"),
    );

  it("are kept until the execution has ended and its last callback was delivered, and then erased from all files", async () => {
    let refuses = true;
    receiver.behave = (response, { path: to }) =>
      response.writeHead(refuses && to === "/stream" ? 503 : 204).end();
    await serve();
    const id = await begin();
    assert.deepEqual(found(), secrets.slice(0, 2));
    await harness.approve(id, "", callbacks("resume"));
    await waitFor("the secrets of the ended execution to be erased", () => found().length === 1);
    assert.deepEqual(found(), ["bearer-of-resume"]);
    refuses = false;
    await untilReported();
    await untilErased();
    const database = openSqlite(path.join(harness.folder, "crewdeck.sqlite"));
    const isMarked = () => database.prepare("PRAGMA user_version").get()?.["user_version"] !== 0;
    await waitFor("their copies to be erased", () => !isMarked());
    database.close();
  });

  it("are erased when the last callback was given up, and never logged, even those that a header can't contain", async () => {
    receiver.behave = (response) => response.writeHead(503).end();
    await serve({ callbackBackoffMs: 1 });
    const refused = await begin();
    const authentication = { strategy: "bearer", token: "bearer-of-kickoff\nand more" };
    const unfit = await harness.kickoffUntilWaiting({
      inputs,
      webhooks: {
        ...callbacks("kickoff").webhooks,
        events: ["crew_kickoff_started"],
        authentication,
      },
    });
    await harness.resume(refused, true, "", callbacks("resume"));
    await harness.resume(unfit, true, "");
    await waitFor(
      "all callbacks to be given up",
      () => harness.log.filter((line) => line.includes("given up")).length === 3,
    );
    assert.match(harness.log.join("\n"), /a header can't contain/);
    assert.doesNotMatch(harness.log.join("\n"), /(bearer|password)-of/);
    await untilErased();
  });

  it("survive restarts while they are needed, and are sent", async () => {
    let refuses = true;
    receiver.behave = (response) => response.writeHead(refuses ? 503 : 204).end();
    await serve();
    const id = await begin();
    await restart();
    await harness.approve(id, "", callbacks("resume"));
    await restart();
    refuses = false;
    await untilReported();
    const human = await waitFor("the first callback", () => receiver.at("/human")[0]);
    assert.equal(human.headers.authorization, `Basic ${basic("password-of-kickoff")}`);
    await untilErased();
  });

  it("are erased if the service was killed right after the end", async () => {
    await serve();
    await begin();
    await restart({}, "UPDATE executions SET state = 'completed', ended_at = 1", workAgain);
    await untilErased();
  });

  it("are erased from the database's log at once when the service ends, and soon if it is being read", async () => {
    openHarness();
    const file = path.join(harness.folder, "other.sqlite");
    const database = openSqlite(file);
    const reader = openSqlite(file);
    const erasure = createErasure(database, (line) => assert.fail(line));
    database.exec(
      "PRAGMA journal_mode = WAL; CREATE TABLE t (secret TEXT); INSERT INTO t VALUES ('bearer-of-kickoff')",
    );
    reader.exec("BEGIN; SELECT * FROM t");
    database.exec("DELETE FROM t");
    erasure.run();
    assert.deepEqual(found(), ["bearer-of-kickoff"]);
    reader.exec("COMMIT");
    await untilErased();
    database.exec("INSERT INTO t VALUES ('bearer-of-resume'); DELETE FROM t");
    assert.deepEqual(found(), ["bearer-of-resume"]);
    erasure.run();
    assert.deepEqual(found(), []);
    reader.close();
    database.close();
  });

  it("are erased where SQLite has left copies of them, at the next start after a kill", () => {
    openHarness();
    const database = openSqlite(path.join(harness.folder, "other.sqlite"));
    const erase = () => createErasure(database, (line) => assert.fail(line)).run();
    database.exec(
      "PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; CREATE TABLE t (id TEXT PRIMARY KEY, secret TEXT, other TEXT); CREATE TABLE u (id TEXT PRIMARY KEY, secret TEXT) WITHOUT ROWID",
    );
    const idOf = (index: number) => createHash("md5").update(String(index)).digest("hex");
    const [intoT, intoU, grow, forget, forgetU] = [
      "INSERT INTO t VALUES (?, ?, NULL)",
      "INSERT INTO u VALUES (?, ?)",
      "UPDATE t SET other = ? WHERE id = ?",
      "UPDATE t SET secret = '' WHERE id = ?",
      "UPDATE u SET secret = '' WHERE id = ?",
    ].map((sql) => database.prepare(sql));
    for (let index = 0; index < 600; index += 1) {
      const secret = `bearer-of-kickoff-${index}-`;
      intoU?.run(idOf(index), secret.repeat(1 + (index % 7)));
      intoT?.run(idOf(index), secret.repeat(1 + (index % 3)));
      if (index > 5) grow?.run("z".repeat((index * 97) % 2500), idOf(index - 5));
    }
    for (let index = 0; index < 600; index += 1) {
      forget?.run(idOf(index));
      forgetU?.run(idOf(index));
    }
    assert.ok(erase());
    // The reason for the rest: SQLite zeroes what it deletes, but not what it has moved before.
    assert.deepEqual(found(), ["bearer-of-kickoff"]);
    database.exec(marking);
    assert.ok(erase());
    assert.deepEqual(found(), []);
    assert.equal(database.prepare("PRAGMA user_version").get()?.["user_version"], 0);
    database.close();
  });
});
