import assert from "node:assert/strict";
import path from "node:path";
import type { Locator } from "playwright-core";
import { storageFolder } from "../support/many-executions.ts";
import { isRunning, signal } from "../support/processes.ts";
import { seededRandom } from "../support/random.ts";
import { rowsIn } from "../support/sqlite.ts";
import { startService, type RunningService } from "../support/service.ts";
import { CrewApi } from "../support/crew-api.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, untilSeen, waitingLens } from "./person.ts";
import { untilSaved } from "./saved.ts";
import { sharedWindow } from "./shared-window.ts";

const typed = "Shorter, please.\nName one tea.";
describe("The page of an execution, in the window", () => {
  let service: RunningService;
  const shared = sharedWindow();
  let window: VSCodeWindow;
  let id: string;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    id = await new CrewApi(service).kickoff({ inputs: { topic: "tea", audience: "colleagues" } });
    window = shared();
    await connectCrew(window, { url: service.url, token: service.token, name: "Writers" });
    await window.runCommand("Crewdeck: Track an Execution by Its ID…");
    await window.quickInput.answer("Track an execution of “Writers”", id);
    await feedback().waitFor();
  });

  after(() => service.stop());

  const page = () => window.webview.content;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const feedback = () => page().getByRole("textbox", { name: "Feedback" });
  const titleButton = (name: string) =>
    window.page.locator(".editor-group-container.active .editor-actions").getByRole("button", {
      name,
      exact: true,
    });
  const tabs = (count: number) =>
    waitFor(
      `${count} tabs`,
      async () => (await window.page.locator(".tabs-container .tab").count()) === count,
    );
  /** VS Code draws the title's buttons again while an editor opens, which loses a click. */
  const switchTo = (editor: "Page" | "Text", shown: Locator) =>
    untilSeen(
      `it as ${editor}`,
      () => titleButton(`Open as ${editor}`).click({ timeout: 5_000 }),
      async () => (await shown.count()) > 0,
    );
  const openFromTree = () =>
    untilSeen(
      "the page, from the tree",
      () => window.tree.click(id.slice(0, 8)),
      () => feedback().isVisible(),
    );
  const stored = () => {
    const file = path.join(storageFolder(window.dataFolder), "crewdeck.db");
    return String(rowsIn(file, "SELECT text FROM drafts")[0]?.["text"]);
  };

  it("takes the place of the text by a button in the title, and the choice is remembered", async () => {
    await switchTo("Text", window.editor.lens("Go to Output"));
    await tabs(1);
    await switchTo("Page", button("Approve"));
    await tabs(1);
    await window.runCommand("View: Close Editor");
    await tabs(0);
    await openFromTree();
  });

  it("has the focus in its box after “Reject…” of the text", async () => {
    await switchTo("Text", window.editor.lens("Go to Output"));
    await untilSeen(
      "the focus in the box",
      async () => (await waitingLens(window, "Reject…")).click({ timeout: 5_000 }),
      async () => (await page().locator("textarea:focus").count()) === 1,
    );
    await window.page.keyboard.type("Short");
    assert.equal(await feedback().inputValue(), "Short");
    await feedback().fill("");
    await window.runCommand("View: Close Other Editors in Group");
    await window.runCommand("Crewdeck: Open as Page");
    await tabs(1);
  });

  it("keeps every keystroke when the extension host is killed while a person types: those stored before it, and those after it", async () => {
    const seed = Number(process.env["CREWDECK_SEED"] ?? Date.now() % 1_000_000);
    console.log(`      seed ${seed} (repeat with CREWDECK_SEED=${seed})`);
    const sentence = `${" It should also say when the tea is served, and where.".repeat(4)} Thanks!`;
    const whole = `${typed}${sentence}`;
    await feedback().click();
    await window.page.keyboard.type(typed.replace(/\n.*/, ""));
    await window.page.keyboard.press("Enter");
    await window.page.keyboard.type(typed.replace(/.*\n/, ""));
    await waitFor("the text in the store", () => stored() === typed);
    const before = 1 + Math.floor(seededRandom(seed)() * 100);
    await window.page.keyboard.type(sentence.slice(0, before), { delay: 10 });
    // Some of these may not be stored yet.
    const { extensionHost } = window;
    signal(extensionHost, "SIGKILL");
    await waitFor("the end of the extension host", () => !isRunning(extensionHost));
    const kept = stored();
    assert.ok(whole.startsWith(kept) && kept !== whole, kept);
    await window.page.keyboard.type(sentence.slice(before), { delay: 10 });
    await untilSaved(window, "Thanks!");
    await window.reload();
    // VS Code in a browser may forget a tab that was opened just before.
    await openFromTree();
    await waitFor("the text", async () => (await feedback().inputValue()) === whole);
    await waitFor("the text in the store", () => stored() === whole);
    await feedback().fill("");
  });

  it("takes the place of the text also in a preview tab, which what has ended has, and gives it back", async () => {
    await button("Approve").click();
    await page().getByRole("heading", { name: "Result" }).waitFor();
    await window.runCommand("View: Close All Editors");
    await untilSeen(
      "the preview",
      () => window.tree.click(id.slice(0, 8)),
      () => page().getByRole("heading", { name: "Result" }).isVisible(),
    );
    await switchTo("Text", titleButton("Open as Page"));
    await window.editor.waitForText("Completed");
    await switchTo("Page", page().getByRole("heading", { name: "Result" }));
    await tabs(1);
    assert.equal(await window.messages.notification("Report a Problem…").count(), 0, "no error");
  });
});
