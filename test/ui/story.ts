import assert from "node:assert/strict";
import type { VSCodeWindow } from "../support/window.ts";
import { longestWait, waitFor } from "../support/wait.ts";
import { approveByLens, openExecution, openForm, rejectByLens } from "./person.ts";

/** The texts of the story: what is kicked off, and the feedback on the first draft. */
export const story = {
  topic: "tea in the office",
  audience: "new colleagues",
  feedback: "Shorter, please.\nName one tea.",
};

/** From an empty window to the example crew, connected and running: one click in the view. */
export async function startExampleCrew(window: VSCodeWindow): Promise<void> {
  await window.tree.open("Crewdeck");
  await window.page
    .locator(".part.sidebar")
    .getByRole("button", { name: "Start the Example Crew" })
    .click();
  await window.tree.row("example_crew").waitFor();
}

/** Kicks the example crew off by its form, in a window where it runs, and waits for the notification that a task waits. */
export async function kickOffStory(window: VSCodeWindow): Promise<void> {
  const { tree, webview, messages } = window;
  await tree.open("Crewdeck");
  await tree.row("example_crew").waitFor();
  await openForm(window, "example_crew");

  const form = webview.content;
  await form.getByRole("textbox", { name: "topic" }).fill(story.topic);
  await form.getByRole("textbox", { name: "audience" }).fill(story.audience);
  await window.screenshot("form");
  await form.getByRole("button", { name: "Kick Off" }).dblclick();

  await tree.row(story.topic).waitFor();
  await messages.notification("waits for you").waitFor();
}

/** The story by mouse, in a window where the example crew runs: form, tree, lenses, thread, result. */
export async function tellStory(window: VSCodeWindow): Promise<void> {
  const { tree, editor, messages, page } = window;
  await kickOffStory(window);
  // It is hidden after a while.
  await messages.answer("waits for you", "Open");
  await waitFor("1 on the badge", async () => (await tree.badge("Crewdeck").textContent()) === "1");
  // The row is updated a moment after badge and notification.
  await waitFor("the row of what waits", async () =>
    (await tree.executions()).some(
      ({ label, spoken }) => label === story.topic && /waiting for you/i.test(spoken),
    ),
  );
  const rows = await tree.executions();
  assert.equal(
    rows.filter(({ label }) => label === story.topic).length,
    1,
    "one double click is one execution",
  );

  await editor.lens("Reject…").waitFor();
  await tree.expand(story.topic);
  await window.screenshot("waiting");
  const thread = await rejectByLens(window);
  await editor.writeInThread(thread, story.feedback);
  await window.screenshot("reject");
  await editor.pressInThread(thread, "Send");

  await waitForDocument(window, /### Attempt 2/);
  // The document stays at the first draft; the row opens the one that waits.
  await openExecution(
    window,
    story.topic,
    async () => (await editor.lens("Approve").count()) === 1,
  );
  await approveByLens(window);
  await waitForDocument(window, /^Completed · 3 of 3/m);
  await checkResult(window);
  await window.screenshot("completed");
  await waitFor("no number on the badge", async () => !(await tree.badge("Crewdeck").isVisible()));
  await page.keyboard.press("Escape");
}

/** The story with the keyboard alone, from an empty window: palette, form, palette, thread, palette. */
export async function tellStoryByKeyboard(window: VSCodeWindow): Promise<void> {
  const { quickInput, page, tree, webview, messages } = window;
  const { keyboard } = page;
  await window.runCommand("View: Show Crewdeck");
  await window.runCommand("Crewdeck: Start a Local Crew…");
  await quickInput.choose("Which crew?", "example_crew");
  await tree.row("example_crew").waitFor();

  await window.runCommand("Crewdeck: Kick Off…");
  await waitFor(
    "the first field has focus",
    async () => (await webview.content.locator("textarea:focus").count()) === 1,
  );
  await keyboard.type(story.topic);
  await tabTo(window, "audience");
  await keyboard.type(story.audience);
  await keyboard.press("ControlOrMeta+Enter");

  await messages.notification("waits for you").waitFor();
  await window.runCommand("Crewdeck: Reject…");
  await page.locator(".review-widget .monaco-editor.focused").waitFor();
  await keyboard.type(story.feedback);
  await keyboard.press("ControlOrMeta+Enter");

  await waitForDocument(window, /### Attempt 2/);
  await window.runCommand("Crewdeck: Approve");
  await waitForDocument(window, /^Completed · 3 of 3/m);
  await checkResult(window);
}

/** Presses Tab until the text field of that name has focus, as a person does. */
async function tabTo({ page, webview }: VSCodeWindow, name: string): Promise<void> {
  const field = webview.content.getByRole("textbox", { name });
  await waitFor(`focus in the field "${name}"`, async () => {
    await page.keyboard.press("Tab");
    return field.evaluate((element) => element.ownerDocument.activeElement === element);
  });
}

/** Checks the document at the end: the result is the last task's output and contains the feedback; both drafts are there with the feedback between them. */
async function checkResult(window: VSCodeWindow): Promise<void> {
  const text = await window.editor.wholeText();
  assert.match(text, new RegExp(`# ${story.topic}`));
  assert.match(text, /no language model was called/);
  assert.match(text, /### Attempt 1[\s\S]*Name one tea\.[\s\S]*### Attempt 2/);
  assert.match(
    text,
    /## Result\n\n[\s\S]*Name one tea\.[\s\S]*## Inputs\n[\s\S]*## Task: [\s\S]*Name one tea\./,
  );
}

/** Waits until the open document holds a text, in view or not. Not more often: each look selects the whole document. */
export async function waitForDocument({ editor }: VSCodeWindow, text: RegExp): Promise<void> {
  const isThere = async () => text.test(await editor.wholeText());
  await waitFor(`${String(text)} in the document`, isThere, longestWait, 500);
}
