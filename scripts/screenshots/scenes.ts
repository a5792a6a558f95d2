import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { json, MisbehavingServer } from "../../test/support/misbehaving-server.ts";
import { connectCrew, feedbackBox, rejectOnPage } from "../../test/ui/person.ts";
import { story, startExampleCrew, waitForPage } from "../../test/ui/story.ts";
import { openWalkthrough } from "../../test/ui/walkthrough.ts";
import { waitFor } from "../../test/support/wait.ts";
import type { VSCodeWindow } from "../../test/support/window.ts";
import { aRequest, secret, signed } from "../../test/unit/callbacks/flow-samples.ts";

/** Takes a picture of the window. The camera decides which part, or skips it. */
export type Camera = (name: string) => Promise<void>;

const statusItem = '.statusbar-item[aria-label^="Crewdeck:"]';

const requestFile = "tea.kickoff.json";

/** What the flow asks about. */
const draft = {
  method_name: "review_article",
  message: "Please review this article before it is published.",
  output:
    "# Otters are back in the city\n\nOtters have returned to the river, and with them their slides. " +
    "The best places to see them:\n\n- the old harbor, at dawn\n- the mill in the park, from the bridge",
  state: {},
};

const request = {
  crew: "example_crew",
  label: "Tea for the newcomers",
  inputs: { topic: story.topic, audience: story.audience },
};

/** Makes the workspace that the pictures show. */
export function makeWorkspace(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, requestFile), `${JSON.stringify(request, null, 2)}\n`);
}

/** Drives the product from an empty window through every screen, with a real window and a real local service. */
export async function playScenes(window: VSCodeWindow, take: Camera): Promise<void> {
  await connect(window, take);
  await fillIn(window, take);
  await kickOff(window, take);
  await answer(window, take);
  await beAsked(window, take);
  await openOthers(window, take);
}

async function connect(window: VSCodeWindow, take: Camera): Promise<void> {
  const { tree, page, quickInput } = window;
  await tree.open("Crewdeck");
  await page.getByRole("button", { name: "Try the Example Crew" }).waitFor();
  await lookAway(window);
  await untilStarted(window);
  await take("welcome");
  await page.getByRole("button", { name: "Connect a Crew", exact: true }).click();
  await quickInput.waitFor("Address of the crew");
  await quickInput.input.fill("https://travel.example.com/kickoff");
  await quickInput.widget.getByText("Connects to").waitFor();
  await take("connect");
  // The next box would begin with it.
  await quickInput.input.fill("");
  await quickInput.dismiss();
  await startExampleCrew(window);
}

async function fillIn(window: VSCodeWindow, take: Camera): Promise<void> {
  const { webview } = window;
  const form = webview.content;
  await form.getByRole("textbox", { name: "topic" }).fill(story.topic);
  await form.getByRole("textbox", { name: "audience" }).fill(story.audience);
  await form.getByRole("button", { name: "Clear", exact: true }).waitFor();
  await lookAway(window);
  await take("form");
  await form.getByText("Advanced").click();
  await form.getByRole("textbox", { name: "Crew callback" }).scrollIntoViewIfNeeded();
  await take("form-advanced");
}

async function kickOff(window: VSCodeWindow, take: Camera): Promise<void> {
  const { webview, messages, page } = window;
  await webview.content.getByRole("button", { name: "Kick Off", exact: true }).click();
  await webview.content.getByRole("heading", { name: story.topic }).waitFor();
  // A notification comes only for what is not in front. The keys are quicker than the palette, and than the first tasks.
  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+W");
  await messages.notification("waits for you").waitFor();
  await take("toast");
  const tooltip = page.locator(".monaco-hover").filter({ hasText: "to review" });
  await waitFor("the status bar item's tooltip", async () => {
    // A redrawn item loses its hover.
    await lookAway(window);
    await page.locator(statusItem).hover();
    return tooltip.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  });
  await take("status-bar");
  await openWhatWaits(window);
  await feedbackBox(window).waitFor();
}

