import assert from "node:assert/strict";
import type { VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";

/** The words of the story: what is kicked off, and what the first draft is sent back with. */
export const story = { topic: "tea in the office", audience: "new colleagues", feedback: "Shorter, please.\nName one tea." };

/** From an empty window to the example crew, connected and running: one click in the view. */
export async function startExampleCrew(window: VSCodeWindow): Promise<void> {
  await window.tree.open("Crewdeck");
  await window.page.getByRole("button", { name: "Start the Example Crew" }).click();
  await window.tree.row("example_crew").waitFor();
}

/** The story by mouse, in a window where the example crew runs: form, tree, lenses, thread, result. */
export async function tellStory(window: VSCodeWindow): Promise<void> {
  const { tree, editor, webview, messages, page } = window;
  await tree.open("Crewdeck");
  await tree.row("example_crew").waitFor();
  await tree.action("example_crew", "Kick Off…");

  const form = webview.content;
  await form.getByRole("textbox", { name: "topic" }).fill(story.topic);
  await form.getByRole("textbox", { name: "audience" }).fill(story.audience);
  await form.getByRole("button", { name: "Kick Off" }).dblclick();

  await tree.row(story.topic).waitFor();
  await messages.notification("waits for you").waitFor();
  await waitFor("1 on the badge", async () => (await tree.badge("Crewdeck").textContent()) === "1");
  const rows = await tree.rows();
  assert.equal(rows.filter(({ label }) => label === story.topic).length, 1, "one double click is one execution");
  assert.match(rows.find(({ label }) => label === story.topic)?.spoken ?? "", /waiting for you/i);

  await messages.answer("waits for you", "Open");
  await editor.lens("Reject with feedback…").click();
  const thread = editor.thread("Reject");
  await editor.writeInThread(thread, story.feedback);
  await editor.pressInThread(thread, "Send");

  await editor.lens("Approve").waitFor();
  await waitForDocument(window, /### Attempt 2/);
  await editor.lens("Approve").click();
  await waitForDocument(window, /\*\*Completed\*\* · 3 of 3/);
  await checkResult(window);
  await waitFor("no number on the badge", async () => !(await tree.badge("Crewdeck").isVisible()));
  await page.keyboard.press("Escape");
}

/** The document of the story's end: both drafts, the words between them, and a result that knows them. */
export async function checkResult(window: VSCodeWindow): Promise<void> {
  const text = await window.editor.wholeText();
  assert.match(text, new RegExp(`# ${story.topic}`));
  assert.match(text, /no language model was called/);
  assert.match(text, /### Attempt 1[\s\S]*Name one tea\.[\s\S]*### Attempt 2/);
  assert.match(text, /## Result[\s\S]*Name one tea\./);
}

/** Waits until the open document holds a text, in view or not. */
export async function waitForDocument(window: VSCodeWindow, text: RegExp): Promise<void> {
  await waitFor(`${String(text)} in the document`, async () => text.test(await window.editor.wholeText()));
}
