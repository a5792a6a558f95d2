import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as vscode from "vscode";
import { formatEntry } from "../../src/crews/token-format.ts";
import type { CrewdeckApi } from "../../src/extension-api/crewdeck-api.ts";
import { waitFor } from "../support/wait.ts";
import { CountedWindow } from "./counted-window.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";

/** A crew that starts executions and never says how they are. */
async function startSilentCrew() {
  let asked = 0;
  const server: Server = createServer(({ method, url = "" }, response) => {
    const answer = url.endsWith("/inputs")
      ? { inputs: ["topic"] }
      : method === "POST"
        ? { kickoff_id: "11111111-2222" }
        : undefined;
    if (answer === undefined) asked += 1;
    else
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    connections,
  };
}

describe("Deactivating the extension", () => {
  const extension = vscode.extensions.getExtension("crewdeck.crewdeck")!;
  const copy = path.join(extension.extensionPath, "out", "left", String(process.pid));
  const ends: (() => unknown)[] = [];
  let storage: string;

  before(async () => {
    await extension.activate();
    // What ships, a second time in this window: modules of its own, and files that can be told in a stack.
    await cp(path.join(extension.extensionPath, "dist"), copy, { recursive: true });
    storage = await mkdtemp(path.join(tmpdir(), "crewdeck-host-end-"));
  });

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  after(async () => {
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update("crews", undefined, vscode.ConfigurationTarget.Global);
    for (const folder of [storage, copy])
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const open = () => {
    const window = new CountedWindow(copy);
    ends.push(() => window.dispose());
    const secrets = new MemorySecrets();
    const subscriptions: vscode.Disposable[] = [];
    const counted = Object.assign(Object.create(secrets) as MemorySecrets, {
      onDidChange: (...given: Parameters<typeof secrets.onDidChange>) =>
        window.counted("secrets.onDidChange", secrets.onDidChange(...given)),
      get: (key: string) => secrets.get(key),
      store: (key: string, value: string) => secrets.store(key, value),
      delete: (key: string) => secrets.delete(key),
    });
    const context = {
      subscriptions,
      secrets: counted,
      globalState: new MemoryMemento(),
      workspaceState: new MemoryMemento(),
      extension,
      extensionUri: extension.extensionUri,
      extensionPath: extension.extensionPath,
      globalStorageUri: vscode.Uri.file(storage),
    };
    const require = createRequire(path.join(copy, "extension.js"));
    for (const name of Object.keys(require.cache))
      if (name.startsWith(copy)) Reflect.deleteProperty(require.cache, name);
    const { activate } = require(path.join(copy, "extension.js")) as {
      activate: (context: unknown) => Promise<CrewdeckApi>;
    };
    const end = () => {
      // As VS Code does it.
      for (const subscription of subscriptions.splice(0)) subscription.dispose();
    };
    ends.push(end);
    return {
      window,
      secrets,
      end,
      activate: () => activate(context),
      run: (id: string, argument: unknown) => window.commands.get(`crewdeck.${id}`)!(argument),
    };
  };

  const allIsGivenBack = (window: CountedWindow) =>
    waitFor("all to be given back", () => window.left.length === 0).catch(() =>
      assert.deepEqual(window.left, []),
    );

  it("leaves no timer, listener, watcher, process or connection, even if it polls, holds the lease and serves a crew", async () => {
    const crew = await startSilentCrew();
    ends.push(() => new Promise((resolve) => crew.server.close(resolve)));
    const id = `url:${crew.url}`;
    await vscode.workspace
      .getConfiguration("crewdeck")
      .update("crews", [{ name: "Silent", url: crew.url }], vscode.ConfigurationTarget.Global);
    const { window, secrets, end, activate, run } = open();
    await secrets.store(
      `crewdeck.token.${id}`,
      formatEntry({ inUse: "bearer", bearer: "a-token" }),
    );
    const api = await activate();
    await run("startLocalCrew", {
      folder: path.join(extension.extensionPath, "media", "example-crew"),
    });
    const local = api.crews().find(({ isLocal }) => isLocal)!;
    await api.kickoff({ crew: "Silent", inputs: { topic: "tea" } });
    const inForm = run("kickoff", { crew: "Silent", inputs: { topic: "tea" } }) as Promise<unknown>;
    await waitFor("a question that nobody answers", () => crew.asked() > 0);
    await waitFor("the lease", () => leases(storage) === 1);
    const isForm = ({ input }: vscode.Tab) => input instanceof vscode.TabInputWebview;
    const form = await waitFor("the form", () =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(isForm),
    );
    const before = window.left;
    for (const kind of [
      "Timeout",
      "PROCESSWRAP",
      "onDidChangeConfiguration",
      "createStatusBarItem",
      "secrets.onDidChange",
    ])
      assert.ok(
        before.some((each) => each.startsWith(kind)),
        `${kind} is counted: ${before.join("\n")}`,
      );
    end();
    assert.equal(leases(storage), 0, "another window may poll at once");
    await vscode.window.tabGroups.close(form);
    await allIsGivenBack(window);
    // The other end of a connection hears of its end a moment later.
    await waitFor("the last connection to end", async () => (await crew.connections()) === 0);
    await waitFor("its service to leave", () =>
      fetch(local.url).then(
        () => false,
        () => true,
      ),
    );
    await inForm.catch(() => undefined);
  });

  it("leaves nothing even before activation has finished", async () => {
    const { window, end, activate } = open();
    const activated = activate();
    end();
    await activated;
    await allIsGivenBack(window);
  });
});

/** How many windows poll. */
function leases(storage: string): unknown {
  const database = new DatabaseSync(path.join(storage, "crewdeck.db"), { readOnly: true });
  try {
    return database.prepare("SELECT count(*) AS leases FROM lease").get()?.["leases"];
  } finally {
    database.close();
  }
}
