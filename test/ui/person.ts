import { errors, type Locator } from "playwright-core";
import type { VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";

/** Connects a crew through the command palette, as a person does, and waits for its row in the view. */
export async function connectCrew(
  window: VSCodeWindow,
  { url, token, name }: Readonly<Record<"url" | "token" | "name", string>>,
): Promise<void> {
  const { quickInput, tree } = window;
  await tree.open("Crewdeck");
  await window.runCommand("Crewdeck: Add Crew…");
  await quickInput.answer("Address of the crew", url);
  await quickInput.answer("Token for", token);
  await quickInput.choose("Which type of token", "Bearer Token");
  await quickInput.answer("Name of the crew", name);
  await tree.row(name).waitFor();
}

export async function openForm({ tree, webview }: VSCodeWindow, crew: string): Promise<void> {
  await untilSeen(
    `the form of ${crew}`,
    () => tree.action(crew, "Kick Off…"),
    () => webview.content.getByRole("button", { name: "Kick Off", exact: true }).isVisible(),
  );
}

/** Opens an execution's document with a click on its row, which scrolls to the output that waits. */
export async function openExecution(
  { tree, editor }: VSCodeWindow,
  title: string,
  isSeen = () => editor.activeTab(title).isVisible(),
): Promise<void> {
  await untilSeen(`the document of ${title}`, () => tree.click(title), isSeen);
}

/** Approves with the lens above the output that waits, and waits until the lens is gone. */
export async function approveByLens(window: VSCodeWindow): Promise<void> {
  await answerByLens(window, "Approve");
}

/** Gives an answer that a flow names. @param isSeen whether the answer was given; else the lens is gone */
export async function answerByLens(
  window: VSCodeWindow,
  answer: string,
  isSeen?: () => Promise<boolean>,
): Promise<void> {
  const lens = await waitingLens(window, answer);
  await untilSeen(
    "the answer",
    () => lens.click({ timeout: 5_000 }),
    isSeen ?? (async () => (await lens.count()) === 0),
  );
}

/** Rejects with a lens above the output that waits, which leads to the box of its page. */
export async function rejectByLens(window: VSCodeWindow, words: string): Promise<void> {
  const lens = await waitingLens(window, "Reject…");
  await untilSeen(
    "the page's box",
    () => lens.click({ timeout: 5_000 }),
    () => feedbackBox(window).isVisible(),
  );
  await rejectOnPage(window, words);
}

export function feedbackBox({ webview }: VSCodeWindow): Locator {
  return webview.content.getByRole("textbox", { name: "Feedback" });
}

export async function rejectOnPage(window: VSCodeWindow, words: string): Promise<void> {
  await feedbackBox(window).fill(words);
  await window.webview.content.getByRole("button", { name: "Reject", exact: true }).click();
}

/** Presses a button beside the output that waits, and waits until that is answered. */
export async function answerOnPage({ webview }: VSCodeWindow, answer: string): Promise<void> {
  const button = webview.content.getByRole("button", { name: answer, exact: true });
  await button.waitFor();
  await untilSeen(
    "the answer",
    () => button.click({ timeout: 5_000 }),
    async () => (await button.count()) === 0,
  );
}

export async function waitingLens({ editor }: VSCodeWindow, title: string): Promise<Locator> {
  const lens = editor.lens(title);
  // While the document changes, VS Code keeps the lens at its old place beside the new one.
  await untilSeen(
    `one lens ${title}`,
    async () => {
      if ((await lens.count()) === 0) await editor.lens("Go to Output").click({ timeout: 5_000 });
    },
    async () => (await lens.count()) === 1,
  );
  return lens;
}

/** Playwright has no type for an error about several elements. */
function isDrawnTwice(error: unknown): boolean {
  return error instanceof Error && error.message.includes("strict mode violation");
}

/** VS Code loses a click on a row or a lens that is being redrawn, and a person clicks again. */
export async function untilSeen(
  what: string,
  click: () => Promise<void>,
  isSeen: () => Promise<boolean>,
): Promise<void> {
  await waitFor(what, async () => {
    await click().catch((error: unknown) => {
      // It may be gone, or still be drawn at its old place, too: search again.
      if (!(error instanceof errors.TimeoutError) && !isDrawnTwice(error)) throw error;
    });
    return waitFor(what, isSeen, 5_000).catch(() => false);
  });
}
