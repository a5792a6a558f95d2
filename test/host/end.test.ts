import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as vscode from "vscode";
import { formatEntry } from "../../src/crews/token-format.ts";
import { waitFor } from "../support/wait.ts";
import type { CountedWindow } from "./counted-window.ts";
import { set } from "./extension.ts";
import { SecondWindow } from "./second-window.ts";

/** A crew that starts executions and never answers a status request. */
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
  const second = new SecondWindow();

  after(() => set("crews", undefined));

  const nothingIsLeft = (window: CountedWindow) =>
    waitFor("nothing to be left", () => window.left.length === 0).catch(() =>
      assert.deepEqual(window.left, []),
    );

  it("leaves no timer, listener, watcher, process or connection, even if it polls, leads and serves a crew", async () => {
    const crew = await startSilentCrew();
    second.atEnd(() => new Promise((resolve) => crew.server.close(resolve)));
    const id = `url:${crew.url}`;
    await set("crews", [{ name: "Silent", url: crew.url }]);
    const { window, secrets, end, activate, run } = second.open();
    await secrets.store(
      `crewdeck.token.${id}`,
      formatEntry({ inUse: "bearer", bearer: "a-token" }),
    );
    const api = await activate();
    await run("startLocalCrew", { folder: second.example });
    const local = api.crews().find(({ isLocal }) => isLocal)!;
    await api.kickoff({ crew: "Silent", inputs: { topic: "tea" } });
    const inForm = run("kickoff", { crew: "Silent", inputs: { topic: "tea" } }) as Promise<unknown>;
    await waitFor("a status request", () => crew.asked() > 0);
    await waitFor("the lead", () => leases(second.storage) === 1);
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
    assert.equal(leases(second.storage), 0, "another window may poll at once");
    await vscode.window.tabGroups.close(form);
    await nothingIsLeft(window);
    // The server notices the end of a connection a moment later.
    await waitFor("the last connection to end", async () => (await crew.connections()) === 0);
    await waitFor("its service to end", () =>
      fetch(local.url).then(
        () => false,
        () => true,
      ),
    );
    await inForm.catch(() => undefined);
  });

  it("leaves nothing even before activation has finished", async () => {
    const { window, end, activate } = second.open();
    const activated = activate();
    end();
    await activated;
    await nothingIsLeft(window);
  });
});

/** The number of windows that poll. */
function leases(storage: string): unknown {
  const database = new DatabaseSync(path.join(storage, "crewdeck.db"), {
    readOnly: true,
    timeout: 5_000,
  });
  try {
    return database.prepare("SELECT count(*) AS leases FROM lease").get()?.["leases"];
  } finally {
    database.close();
  }
}
