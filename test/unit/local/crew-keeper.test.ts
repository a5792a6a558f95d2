import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { waitFor } from "../../support/wait.ts";
import { findRunning } from "../../../src/local/running.ts";
import { ServiceRefusal } from "../../../src/local/service-errors.ts";
import { cleanUp, crewFolder, crewId, newMachine, Window } from "./support.ts";

/** Asks the fake service for the token it was started with. */
async function tokenAt(url: string): Promise<string> {
  return await (await fetch(url, { headers: { connection: "close" } })).text();
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
    assert.deepEqual(
      [tokens.kept.get(crewId)?.inUse, tokens.kept.get(crewId)?.bearer],
      ["bearer", await tokenAt(url)],
    );
    assert.match(await tokenAt(url), /^[\w-]{43}$/);
  });

  it("continues at the same address with the same token after the window was closed", async () => {
    const { known, tokens } = await newMachine();
    const first = new Window(known, tokens);
    const url = await first.keeper.start();
    const token = await tokenAt(url);
    await first.close();
    assert.equal(known.read(crewFolder)?.wanted, true);
    const next = new Window(known, tokens);
    assert.equal(await next.keeper.start(), url);
    assert.equal(await tokenAt(url), token);
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

  it("a second window joins the first one's; two that start at once serve it once, with one token", async () => {
    const { known, tokens } = await newMachine();
    const windows = [
      new Window(known, tokens),
      new Window(known, tokens),
      new Window(known, tokens),
    ];
    const urls = await Promise.all(windows.map(({ keeper }) => keeper.start()));
    assert.equal(new Set(urls).size, 1);
    assert.equal(windows.filter(({ keeper }) => keeper.isOwn).length, 1);
    assert.equal(tokens.kept.get(crewId)?.bearer, await tokenAt(urls[0]!));
    const launches = windows.map((window) => window.launches);
    for (const { keeper } of windows) assert.equal(await keeper.start(), urls[0]);
    assert.deepEqual(
      windows.map((window) => window.launches),
      launches,
      "what runs is not started again to find that out",
    );
  });

  it("when its window closes, one of those that need it serves it at the same address", async () => {
    const { known, tokens } = await newMachine();
    const owner = new Window(known, tokens);
    const url = await owner.keeper.start();
    const token = await tokenAt(url);
    const idle = new Window(known, tokens, { isNeeded: () => false });
    await idle.keeper.join();
    const guests = [new Window(known, tokens), new Window(known, tokens)];
    for (const guest of guests) assert.equal(await guest.keeper.start(), url);
    assert.equal(idle.keeper.url, url);

    const closing = performance.now();
    await owner.close();
    await waitFor("a new owner", () => guests.some(({ keeper }) => keeper.isOwn));
    const took = performance.now() - closing;
    console.log(`      served again after ${took.toFixed(0)} ms`);
    assert.ok(took < 60_000);
    assert.equal(await tokenAt(url), token);
    await waitFor("the other to join", () => guests.every(({ keeper }) => keeper.url === url));
    assert.equal(guests.filter(({ keeper }) => keeper.isOwn).length, 1);
    assert.equal(idle.keeper.isOwn, false);
  });

  it("keeps a service that it starts while it checks whether another window's has ended", async () => {
    const { known, tokens } = await newMachine();
    const owner = new Window(known, tokens, { lookMs: 60_000 });
    await owner.keeper.start();
    const elsewhere = await newMachine();
    const spare = new Window(elsewhere.known, elsewhere.tokens, { lookMs: 60_000 });
    await spare.keeper.start();
    const started = spare.processes[0]!;
    let launches = 0;
    const launch = () => ((launches += 1), Promise.resolve(started));
    const guest = new Window(known, tokens, { launch });
    await guest.keeper.join();

    const dataFolder = known.dataFolder(crewFolder);
    await rm(path.join(dataFolder, "service.json"));
    await new Promise<void>((resolve) => {
      known.dataFolder = () => (resolve(), dataFolder);
    });
    await guest.keeper.start();

    const read = known.read.bind(known);
    let reads = 0;
    known.read = (folder) => ((reads += 1), read(folder));
    await waitFor("the guest to look again", () => reads > 0);
    assert.equal(launches, 1);
  });

  it("reports once that its process failed, and does not restart it", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens);
    const url = await window.keeper.start();
    await assert.rejects(fetch(`${url}/crash`));
    await waitFor("the end to be noted", () => window.ended.length > 0);
    assert.deepEqual(window.ended, [{ code: 3, signal: null }]);
    assert.equal(window.keeper.url, undefined);
    const { wanted, failure } = known.read(crewFolder)!;
    assert.deepEqual(
      [wanted, failure],
      [false, "It ended unexpectedly (exit code 3)."],
      "for every window, also a later one",
    );
    assert.equal(window.launches, 1);
    assert.equal(await window.keeper.start(), url);
    assert.equal(known.read(crewFolder)?.failure, undefined);
  });

  it("a failed service is not started again by a window that used it", async () => {
    const { known, tokens } = await newMachine();
    const owner = new Window(known, tokens);
    const guest = new Window(known, tokens);
    const url = await owner.keeper.start();
    await guest.keeper.start();
    const launches = guest.launches;
    await assert.rejects(fetch(`${url}/crash`));
    await waitFor(
      "both to know",
      () => owner.keeper.url === undefined && guest.keeper.url === undefined,
    );
    assert.equal(guest.launches, launches);
    assert.deepEqual(guest.ended, []);
  });

  it("is stopped by its own window or by another, and is not taken over then", async () => {
    for (const stopper of [0, 1]) {
      const { known, tokens } = await newMachine();
      const windows = [new Window(known, tokens), new Window(known, tokens)];
      for (const { keeper } of windows) await keeper.start();
      await windows[stopper]!.keeper.stop();
      assert.equal(await findRunning(known.dataFolder(crewFolder)), undefined);
      await waitFor("both windows to know", () =>
        windows.every(({ keeper }) => keeper.url === undefined),
      );
      assert.deepEqual(
        windows.flatMap(({ ended, problems }) => [ended, problems].flat()),
        [],
      );
      assert.equal(known.read(crewFolder)?.wanted, false);
    }
  });

  it("reports a service that another window does not stop", async () => {
    const { known, tokens } = await newMachine();
    const owner = new Window(known, tokens, { lookMs: 60_000 });
    const url = await owner.keeper.start();
    const guest = new Window(known, tokens, { stopMs: 50 });
    assert.equal(
      await guest.keeper.stop(),
      false,
      "it is found though this window never joined it",
    );
    await guest.keeper.join();
    assert.equal(await guest.keeper.stop(), false);
    assert.equal(guest.keeper.url, url);
    assert.equal((await findRunning(known.dataFolder(crewFolder)))?.url, url);
    assert.equal(await owner.keeper.stop(), true);
    assert.equal(await guest.keeper.stop(), true);
  });

  it("keeps using the user token that a person chose", async () => {
    const { known, tokens } = await newMachine();
    tokens.kept.set(crewId, { inUse: "userBearer", userBearer: "mine" });
    const url = await new Window(known, tokens).keeper.start();
    assert.deepEqual(
      [tokens.kept.get(crewId)?.inUse, tokens.kept.get(crewId)?.userBearer],
      ["userBearer", "mine"],
    );
    assert.notEqual(await tokenAt(url), "mine");
  });

  it("creates a new token if the stored one is gone, and starts the service with it", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens);
    await window.keeper.start();
    tokens.kept.clear();
    const url = await window.keeper.start();
    assert.equal(tokens.kept.get(crewId)?.bearer, await tokenAt(url));
    assert.equal(window.launches, 2);
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
    const url = await window.keeper.start();
    assert.equal(tokens.kept.get(crewId)?.bearer, await tokenAt(url));
  });

  it("passes on why the service does not start", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens, { serves: "/broken" });
    await assert.rejects(
      window.keeper.start(),
      (error) =>
        error instanceof ServiceRefusal &&
        error.reason === "project" &&
        error.message === "tasks.yaml is broken",
    );
    assert.equal(window.keeper.url, undefined);
    assert.equal(tokens.kept.size, 0);
    assert.equal(
      known.read(crewFolder)?.failure,
      "tasks.yaml is broken",
      "for every window, also a later one",
    );
    await window.keeper.stop();
    assert.equal(known.read(crewFolder)?.failure, undefined, "who stops it knows");
  });

  it("joining starts no service", async () => {
    const { known, tokens } = await newMachine();
    const window = new Window(known, tokens);
    await window.keeper.join();
    assert.equal(window.keeper.url, undefined);
    assert.equal(window.launches, 0);
  });

  for (const [hook, moment] of [
    ["onLaunch", "before the service listens"],
    ["onListening", "as soon as the service listens"],
  ] as const) {
    it(`a window that closes ${moment} leaves no process, and the start fails`, async () => {
      const { known, tokens } = await newMachine();
      const window: Window = new Window(known, tokens, { [hook]: () => window.keeper.dispose() });
      await assert.rejects(window.keeper.start(), /window closes/);
      await waitFor(
        "the process to go",
        async () => (await findRunning(known.dataFolder(crewFolder))) === undefined,
      );
    });
  }
});
