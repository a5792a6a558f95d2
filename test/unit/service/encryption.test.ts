import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { keyPlace, openCipher } from "../../../src/service/encryption.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { harness, inputs, onPostgres, restart, serve } from "./support.ts";

const secrets = ["bearer-of-kickoff", "password-of-kickoff", "bearer-of-resume", "/secret-path"];
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
      url: `${base}/secret-path`,
      authentication: { strategy: "basic", username: "name", password: `password-of-${when}` },
    },
    webhooks: {
      url: `${base}/stream`,
      events: ["crew_kickoff_completed"],
      realtime: true,
      authentication: { strategy: "bearer", token: `bearer-of-${when}` },
    },
  });
  const begin = () => harness.kickoffUntilWaiting({ inputs, ...callbacks("kickoff") });
  const refuseAll = () => (receiver.behave = (response) => response.writeHead(503).end());
  /** Secrets in the database, and in any file of the data folder. */
  const found = async () => {
    const stored = await harness.sql(
      `SELECT callbacks AS value FROM executions UNION ALL SELECT callbacks FROM attempts
       UNION ALL SELECT url FROM deliveries UNION ALL SELECT "authorization" FROM deliveries`,
    );
    const files = onPostgres ? [] : readdirSync(harness.folder);
    const texts = [
      JSON.stringify(stored),
      ...files.map((name) => readFileSync(path.join(harness.folder, name), "latin1")),
    ];
    return secrets.filter((secret) =>
      texts.some((text) => text.includes(secret) || text.includes(basic(secret))),
    );
  };
  const untilReported = () =>
    waitFor("the last callback", () =>
      receiver
        .at("/stream")
        .find(({ headers }) => headers.authorization === "Bearer bearer-of-resume"),
    );

  it("are stored encrypted, survive restarts, and are sent", async () => {
    refuseAll();
    await serve();
    const id = await begin();
    assert.deepEqual(await found(), []);
    await restart();
    await harness.approve(id, "", callbacks("resume"));
    await restart();
    assert.deepEqual(await found(), []);
    receiver.behave = (response) => response.writeHead(204).end();
    await untilReported();
    const human = await waitFor("the first callback", () => receiver.at("/secret-path").at(-1));
    assert.equal(human.headers.authorization, `Basic ${basic("password-of-kickoff")}`);
  });

  it("are deleted at the end of an execution, and of a callback that has arrived or was given up; they are never logged, even those that a header can't contain", async () => {
    refuseAll();
    await serve({ callbackBackoffMs: 1 });
    const refused = await begin();
    const authentication = { strategy: "bearer", token: "bearer-of-kickoff\nand more" };
    const events = ["crew_kickoff_started"];
    const webhooks = { ...callbacks("kickoff").webhooks, events, authentication };
    const unfit = await harness.kickoffUntilWaiting({ inputs, webhooks });
    await harness.approve(refused, "", callbacks("resume"));
    await harness.approve(unfit);
    await waitFor(
      "all callbacks to be given up",
      () => harness.log.filter((line) => line.includes("given up")).length === 3,
    );
    assert.match(harness.log.join("\n"), /Invalid character in header content \["Authorization"\]/);
    assert.doesNotMatch(harness.log.join("\n"), /(bearer|password)-of/);
    const left = await harness.sql(
      `SELECT callbacks AS value FROM executions WHERE callbacks <> '{}'
       UNION ALL SELECT callbacks FROM attempts WHERE callbacks IS NOT NULL
       UNION ALL SELECT url FROM deliveries WHERE url <> '' OR "authorization" IS NOT NULL`,
    );
    assert.deepEqual(left, []);
  });

  it("of an earlier version are encrypted at the first start", async () => {
    refuseAll();
    await serve();
    const id = await begin();
    const target = { url: `${base}/stream`, authorization: "Bearer bearer-of-kickoff" };
    const stored = JSON.stringify({ stream: { ...target, events: ["crew_kickoff_completed"] } });
    await restart(
      {},
      "DELETE FROM secret_check",
      `UPDATE executions SET callbacks = '${stored}'`,
      `UPDATE deliveries SET url = '${base}/secret-path', "authorization" = 'Basic ${basic("password-of-kickoff")}'`,
    );
    receiver.behave = (response) => response.writeHead(204).end();
    const human = await waitFor("the callback", () => receiver.at("/secret-path").at(-1));
    assert.equal(human.headers.authorization, `Basic ${basic("password-of-kickoff")}`);
    const plain = await harness.sql(
      `SELECT 1 AS found FROM executions WHERE callbacks LIKE '{"%' UNION ALL SELECT 1 FROM deliveries WHERE url LIKE 'http%'`,
    );
    assert.deepEqual(plain, []);
    await harness.approve(id, "", callbacks("resume"));
    await untilReported();
  });

  it("need the key with which they were encrypted; once the database's check is deleted, they are given up and executions go on", async () => {
    refuseAll();
    await serve();
    const id = await begin();
    const { database } = harness;
    const key = Buffer.alloc(32, 1).toString("base64");
    const folder = temporaryFolder("key");
    for (const [place, words] of [
      [
        keyPlace(folder, { CREWDECK_SECRET_KEY: key }),
        /another key than that of CREWDECK_SECRET_KEY/,
      ],
      [keyPlace(folder, {}), /a key that isn't in .*secret\.key\. Put the key back there/],
    ] as const)
      await assert.rejects(
        database.transaction(() => openCipher(place)),
        words,
      );
    assert.deepEqual(readdirSync(folder), []);
    await restart({}, "DELETE FROM secret_check");
    const [status] = (await harness.status(id)).undelivered_callbacks ?? [];
    assert.match(status?.error ?? "", /The key of its address is lost/);
    await harness.approve(id, "", callbacks("resume"));
    assert.deepEqual(await found(), []);
  });

  it("have a key in a file that only its user can read, or in the environment", () => {
    const folder = path.join(temporaryFolder("key"), "data");
    const place = keyPlace(folder, {});
    assert.equal(place.read(), undefined);
    const key = place.make();
    const file = path.join(folder, "secret.key");
    assert.deepEqual(place.read(), key);
    if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(place.make(), key);
    const env = { CREWDECK_SECRET_KEY: Buffer.alloc(32, 1).toString("base64") };
    assert.deepEqual(keyPlace(folder, env).read(), Buffer.alloc(32, 1));
    assert.throws(
      () => keyPlace(folder, { CREWDECK_SECRET_KEY: "short" }).read(),
      /CREWDECK_SECRET_KEY is no key\. Expected 32 random bytes in Base64/,
    );
  });

  it("refuse a service whose key can't be read", async () => {
    const folder = temporaryFolder("key");
    mkdirSync(path.join(folder, "secret.key"));
    const place = { file: path.join(folder, "crewdeck.sqlite") };
    await assert.rejects(
      openStorage(place, keyPlace(folder, {}), () => undefined),
      /^Refusal: .*crewdeck\.sqlite can't be used: EISDIR/,
    );
  });
});
