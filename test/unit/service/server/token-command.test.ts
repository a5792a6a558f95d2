import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { mock } from "node:test";
import { databaseIn, lockDataFolder } from "../../../../src/service/data-folder.ts";
import { rows, type Database } from "../../../../src/service/database/database.ts";
import { openSqliteDatabase } from "../../../../src/service/database/sqlite.ts";
import { configName, readTokenOptions } from "../../../../src/service/options.ts";
import { runTokenCommand } from "../../../../src/service/server/token-command.ts";
import { addToken, hashOf, openTokens, type Token } from "../../../../src/service/server/tokens.ts";
import { openDatabase } from "../../../../src/service/storage.ts";
import { temporaryFolder } from "../../../support/folders.ts";
import { withPostgres, type TestPostgres } from "../../../support/postgres.ts";
import { waitFor } from "../../../support/wait.ts";

const crews = ["research", "travel"].map((name) => ({ name, folder: name, engine: "rehearsal" }));
const none = () => undefined;

describe("crewdeck token", () => {
  let folder: string;
  let file: string;
  /** Of a server that runs. */
  let database: Database;
  beforeEach(async () => {
    folder = temporaryFolder("tokens");
    file = path.join(folder, configName);
    writeFileSync(file, JSON.stringify({ crews }));
    const data = await lockDataFolder(path.join(folder, "data"));
    data.publish({ url: "http://127.0.0.1:1", port: 1, instance: "i" });
    database = openSqliteDatabase(databaseIn(path.join(folder, "data")));
  });
  afterEach(() => database.close());

  const run = (...args: string[]) =>
    runTokenCommand(
      readTokenOptions([...args, `--data=${path.join(folder, "data")}`], { CREWDECK_CONFIG: file }),
    );
  const add = async (...args: string[]) => (await run("add", ...args)).output.trim();
  it("add prints a new token once and stores its hash; list shows the rest; revoke removes that token alone", async () => {
    assert.deepEqual(await run("list"), { output: "", note: "There are no tokens.\n" });
    const ci = await run("add", "ci", "--crew", "research", "--crew", "travel");
    assert.match(ci.output, /^crew_[\w-]{43}\n$/);
    assert.ok(!String(ci.note).includes(ci.output.trim()));
    const ann = await run("add", "ann@example.com", "--user", "--expires-days", "2");
    assert.match(ann.note ?? "", /^This is the user token .* for all crews, valid until 20/);
    await add("bob");
    const { output } = await run("list");
    const [head, first, second, third] = output.split("\n");
    assert.match(head!, /^NAME +KIND +CREWS +EXPIRES +LAST USED$/);
    assert.match(first!, /^ann@example.com +user +all +20\d\d-\d\d-\d\dT\S+Z +never$/);
    assert.match(second!, /^bob +organization +all +never +never$/);
    assert.match(third!, /^ci +organization +research,travel +never +never$/);
    assert.equal((await run("revoke", "BOB")).note, 'Revoked "BOB".\n');
    assert.doesNotMatch((await run("list")).output, /bob/);
    assert.notEqual(await add("bob"), ci.output.trim());
    const stored = JSON.stringify(await database.query(rows("SELECT * FROM tokens")));
    assert.ok(stored.includes(hashOf(ci.output.trim())) && !stored.includes(ci.output.trim()));
  });

  it("refuses in words, and changes nothing", async () => {
    await add("ci");
    const before = (await run("list")).output;
    for (const [args, message] of [
      [["add", "CI"], 'There is a token "CI" already. Choose another name, or revoke it.'],
      [["add", "x", "--crew", "rome"], `${file} has no crew "rome". Its crews: research, travel.`],
      [["revoke", "nobody"], 'There is no token "nobody". "token list" shows those there are.'],
    ] as const)
      await assert.rejects(run(...args), { name: "Refusal", message });
    for (const name of ["a b", "../x", "-", "x".repeat(65), "a\nb"])
      await assert.rejects(run("add", name), /expected a name of 1 to 64 letters/, name);
    assert.equal((await run("list")).output, before);
    rmSync(file);
    const message = `There is no file ${file}. Name the server's ${configName} with --config.`;
    await assert.rejects(run("list"), { name: "Refusal", message });
  });
});

describe("The tokens of a server", () => {
  const token = (name: string, more: Partial<Token> = {}): Token => ({
    ...{ name, kind: "user", crews: "all", hash: hashOf(`of ${name}`) },
    ...more,
  });
  const openFile = () =>
    openSqliteDatabase(path.join(temporaryFolder("tokens"), "crewdeck.sqlite"));

  it("are found by the whole token, until they expire", async () => {
    const database = { ...openFile() };
    let now = 1000;
    database.now = () => now;
    await database.transaction(() => addToken(token("ann", { expiresAt: 2000 })));
    const tokens = await openTokens(database, none);
    assert.equal(tokens.find("of ann")?.name, "ann");
    for (const wrong of [undefined, "", "of an", "of ann ", hashOf("of ann")])
      assert.equal(tokens.find(wrong), undefined);
    now = 2000;
    assert.equal(tokens.find("of ann"), undefined);
    await database.close();
  });

  it("note at most once a minute that one was used, and say if they can't", async () => {
    const database = { ...openFile() };
    await database.transaction(() => addToken(token("ann")));
    const log: string[] = [];
    const tokens = await openTokens(database, (line) => log.push(line));
    database.query = () => Promise.reject(new Error("the disk is full"));
    for (const name of ["ann", "ann", "cy"]) tokens.noteUse(token(name));
    await waitFor("the log", () => log.length === 2);
    assert.deepEqual(
      log,
      ["ann", "cy"].map(
        (name) => `The last use of the token "${name}" could not be noted: the disk is full`,
      ),
    );
    await database.close();
  });
});

describe("The tokens of a server with Postgres", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));

  it("are changed in all processes", async () => {
    const url = await server.createDatabase();
    const open = async (): Promise<Database> => openDatabase({ url, connections: 4 }, none);
    const processes = [await open(), await open()];
    try {
      const folder = temporaryFolder("tokens");
      const file = path.join(folder, configName);
      writeFileSync(file, JSON.stringify({ crews }));
      const env = { CREWDECK_CONFIG: file, CREWDECK_DATABASE: url };
      const run = (...args: string[]) => runTokenCommand(readTokenOptions(args, env));
      mock.timers.enable({ apis: ["setInterval"] });
      const all = await Promise.all(processes.map((each) => openTokens(each, none)));
      const secret = (await run("add", "new", "--crew", "travel")).output.trim();
      const isKnown = (expected: boolean) => () =>
        all.every((tokens) => (tokens.find(secret) !== undefined) === expected);
      mock.timers.tick(1000);
      await waitFor("the new token", isKnown(true));
      assert.deepEqual(all[1]?.find(secret)?.crews, ["travel"]);
      await run("revoke", "new");
      mock.timers.tick(1000);
      await waitFor("the revocation", isKnown(false));
    } finally {
      mock.timers.reset();
      for (const each of processes) await each.close();
    }
  });
});
