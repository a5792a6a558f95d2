import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crewaiEnv, crewaiProject, needsCrewai, newestCrewai, uv } from "../support/crewai.ts";
import { startModel } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { waitFor } from "../support/wait.ts";
import { openWindow } from "../support/window.ts";
import { openForm } from "../ui/person.ts";
import { waitForPage } from "../ui/story.ts";

/** How long uv may take to download and install crewAI on a busy machine (ms). */
const installingMs = 240_000;

describe("A project without crewAI, in the window", () => {
  needsCrewai();

  it("is set up by uv in a terminal after a yes, and then runs for real", async () => {
    const model = await startModel(() => "A report.");
    const folder = crewaiProject("declared");
    const project = path.join(folder, "pyproject.toml");
    const needed = `[project]\ndependencies = ["crewai==${newestCrewai}"]`;
    writeFileSync(project, readFileSync(project, "utf8").replace("[project]", needed));
    const paths = [path.dirname(await uv()), process.env["PATH"]];
    const window = await openWindow({
      workspace: folder,
      env: {
        ...crewaiEnv(model),
        PATH: paths.join(path.delimiter),
        // Keeps this PATH: without it, VS Code takes the one of a login shell.
        VSCODE_CLI: "1",
      },
    });
    atEndOfTest(() => window.close());
    const { tree, messages, page, webview } = window;
    const engine = async () =>
      (await tree.rows()).find(({ label }) => label === "Declared")?.description;
    await window.runCommand("Crewdeck: Serve…");
    await window.quickInput.choose("Which crew?", "Declared");
    const note = webview.content.getByText(
      /crewAI is not installed .* “Set Up…” runs “uv sync --compile-bytecode”\./,
    );
    await note.getByRole("button", { name: "Set Up…", exact: true }).click();
    await waitFor("the rehearsal", async () => (await engine())?.startsWith("rehearsal"));
    await messages.confirm(
      /Install crewAI for “Declared”\?[^]*uv sync --compile-bytecode/,
      "Run in Terminal",
    );
    const terminal = page.locator(".panel .terminal-wrapper");
    await terminal.waitFor();
    await webview.content.getByText("crewAI is being installed for “Declared”").waitFor();
    assert.equal(await note.count(), 0);
    await waitFor("crewAI", async () => (await engine()) === "crewAI", installingMs);
    await terminal.waitFor({ state: "hidden" });

    await openForm(window, "Declared");
    await webview.content.getByRole("textbox", { name: "topic" }).fill("tides");
    await webview.content.getByRole("button", { name: "Kick Off", exact: true }).click();
    await waitForPage(window, /A report\./);
    assert.match(model.requests[0]?.prompt ?? "", /Write about tides/);
  });
});
