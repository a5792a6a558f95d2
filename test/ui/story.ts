import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { VSCodeWindow } from "../support/window.ts";
import { longestWait, waitFor } from "../support/wait.ts";
import { answerOnPage, feedbackBox, openForm, rejectOnPage } from "./person.ts";

/** The texts of the story: what is kicked off, and the feedback on the first draft. */
export const story = {
  topic: "tea at work",
  audience: "new colleagues",
  feedback: "Shorter, please.\nName one tea.",
};

/** From an empty window to the form of the example crew, which runs: one click in the view. */
export async function startExampleCrew(window: VSCodeWindow): Promise<void> {
  await window.tree.open("Crewdeck");
  await window.page
    .locator(".part.sidebar")
    .getByRole("button", { name: "Try the Example Crew" })
    .click();
  await window.tree.row("example_crew").waitFor();
  await window.webview.content.getByRole("button", { name: "Kick Off", exact: true }).waitFor();
}

/** Kicks the example crew off by its form, in a window where it runs, and waits until a task waits. What is in front has no notification. */
export async function kickOffStory(window: VSCodeWindow): Promise<void> {
  const { tree, webview } = window;
  await tree.open("Crewdeck");
  await tree.row("example_crew").waitFor();
  await openForm(window, "example_crew");

  const form = webview.content;
  await form.getByRole("textbox", { name: "topic" }).fill(story.topic);
  await form.getByRole("textbox", { name: "audience" }).fill(story.audience);
  await window.screenshot("form");
  await form.getByRole("button", { name: "Kick Off" }).click();

  await tree.row(story.topic).waitFor();
  await waitFor("1 on the badge", async () => (await tree.badge("Crewdeck").textContent()) === "1");
}

/** The story by mouse, in a window where the example crew runs: form, tree, page, result. */
export async function tellStory(window: VSCodeWindow): Promise<void> {
  const { tree, messages, page } = window;
  await kickOffStory(window);
  // The row is updated a moment after the badge.
  await waitFor("the row of what waits", async () =>
    (await tree.executions()).some(
      ({ label, spoken }) => label === story.topic && /waiting for you/i.test(spoken),
    ),
  );
  await tree.expand(story.topic);
  await window.screenshot("waiting");
  assert.equal(await messages.notification("waits for you").count(), 0);
  await rejectOnPage(window, story.feedback);
  await waitForPage(window, /Attempt 2[\s\S]*You asked after attempt 1:/);
  await window.screenshot("reject");
  await answerOnPage(window, "Approve");
  await checkResult(window);
  await window.screenshot("completed");
  await waitFor("no number on the badge", async () => !(await tree.badge("Crewdeck").isVisible()));
  await page.keyboard.press("Escape");
}

/** The story with the keyboard alone, from an empty window: palette, form, palette, page, palette. */
export async function tellStoryByKeyboard(window: VSCodeWindow): Promise<void> {
  const { quickInput, page, webview } = window;
  const { keyboard } = page;
  await window.runCommand("View: Show Crewdeck");
  await window.runCommand("Crewdeck: Serve…");
  await quickInput.choose("Which crew?", "example_crew");
  await webview.content.locator("textarea:focus").waitFor();

  // The palette takes the focus from the field.
  await window.runCommand("Crewdeck: Kick Off…");
  await webview.content.locator("textarea:focus").waitFor();
  await keyboard.type(story.topic);
  await tabTo(window, webview.content.getByRole("textbox", { name: "audience" }));
  await keyboard.type(story.audience);
  await keyboard.press("ControlOrMeta+Enter");

  await feedbackBox(window).waitFor();
  await window.runCommand("Crewdeck: Reject or Give Feedback…");
  await webview.content.locator("textarea:focus").waitFor();
  await keyboard.type(story.feedback);
  await tabTo(window, webview.content.getByRole("button", { name: "Reject", exact: true }));
  await keyboard.press("Space");
  await waitForPage(window, /Attempt 2[\s\S]*You asked after attempt 1:/);
  await window.runCommand("Crewdeck: Approve");
  await checkResult(window);
}

async function tabTo({ page }: VSCodeWindow, place: Locator): Promise<void> {
  await waitFor("the focus", async () => {
    await page.keyboard.press("Tab");
    return place.evaluate((element) => element.ownerDocument.activeElement === element);
  });
}

/** Waits for the end on the page: the result is the last task's output and contains the feedback. */
async function checkResult(window: VSCodeWindow): Promise<void> {
  const result =
    /3 of 3[\s\S]*Result[\s\S]*no language model was called[\s\S]*Name one tea\.[\s\S]*Tasks/;
  await waitForPage(window, result);
}

export async function waitForPage({ webview }: VSCodeWindow, text: RegExp): Promise<void> {
  const main = webview.content.locator("main");
  const shown = () => main.innerText({ timeout: 1_000 }).catch(() => "");
  await waitFor(`${String(text)} on the page`, async () => text.test(await shown()));
}

/** Waits until the open document holds a text, in view or not. Not more often: each look selects the whole document. */
export async function waitForDocument({ editor }: VSCodeWindow, text: RegExp): Promise<void> {
  const isThere = async () => text.test(await editor.wholeText());
  await waitFor(`${String(text)} in the document`, isThere, longestWait, 500);
}