async function answer(window: VSCodeWindow, take: Camera): Promise<void> {
  const { editor } = window;
  await feedbackBox(window).fill(story.feedback);
  await lookAway(window);
  await take("reject");
  await rejectOnPage(window, story.feedback);
  await waitForPage(window, /You asked after attempt 1:/);
  await window.runCommand("Crewdeck: Compare with Previous Attempt");
  await editor.tab("attempt 1 ↔ attempt 2").waitFor();
  await editor.waitForText("rejected: Shorter");
  await take("compare");
  await window.runCommand("View: Close Editor");
  await window.runCommand("Crewdeck: Approve");
  await waitForPage(window, /3 of 3/);
  await lookAway(window);
  await waitFor("the end", async () =>
    (await window.tree.executions()).some(({ description }) => description.startsWith("Completed")),
  );
  await window.runCommand("Notifications: Clear All Notifications");
  await take("completed");
}

/** By a deployed flow, of which only the webhook and a crew's answers are played. */
async function beAsked(window: VSCodeWindow, take: Camera): Promise<void> {
  const { tree, quickInput, messages, webview, page } = window;
  const deployment = await MisbehavingServer.start();
  deployment.otherwise = json(200, { state: "NOT FOUND", inputs: [] });
  try {
    await window.runCommand("View: Close All Editors");
    await connectCrew(window, { url: deployment.url, token: "a-token", name: "Articles" });
    await window.runCommand("Notifications: Clear All Notifications");
    await tree.menu("Articles", "Test Callbacks");
    await messages.answer("Callbacks work", "More…");
    await quickInput.choose("Callbacks", "Copy Feedback Webhook Address");
    await messages.answer("set its secret here", "Set Feedback Secret…");
    await quickInput.answer("Feedback Secret of “Articles”", secret);
    await messages.statusItem("is saved").waitFor();
    const webhook = await page.evaluate(() => navigator.clipboard.readText());
    const asked = aRequest(draft, { callback_url: `${deployment.url}/callback` });
    const { headers, body } = signed("", asked, Date.now());
    await fetch(webhook, { method: "POST", headers, body: new Uint8Array(body) });
    await messages.answer(`waits for you at task “${draft.method_name}”`, "Open");
    await webview.content.getByRole("button", { name: "request_changes" }).waitFor();
    await window.runCommand("Notifications: Clear All Notifications");
    await lookAway(window);
    await take("flow");
  } finally {
    await deployment.stop();
  }
}

async function openOthers(window: VSCodeWindow, take: Camera): Promise<void> {
  const { tree, editor, page } = window;
  await window.runCommand("View: Close All Editors");
  await tree.open("Explorer");
  await page
    .locator(".explorer-folders-view .monaco-list-row")
    .filter({ hasText: requestFile })
    .dblclick();
  await editor.lens("Kick Off").waitFor();
  await take("request-file");
  // VS Code hides a step's picture while its editor is at most 950 pixels wide (observed in 1.139).
  await page.setViewportSize({ width: 1280, height: 800 });
  await window.runCommand("View: Toggle Primary Side Bar Visibility");
  await openWalkthrough(window);
  await page
    .locator(".gettingStartedContainer .step-media, .gettingStartedContainer img")
    .last()
    .waitFor();
  await take("walkthrough");
}

/** Opens it from the notification or, after that has closed by itself, from the status bar. */
export async function openWhatWaits({ messages, page }: VSCodeWindow): Promise<void> {
  const button = messages
    .notification("waits for you")
    .getByRole("button", { name: "Open", exact: true });
  await button.click({ timeout: 2_000 }).catch(() => page.locator(statusItem).click());
}

/** Waits until the window shows no progress of its start. */
export async function untilStarted({ tree, page, messages }: VSCodeWindow): Promise<void> {
  const progress = [
    messages.statusItem("Activating Extensions"),
    page.locator(".part.sidebar .monaco-progress-container.active"),
    tree.badge("Crewdeck"),
  ];
  await waitFor("a window without progress", async () =>
    (await Promise.all(progress.map((mark) => mark.first().isVisible()))).every(
      (isSeen) => !isSeen,
    ),
  );
}

/** Moves the mouse to an empty part of the view until no hover is shown. */
export async function lookAway({ page }: VSCodeWindow): Promise<void> {
  const bottom = (page.viewportSize()?.height ?? 0) - 150;
  let isUp = false;
  await waitFor("no hover", async () => {
    isUp = !isUp;
    await page.mouse.move(150, isUp ? bottom : bottom + 20);
    return (await page.locator(".monaco-hover:visible").count()) === 0;
  });
}
