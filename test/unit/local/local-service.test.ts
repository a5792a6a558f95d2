import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { windowProtocol } from "../../../src/base/window-protocol.ts";
import type { ProjectRecords } from "../../../src/local/records.ts";
import { findRunning, ServiceError } from "../../../src/local/service-process.ts";
import { CrewApi } from "../../support/crew-api.ts";
import { HttpServer } from "../../support/http-server.ts";
import { signal } from "../../support/processes.ts";
import { waitFor } from "../../support/wait.ts";
import { crewFolder, crewId, MemoryTokens, newMachine, Window } from "./support.ts";

async function accepts(url: string, token: string | undefined): Promise<boolean> {
  return (await new CrewApi({ url, token: token ?? "" }).get("/inputs")).status === 200;
}

describe("keeping a local crew served", () => {
  let records: ProjectRecords;
  let tokens: MemoryTokens;
  const open = (more?: ConstructorParameters<typeof Window>[2]) =>
    new Window(records, tokens, more);

  beforeEach(async () => ({ records, tokens } = await newMachine()));

  it("starts it, keeps its tokens and port, and starts it once however often it is called", async () => {
    const window = open();
    const [url, again] = await Promise.all([window.serve(), window.serve()]);
    assert.equal(url, again);
    assert.equal(await window.serve(), url);
    assert.equal(window.launches, 1);
    assert.equal(window.url, url);
    assert.deepEqual(records.read(crewFolder), {
      folder: crewFolder,
      name: "Crew",
      port: Number(new URL(url).port),
      wanted: true,
      engine: "rehearsal",
    });
    const kept = tokens.kept.get(crewId);
    assert.equal(kept?.inUse, "bearer");
    assert.match(kept.bearer ?? "", /^[\w-]{43}$/);
    assert.ok(await accepts(url, kept.bearer));
  });

  it("the service stays when its window closes, and the next window uses it with the same token", async () => {
    const first = open();
    const url = await first.serve();
    first.dispose();
    const next = open();
    await next.join();
    assert.equal(next.url, url);
    assert.equal(await next.serve(), url);
    assert.equal(next.launches, 0);
    assert.equal(next.connection?.running.pid, first.launched[0]?.pid);
    assert.deepEqual([first.ends, next.ends, records.read(crewFolder)?.wanted], [0, 0, true]);
  });

  it("in a browser that has forgotten the secrets, the next window has the token from a file of this user", async () => {
    const file = path.join(records.dataFolder(crewFolder), "tokens.json");
    const first = open({ hasTokenFile: true });
    const url = await first.serve();
    first.dispose();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const forgotten = new MemoryTokens();
    const next = new Window(records, forgotten, { hasTokenFile: true });
    assert.equal(await next.serve(), url);
    assert.equal(next.launches, 0);
    assert.deepEqual(forgotten.kept.get(crewId), tokens.kept.get(crewId));
  });

  it("uses another port if another program has its port", async () => {
    const stranger = new HttpServer(() => undefined);
    await stranger.start();
    const taken = stranger.port;
    records.change(crewFolder, { port: taken });
    const url = await open().serve();
    assert.notEqual(new URL(url).port, String(taken));
    assert.equal(records.read(crewFolder)?.port, Number(new URL(url).port));
  });

  it("windows that start it at once have one service, with one token", async () => {
    const windows = [1, 2, 3].map(() => open());
    const urls = await Promise.all(windows.map((window) => window.serve()));
    assert.equal(new Set(urls).size, 1);
    assert.equal(windows.flatMap(({ launched }) => launched).length, 1);
    const connected = windows.map(({ connection }) => connection?.running.pid);
    assert.equal(new Set(connected).size, 1);
    assert.ok(await accepts(urls[0] ?? "", tokens.kept.get(crewId)?.bearer));
  });

  it("that it ended by itself is reported in one window, and no window that is open restarts it", async () => {
    const windows = [open(), open()];
    let url = "";
    for (const window of windows) url = await window.serve();
    signal(windows[0]?.launched[0]?.pid ?? 0, "SIGKILL");
    await waitFor("both to know", () => windows.every(({ url }) => url === undefined));
    await waitFor("the report", () => windows.some(({ ends }) => ends > 0));
    assert.deepEqual(windows.map(({ ends }) => ends).sort(), [0, 1]);
    assert.equal(records.read(crewFolder)?.failure, "It ended unexpectedly.");
    assert.equal(await windows[1]?.serve(), url, "at the same address");
    assert.equal(records.read(crewFolder)?.failure, undefined);
  });

  it("one that leaves as it is found is started again", async () => {
    tokens.kept.set(crewId, { inUse: "bearer", bearer: "T", userBearer: "U" });
    const published = path.join(records.dataFolder(crewFolder), "service.json");
    const leaving = new HttpServer((request, response) => {
      if (request.method !== "HEAD") return void response.destroy();
      rmSync(published);
      response.setHeader("crewdeck-instance", "1").end();
    });
    const url = await leaving.start();
    const about = { url, pid: process.pid, instance: "1", protocol: windowProtocol };
    writeFileSync(published, JSON.stringify(about));
    const window = open();
    assert.notEqual(await window.serve(), url);
    assert.equal(window.launches, 1);
  });

  it("is stopped by any window, also by one that doesn't use it, and stays stopped", async () => {
    for (const joins of [true, false]) {
      const { records, tokens } = await newMachine();
      const windows = [new Window(records, tokens), new Window(records, tokens)] as const;
      await windows[0].serve();
      if (joins) await windows[1].join();
      await windows[1].stop();
      assert.equal(await findRunning(records.dataFolder(crewFolder)), undefined);
      await waitFor("both to know", () => windows.every(({ url }) => url === undefined));
      const said = windows.flatMap(({ ends, problems }) => [ends, ...problems]);
      assert.deepEqual(said, [0, 0]);
      assert.equal(records.read(crewFolder)?.wanted, false);
    }
  });

  it("is started again if it is wanted while it is being stopped", async () => {
    const window = open();
    await window.serve();
    const { promise: isStopped, resolve } = Promise.withResolvers<undefined>();
    tokens.tokens = async (id) => {
      await isStopped;
      return tokens.kept.get(id);
    };
    const stopping = window.stop();
    const starting = window.serve();
    await stopping;
    resolve(undefined);
    assert.ok(await accepts(await starting, tokens.kept.get(crewId)?.bearer));
    assert.equal(window.launches, 2);
  });

  it("one that doesn't respond is neither ended nor replaced by a window that can't know it", async () => {
    const owner = open();
    await owner.serve();
    const pid = owner.launched[0]?.pid ?? 0;
    owner.dispose();
    signal(pid, "SIGSTOP");
    try {
      const other = open({ settleMs: 1 });
      await assert.rejects(other.stop(), /“Crew” does not stop/);
      await assert.rejects(
        other.serve(),
        (error) => error instanceof ServiceError && /does not respond/.test(error.message),
      );
      const launches = other.launched.length;
      assert.equal(launches, 0, "the lock on the data keeps a second one from starting");
      signal(pid, "SIGCONT");
      assert.ok(await other.serve());
      assert.equal(other.connection?.running.pid, pid);
    } finally {
      signal(pid, "SIGCONT");
    }
  });

  it("gives its tokens to each crew that it serves", async () => {
    records.setClasses(crewFolder, ["A", "B"]);
    await tokens.setTokens(`${crewId}#B`, { inUse: "userBearer", bearer: "old" });
    await open().serve();
    const { inUse, ...both } = tokens.kept.get(crewId) ?? { inUse: undefined };
    assert.deepEqual(tokens.kept.get(`${crewId}#A`), { inUse, ...both });
    assert.deepEqual(tokens.kept.get(`${crewId}#B`), { inUse: "userBearer", ...both });
  });

  it("keeps using the user token that a person chose", async () => {
    const mine = "a-user-token-of-mine";
    tokens.kept.set(crewId, { inUse: "userBearer", userBearer: mine });
    const url = await open().serve();
    const kept = [tokens.kept.get(crewId)?.inUse, tokens.kept.get(crewId)?.userBearer];
    assert.deepEqual(kept, ["userBearer", mine]);
    assert.ok(await accepts(url, mine));
  });

  it("a window that uses it stores its tokens again if they are gone; another one doesn't interrupt it, and says so", async () => {
    const window = open();
    const url = await window.serve();
    const before = tokens.kept.get(crewId);
    tokens.kept.clear();
    const other = open({ settleMs: 1 });
    await assert.rejects(other.serve(), /its token is no longer on this machine/);
    assert.equal(await window.serve(), url);
    assert.deepEqual(tokens.kept.get(crewId), before);
    assert.deepEqual([window.launches, other.launches], [1, 0]);
    assert.equal(await other.serve(), url);
  });

  it("leaves no service behind whose tokens could not be stored, and can start again", async () => {
    const locked = new Error("The keychain is locked.");
    let isLocked = true;
    const window = new Window(records, {
      tokens: (id) => tokens.tokens(id),
      setTokens: (...given) => (isLocked ? Promise.reject(locked) : tokens.setTokens(...given)),
    });
    await assert.rejects(window.serve(), locked);
    assert.equal(await findRunning(records.dataFolder(crewFolder)), undefined);
    isLocked = false;
    assert.ok(await accepts(await window.serve(), tokens.kept.get(crewId)?.bearer));
  });

  it("uses one with another protocol by its API only, and its own when that has ended", async () => {
    const older = open();
    const url = await older.serve();
    older.dispose();
    const published = path.join(records.dataFolder(crewFolder), "service.json");
    const { protocol, ...rest } = JSON.parse(readFileSync(published, "utf8")) as Record<
      string,
      unknown
    >;
    assert.equal(protocol, windowProtocol);
    writeFileSync(published, JSON.stringify({ ...rest, protocol: windowProtocol + 1 }));
    const newer = open();
    assert.equal(await newer.serve(), url);
    assert.deepEqual([newer.connection, newer.launches], [undefined, 0]);
    await older.endServices();
    await newer.join();
    assert.equal(newer.url, undefined);
    await newer.serve();
    assert.ok(newer.connection);
    assert.equal(newer.launches, 1);
  });

  it("a window that closes while it starts the service leaves none", async () => {
    const window = open();
    const started = window.serve();
    await waitFor("the launch", () => window.launches === 1);
    window.dispose();
    await assert.rejects(started, /The window closes/);
    assert.equal(await findRunning(records.dataFolder(crewFolder)), undefined);
  });
});
