import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import path from "node:path";
import { windowProtocol } from "../../../src/base/window-protocol.ts";
import { findRunning } from "../../../src/local/running.ts";
import { ServiceRefusal } from "../../../src/local/service-errors.ts";
import { tokenFile } from "../../../src/local/service-tokens.ts";
import { CrewApi } from "../../support/crew-api.ts";
import { signal } from "../../support/processes.ts";
import { waitFor } from "../../support/wait.ts";
import { cleanUp, crewFolder, crewId, MemoryTokens, newMachine, Window } from "./support.ts";

async function accepts(url: string, token: string | undefined): Promise<boolean> {
  return (await new CrewApi({ url, token: token ?? "" }).get("/inputs")).status === 200;
}

describe("keeping a local crew served", () => {
  afterEach(cleanUp);

  it("starts it, keeps its tokens and port, and starts it once however often it is called", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens);
    const [url, again] = await Promise.all([window.keeper.start(), window.keeper.start()]);
    assert.equal(url, again);
    assert.equal(await window.keeper.start(), url);
    assert.equal(window.launches, 1);
    assert.equal(window.keeper.url, url);
    assert.deepEqual(known.read(crewFolder), {
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
    const { known, tokens } = await newMachine();
    const first = new Window(known, tokens);
    const url = await first.keeper.start();
    first.keeper.dispose();
    const next = new Window(known, tokens);
    await next.keeper.join();
    assert.equal(next.keeper.url, url);
    assert.equal(await next.keeper.start(), url);
    assert.equal(next.launches, 0);
    assert.equal(next.keeper.connection?.options.running.pid, first.launched[0]?.pid);
    assert.deepEqual([first.ends, next.ends, known.read(crewFolder)?.wanted], [0, 0, true]);
  });

  it("in a browser that has forgotten the secrets, the next window has the token from a file of this user", async () => {
    const { known, tokens } = await newMachine();
    const file = tokenFile(known.dataFolder(crewFolder));
    const first = new Window(known, tokens, { tokenFile: file });
    const url = await first.keeper.start();
    first.keeper.dispose();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const forgotten = new MemoryTokens();
    const next = new Window(known, forgotten, { tokenFile: file });
    assert.equal(await next.keeper.start(), url);
    assert.equal(next.launches, 0);
    assert.deepEqual(forgotten.kept.get(crewId), tokens.kept.get(crewId));
  });

  it("uses another port if another program has its port", async () => {
    const { known, tokens } = await newMachine();
    const stranger = createServer().listen(0, "127.0.0.1");
    await once(stranger, "listening");
    const taken = (stranger.address() as { port: number }).port;
    known.change(crewFolder, { port: taken });
    try {
      const url = await new Window(known, tokens).keeper.start();
      assert.notEqual(new URL(url).port, String(taken));
      assert.equal(known.read(crewFolder)?.port, Number(new URL(url).port));
    } finally {
      stranger.close();
    }
  });

  it("windows that start it at once have one service, with one token", async () => {
    const { known, tokens } = await newMachine();
    const windows = [1, 2, 3].map(() => new Window(known, tokens));
    const urls = await Promise.all(windows.map(({ keeper }) => keeper.start()));
    assert.equal(new Set(urls).size, 1);
    assert.equal(windows.flatMap(({ launched }) => launched).length, 1);
    const connected = windows.map(({ keeper }) => keeper.connection?.options.running.pid);
    assert.equal(new Set(connected).size, 1);
    assert.ok(await accepts(urls[0] ?? "", tokens.kept.get(crewId)?.bearer));
  });

  it("that it ended by itself is reported in one window, and no window that is open restarts it", async () => {
    const { known, tokens } = await newMachine();
    const windows = [new Window(known, tokens), new Window(known, tokens)];
    let url = "";
    for (const { keeper } of windows) url = await keeper.start();
    signal(windows[0]?.launched[0]?.pid ?? 0, "SIGKILL");
    await waitFor("both to know", () => windows.every(({ keeper }) => keeper.url === undefined));
    await waitFor("the report", () => windows.some(({ ends }) => ends > 0));
    assert.equal(
      windows.reduce((sum, { ends }) => sum + ends, 0),
      1,
    );
    assert.equal(known.read(crewFolder)?.failure, "It ended unexpectedly.");
    assert.equal(await windows[1]?.keeper.start(), url, "at the same address");
    assert.equal(known.read(crewFolder)?.failure, undefined);
  });

  it("one that leaves as it is found is started again", async () => {
    const { known, tokens } = await newMachine();
    tokens.kept.set(crewId, { inUse: "bearer", bearer: "T", userBearer: "U" });
    const published = path.join(known.dataFolder(crewFolder), "service.json");
    const leaving = createHttpServer((request, response) => {
      if (request.method !== "HEAD") return void response.destroy();
      rmSync(published);
      response.setHeader("crewdeck-instance", "1").end();
    }).listen(0, "127.0.0.1");
    await once(leaving, "listening");
    const { port } = leaving.address() as { port: number };
    const url = `http://127.0.0.1:${port}`;
    const about = { url, pid: process.pid, instance: "1", protocol: windowProtocol };
    writeFileSync(published, JSON.stringify(about));
    try {
      const window = new Window(known, tokens);
      assert.notEqual(await window.keeper.start(), url);
      assert.equal(window.launches, 1);
    } finally {
      leaving.close();
    }
  });

  it("is stopped by any window, also by one that doesn't use it, and stays stopped", async () => {
    for (const joins of [true, false]) {
      const { known, tokens } = await newMachine();
      const windows = [new Window(known, tokens), new Window(known, tokens)] as const;
      await windows[0].keeper.start();
      if (joins) await windows[1].keeper.join();
      assert.equal(await windows[1].keeper.stop(), true);
      assert.equal(await findRunning(known.dataFolder(crewFolder)), undefined);
      await waitFor("both to know", () => windows.every(({ keeper }) => keeper.url === undefined));
      assert.deepEqual(
        windows.flatMap(({ ends, problems }) => [ends, ...problems]),
        [0, 0],
      );
      assert.equal(known.read(crewFolder)?.wanted, false);
    }
  });

  it("one that doesn't respond is neither ended nor replaced by a window that can't know it", async () => {
    const { known, tokens } = await newMachine();
    const owner = new Window(known, tokens);
    await owner.keeper.start();
    const pid = owner.launched[0]?.pid ?? 0;
    owner.keeper.dispose();
    signal(pid, "SIGSTOP");
    try {
      const other = new Window(known, tokens, { settleMs: 1 });
      assert.equal(await other.keeper.stop(), false);
      await assert.rejects(
        other.keeper.start(),
        (error) => error instanceof ServiceRefusal && /does not respond/.test(error.message),
      );
      assert.equal(
        other.launched.length,
        0,
        "the lock on the data keeps a second one from starting",
      );
      signal(pid, "SIGCONT");
      assert.ok(await other.keeper.start());
      assert.equal(other.keeper.connection?.options.running.pid, pid);
    } finally {
      signal(pid, "SIGCONT");
    }
  });

  it("keeps using the user token that a person chose", async () => {
    const { known, tokens } = await newMachine();
    const mine = "a-user-token-of-mine";
    tokens.kept.set(crewId, { inUse: "userBearer", userBearer: mine });
    const url = await new Window(known, tokens).keeper.start();
    assert.deepEqual(
      [tokens.kept.get(crewId)?.inUse, tokens.kept.get(crewId)?.userBearer],
      ["userBearer", mine],
    );
    assert.ok(await accepts(url, mine));
  });

  it("a window that uses it stores its tokens again if they are gone; another one doesn't interrupt it, and says so", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens);
    const url = await window.keeper.start();
    const before = tokens.kept.get(crewId);
    tokens.kept.clear();
    const other = new Window(known, tokens, { settleMs: 1 });
    await assert.rejects(other.keeper.start(), /its token is no longer on this machine/);
    assert.equal(await window.keeper.start(), url);
    assert.deepEqual(tokens.kept.get(crewId), before);
    assert.deepEqual([window.launches, other.launches], [1, 0]);
    assert.equal(await other.keeper.start(), url);
  });

  it("leaves no service behind whose tokens could not be stored, and can start again", async () => {
    const { known, tokens } = await newMachine();
    const locked = new Error("The keychain is locked.");
    let isLocked = true;
    const window = new Window(known, {
      tokens: (id) => tokens.tokens(id),
      setTokens: (...given) => (isLocked ? Promise.reject(locked) : tokens.setTokens(...given)),
    });
    await assert.rejects(window.keeper.start(), locked);
    assert.equal(await findRunning(known.dataFolder(crewFolder)), undefined);
    isLocked = false;
    assert.ok(await accepts(await window.keeper.start(), tokens.kept.get(crewId)?.bearer));
  });

  it("uses one with another protocol by its API only, and starts its own when that has ended", async () => {
    const { known, tokens } = await newMachine();
    const older = new Window(known, tokens);
    const url = await older.keeper.start();
    older.keeper.dispose();
    const published = path.join(known.dataFolder(crewFolder), "service.json");
    const { protocol, ...rest } = JSON.parse(readFileSync(published, "utf8")) as Record<
      string,
      unknown
    >;
    assert.equal(protocol, windowProtocol);
    writeFileSync(published, JSON.stringify({ ...rest, protocol: windowProtocol + 1 }));
    const newer = new Window(known, tokens);
    assert.equal(await newer.keeper.start(), url);
    assert.deepEqual([newer.keeper.connection, newer.launches], [undefined, 0]);
    await older.endServices();
    await waitFor("its own", () => newer.keeper.connection);
    assert.equal(newer.launches, 1);
  });

  it("a window that closes while it starts the service leaves none", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens);
    const started = window.keeper.start();
    await waitFor("the launch", () => window.launches === 1);
    window.keeper.dispose();
    await assert.rejects(started, /The window closes/);
    assert.equal(await findRunning(known.dataFolder(crewFolder)), undefined);
  });
});
