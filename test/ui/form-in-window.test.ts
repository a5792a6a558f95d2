import assert from "node:assert/strict";
import path from "node:path";
import { Gate } from "../support/gate.ts";
import { startService, type RunningService } from "../support/service.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { noCallbacks } from "../support/no-callbacks.ts";
import { storageFolder } from "../support/many-executions.ts";
import { rowsIn } from "../support/sqlite.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, openForm } from "./person.ts";
import { untilSaved } from "./saved.ts";
import { sharedWindow } from "./shared-window.ts";

const typed = { topic: "tea\nand cake", audience: "<b>colleagues</b>", Meta: '{ "ticket": 7 }' };
/** The same after one more keystroke. */
const kept = { ...typed, audience: `${typed.audience}!` };
const tab = "Kick off Writers";

describe("The kickoff form, in the window", () => {
  let service: RunningService;
  let gate: Gate;
  const shared = sharedWindow(noCallbacks);
  let window: VSCodeWindow;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    gate = await Gate.before(service);
    window = shared();
    await connectCrew(window, { url: gate.url, token: service.token, name: "Writers" });
  });

  after(async () => {
    await gate.stop();
    await service.stop();
  });

  const field = (name: string) =>
    window.webview.content.getByRole("textbox", { name, exact: true });
  const holds = async (values: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(values))
      await waitFor(
        `“${text}” in the field ${name}`,
        async () => (await field(name).inputValue()) === text,
      );
  };

  it("keeps what is typed while another tab is active, and “Kick Off…” leads back into it", async () => {
    await openForm(window, "Writers");
    await field("topic").fill(typed.topic);
    await field("audience").fill(typed.audience);
    await window.webview.content.getByText("Advanced").click();
    await field("Meta").fill(typed.Meta);
    await window.runCommand("File: New Untitled Text File");
    await field("topic").waitFor({ state: "detached" });
    await window.runCommand("Crewdeck: Kick Off…");
    await window.webview.content.locator("textarea:focus").waitFor();
    await holds(typed);
  });

  it("keeps what is typed when the window is reloaded, without a request", async () => {
    const asked = gate.sent("/inputs").length;
    await field("audience").press("End");
    await field("audience").pressSequentially("!");
    // The panel.
    await untilSaved(window, "audience");
    const file = path.join(storageFolder(window.dataFolder), "crewdeck.db");
    await waitFor("the draft on disk", () =>
      rowsIn(file, "SELECT json FROM crew_values").some(({ json }) =>
        String(json).includes("</b>!"),
      ),
    );
    await window.reload();
    await holds(kept);
    assert.equal(gate.sent("/inputs").length, asked);
  });

  it("is sent with all that was typed, and closes", async () => {
    await window.webview.content.getByRole("button", { name: "Kick Off", exact: true }).click();
    await window.editor.activeTab("tea and cake").waitFor();
    const sent = gate.sent("/kickoff").map(({ body }) => JSON.parse(body) as unknown);
    assert.deepEqual(sent, [
      {
        inputs: { topic: typed.topic, audience: kept.audience },
        meta: { ticket: 7 },
      },
    ]);
    assert.equal(await window.editor.tab(tab).count(), 0, "it has closed");
  });
});
