import assert from "node:assert/strict";
import { Webview } from "../support/window/webview.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { approveByLens, untilSeen } from "./person.ts";
import { kickOffStory, startExampleCrew, story } from "./story.ts";
import { sharedWindow } from "./shared-window.ts";

describe("The timeline, in the window", () => {
  const shared = sharedWindow({ "crewdeck.openExecutionsAs": "text" });
  let window: VSCodeWindow;
  let timeline: Webview;

  before(async () => {
    window = shared();
    timeline = new Webview(window.page, "view");
    await startExampleCrew(window);
  });

  const tree = () => timeline.content.getByRole("tree");
  const row = (name: string | RegExp) => timeline.content.getByRole("treeitem", { name }).first();
  const names = () => timeline.content.locator(".row .label").allTextContents();
  const active = async () => {
    const id = await tree().getAttribute("aria-activedescendant");
    return id === null ? null : timeline.content.locator(`#${id} .label`).textContent();
  };

  it("says in the panel what to do while there is no execution", async () => {
    await window.runCommand("View: Toggle Crew Timeline");
    await timeline.content.getByText("Kick off a crew, or select an execution").waitFor();
    assert.ok(await window.page.locator(".part.panel .title .action-item.checked").isVisible());
  });

  it("shows an execution that is kicked off, its tasks as they come, and the wait for a person", async () => {
    await kickOffStory(window);
    await row(/^Waiting for you, for/).waitFor();
    assert.deepEqual(await names(), [
      "example_crew",
      "research",
      "Researcher on tea at work",
      "outline",
      "Attempt 1",
      "Editor",
      "Waiting for you",
    ]);
    const header = timeline.content.locator("header");
    assert.match(await header.innerText(), /tea at work\s+example_crew\s+Waiting for you/);
    const bar = row(/^Waiting for you/).locator(".bar");
    const pattern = await bar.evaluate((element) => getComputedStyle(element).backgroundImage);
    assert.match(pattern, /repeating-linear-gradient/);
  });

  it("leads with Enter to what waits in the document, and shows the approval and the end", async () => {
    await tree().focus();
    await window.page.keyboard.press("End");
    await waitFor("the wait is active", async () => (await active()) === "Waiting for you");
    await window.page.keyboard.press("Enter");
    await window.editor.lens("Approve").waitFor();
    await waitFor("the focus in the document", () =>
      window.page.evaluate(
        () => document.activeElement?.closest(".part.editor .monaco-editor") !== null,
      ),
    );
    await approveByLens(window);
    await row(/^Approved, took/).waitFor();
    await timeline.content.locator("header").getByText("Completed").waitFor();
    await row(/^Task briefing, Completed|^Task \w+, Completed/).waitFor();
    assert.equal(await timeline.content.locator(".row.running").count(), 0);
  });

  it("leads with a click to a task's place while the focus stays, and with a double click to its definition", async () => {
    await row(/^Task research/).click();
    await window.editor.waitForText("## Task: research");
    const isFocused = () => tree().evaluate((element) => element === document.activeElement);
    assert.ok(await isFocused());
    await row(/^Task research/).dblclick();
    await window.editor.tab("tasks.yaml").waitFor();
    await window.editor.waitForText(/^research:/m);
  });

  it("leads to the place in the page where that is open", async () => {
    const page = window.webview.content;
    const openAs = (name: string) =>
      window.page
        .locator(".editor-group-container.active .editor-actions")
        .getByRole("button", { name, exact: true })
        .click({ timeout: 5_000 });
    await row(/^Task research/).click();
    await window.editor.waitForText("## Task: research");
    await untilSeen(
      "the page",
      () => openAs("Open as Page"),
      () => page.getByRole("heading", { name: "Tasks" }).isVisible(),
    );
    const fold = page.locator('[data-fold="task outline"]');
    assert.equal(await fold.getAttribute("open"), null);
    await row(/^Task outline/).click();
    await waitFor("the task open", async () => (await fold.getAttribute("open")) !== null);
    assert.ok(await tree().evaluate((element) => element === document.activeElement));
    await openAs("Open as Text");
    await window.editor.waitForText("Completed");
  });

  it("follows the execution that is open or selected, and is shown from a row's menu", async () => {
    await window.tree.menu(story.topic, "Open", "Show Timeline");
    await row(/^Task research/).waitFor();
  });
});
