import assert from "node:assert/strict";
import { CrewApi } from "../support/crew-api.ts";
import { startService, type RunningService } from "../support/service.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, openExecution } from "./person.ts";
import { sharedWindow } from "./shared-window.ts";

describe("The tree of executions, in the window", () => {
  let service: RunningService;
  const shared = sharedWindow();
  let window: VSCodeWindow;
  const ids: string[] = [];

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    const api = new CrewApi(service);
    for (const topic of ["tea", "coffee"])
      ids.push(await api.kickoff({ inputs: { topic, audience: "colleagues" } }));
    window = shared();
    await connectCrew(window, { url: service.url, token: service.token, name: "Writers" });
  });

  after(() => service.stop());

  const executions = () => window.tree.executions();
  const labels = async () => (await executions()).map(({ label }) => label);
  const clipboard = () => window.page.evaluate(() => navigator.clipboard.readText());

  it("tracks executions by ID or status address, and explains why other text is refused", async () => {
    const { quickInput, editor } = window;
    for (const id of ids) {
      await window.runCommand("Crewdeck: Track an Execution by Its ID…");
      await quickInput.waitFor("Track an execution of “Writers”");
      await quickInput.input.fill(`id ${id}`);
      await quickInput.widget.getByText("An ID has no spaces").waitFor();
      await quickInput.input.fill(id === ids[0] ? ` ${id} ` : `${service.url}/status/${id}`);
      await quickInput.press("Enter");
      await editor.tab(id.slice(0, 8)).waitFor();
    }
    await waitFor(
      "two that wait",
      async () =>
        (await executions()).filter(({ spoken }) => spoken.includes("Waiting for you")).length ===
        2,
    );
    assert.deepEqual((await labels()).sort(), ids.map((id) => id.slice(0, 8)).sort());
  });

  it("renames an execution, and restores its first title", async () => {
    const { tree, quickInput } = window;
    const [id = ""] = ids;
    const first = id.slice(0, 8);
    await tree.menu(first, "Rename Execution…");
    await quickInput.answer("A title of your choice", "Tea time");
    await tree.row("Tea time").waitFor();
    // The tab may be open already, with the first title.
    const heading = window.webview.content.getByRole("heading", { name: "Tea time" });
    const isTitled = () => heading.isVisible();
    await openExecution(window, "Tea time", isTitled);
    await tree.menu("Tea time", "Rename Execution…");
    await quickInput.answer("A title of your choice", "");
    await tree.row(first).waitFor();
    await tree.menu(first, "Rename Execution…");
    await quickInput.answer("A title of your choice", "Tea");
    await tree.row("Tea").waitFor();
  });

  it("copies ID and output", async () => {
    const { tree } = window;
    await tree.menu("Tea", "Copy or Save", "Copy Execution ID");
    await waitFor("the id on the clipboard", async () => (await clipboard()) === ids[0]);
    await tree.menu("Tea", "Copy or Save", "Copy Output");
    await waitFor("the output on the clipboard", async () => /tea/.test(await clipboard()));
  });
});
