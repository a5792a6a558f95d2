import assert from "node:assert/strict";
import path from "node:path";
import * as vscode from "vscode";
import { HttpServer } from "../support/http-server.ts";
import { rowsIn } from "../support/sqlite.ts";
import { waitFor } from "../support/wait.ts";
import type { CountedWindow } from "./counted-window.ts";
import { allTabs, set, untilSilent } from "./extension.ts";
import { SecondWindow } from "./second-window.ts";

class SilentCrew extends HttpServer {
  asked = 0;

  constructor() {
    super(({ method, url = "" }, response) => {
      const inputs = url.endsWith("/inputs") && { inputs: ["topic"] };
      const answer = inputs || (method === "POST" && { kickoff_id: "11111111-2222" });
      if (!answer) this.asked += 1;
      else
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  }
}

describe("Deactivating the extension", () => {
  const second = new SecondWindow();

  after(() => set("crews", undefined));

  const nothingIsLeft = (window: CountedWindow) =>
    waitFor("nothing to be left", () => window.left.length === 0).catch(() =>
      assert.deepEqual(window.left, []),
    );

  it("leaves no timer, listener, watcher, process or connection, even if it polls, leads and serves a crew", async () => {
    const crew = new SilentCrew();
    const url = await crew.start();
    second.atEnd(() => crew.stop());
    await set("crews", [{ name: "Silent", url }]);
    const { window, secrets, end, activate, run } = second.open();
    const entry = JSON.stringify({ inUse: "bearer", bearer: "a-token" });
    await secrets.store(`crewdeck.token.url:${url}`, entry);
    const api = await activate();
    await run("startLocalCrew", { folder: second.example });
    const local = api.crews().find(({ isLocal }) => isLocal)!;
    await api.kickoff({ crew: "Silent", inputs: { topic: "tea" } });
    const inForm = run("kickoff", { crew: "Silent", inputs: { topic: "tea" } }) as Promise<unknown>;
    await waitFor("a status request", () => crew.asked > 0);
    await waitFor("the lead", () => leases(second.storage) === 1);
    const isForm = ({ input }: vscode.Tab) => input instanceof vscode.TabInputWebview;
    const form = await waitFor("the form", () => allTabs().find(isForm));
    const before = window.left;
    const counted = ["Timeout", "PROCESSWRAP", "onDidChangeConfiguration", "createStatusBarItem"];
    for (const kind of [...counted, "secrets.onDidChange"]) {
      const is = before.some((each) => each.startsWith(kind));
      assert.ok(is, `${kind} is counted: ${before.join("\n")}`);
    }
    end();
    assert.equal(leases(second.storage), 0, "another window may poll at once");
    await vscode.window.tabGroups.close(form);
    await nothingIsLeft(window);
    // The server notices the end of a connection a moment later.
    await waitFor("the last connection to end", async () => (await crew.connections()) === 0);
    await untilSilent(local.url);
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

function leases(storage: string): unknown {
  const file = path.join(storage, "crewdeck.db");
  return rowsIn(file, "SELECT count(*) AS leases FROM lease")[0]?.["leases"];
}
