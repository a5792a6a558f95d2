import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { readStatus } from "../../src/api/read-status.ts";
import { CrewApi } from "../support/crew-api.ts";
import { Gate } from "../support/gate.ts";
import { startService, type RunningService } from "../support/service.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, rejectByLens, untilSeen } from "./person.ts";

const canned = [
  { label: "Too long", text: "Half as long, please.", kind: "reject" },
  { label: "Sources", text: "Name your sources." },
  { label: "Fine", text: "Good work.", kind: "approve" },
];

describe("Feedback, in the window", () => {
  let service: RunningService;
  let gate: Gate;
  let api: CrewApi;
  let window: VSCodeWindow;
  let id: string;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    gate = await Gate.before(service);
    api = new CrewApi(service);
    id = await api.kickoff({ inputs: { topic: "tea", audience: "colleagues" } });
    window = await openWindow({
      settings: {
        "workbench.colorTheme": "Default Dark Modern",
        "crewdeck.feedback.cannedAnswers": canned,
      },
    });
    await connectCrew(window, { url: gate.url, token: service.token, name: "Writers" });
    await window.tree.menu("Writers", "Track an Execution by Its ID…");
    await window.quickInput.answer("Track an execution of “Writers”", id);
    await window.editor.lens("Reject…").waitFor();
  });

  after(async () => {
    await window.close();
    await gate.stop();
    await service.stop();
  });

  /** The text in a thread's box, on one line: an empty line is drawn with a space. */
  const written = async (thread: Locator) =>
    (await thread.locator(".comment-form .view-lines").innerText()).replace(/\s+/g, " ").trim();
  const panel = () => window.page.locator(".part.panel");

  it("a thread shows what is sent and to which crew, and inserts canned answers below what was typed", async () => {
    const { editor, quickInput, page } = window;
    const thread = await rejectByLens(window);
    await thread.getByText("All of it becomes context for later tasks").waitFor();
    assert.match(
      await thread.innerText(),
      /Reject “outline” – “Writers” \(127\.0\.0\.1:\d+\) runs it again; later tasks in “/,
    );
    await window.screenshot("feedback-thread");
    await editor.writeInThread(thread, "My own words.");
    await editor.pressInThread(thread, "Insert Canned Answer…");
    await quickInput.waitFor("Insert into your feedback");
    const offered = await quickInput.labels();
    assert.deepEqual(
      canned.map(({ label }) => offered.includes(label)),
      [true, true, false],
      "those that fit a rejection",
    );
    await window.screenshot("feedback-canned");
    await quickInput.choose("Insert into your feedback", "Too long");
    await waitFor(
      "both texts",
      async () => (await written(thread)) === "My own words. Half as long, please.",
    );
    await page.keyboard.type(" Thanks.");
    await waitFor("the cursor at its end", async () =>
      (await written(thread)).endsWith("please. Thanks."),
    );
    await window.screenshot("feedback-inserted");
    assert.equal(await panel().isVisible(), false, "no panel opens by itself");
  });

  it("a saved draft survives a reload of the window, and a lens opens it", async () => {
    const { editor } = window;
    await editor.pressInThread(editor.thread("Reject"), "Save Draft");
    await editor.lens("Edit Draft…").waitFor();
    await editor.thread("Reject").waitFor({ state: "detached" });
    await window.reload();
    await editor.lens("Edit Draft…").waitFor();
    await window.screenshot("feedback-draft");
    const thread = await rejectByLens(window, "Edit Draft…");
    await waitFor(
      "the draft",
      async () => (await written(thread)) === "My own words. Half as long, please. Thanks.",
    );
  });

  it("a message explains that a pause was answered elsewhere, and the text is kept", async () => {
    const { editor, messages } = window;
    // The window must not know it yet when the person sends: otherwise the thread shows it and has no “Send”.
    const asked = await gate.hold(`/${id}/status`, "request");
    const answer = await api.post("/resume", {
      execution_id: id,
      task_id: "outline",
      human_feedback: "From elsewhere.",
      is_approve: false,
    });
    assert.equal(answer.status, 200);
    await waitFor("the next attempt", async () => {
      const { waiting } = readStatus((await api.get(`/${id}/status`)).body);
      return waiting?.attempt === 2;
    });
    await editor.pressInThread(editor.thread("outline"), "Send");
    await messages.notification("Your feedback was not sent").waitFor();
    asked();
    const late = editor.thread("No longer waits; your text is saved");
    await waitFor(
      "the text in the box again",
      async () =>
        (await late.isVisible()) &&
        (await written(late)) === "My own words. Half as long, please. Thanks.",
    );
    assert.equal(await panel().isVisible(), false, "no panel opens by itself");
    await window.screenshot("feedback-stale");
    await messages.answer("Your feedback was not sent", "Compare with Previous Attempt");
    await editor.tab("outline: attempt 1 ↔ attempt 2").waitFor();
    for (const action of ["Approve", "Reject…"])
      await window.page
        .locator(`.editor-group-container.active .editor-actions [aria-label^="${action}"]`)
        .waitFor();
    await window.screenshot("feedback-compare");
  });

  it("a lens at the top opens the text that was too late, which can be copied", async () => {
    const { editor, quickInput, page } = window;
    await editor.tab(id.slice(0, 8)).click();
    const openDraft = async () => {
      // Then its start is in view, whether the editor or the thread's box had focus.
      await editor.wholeText();
      await editor.lens("Unsent Draft…").click({ timeout: 5_000 });
    };
    await untilSeen("the draft", openDraft, () =>
      quickInput.asks("Unsent draft for “outline”, attempt 1"),
    );
    await window.screenshot("feedback-left-over");
    await quickInput.choose("Unsent draft for “outline”, attempt 1", "Copy");
    await waitFor(
      "the text on the clipboard",
      async () =>
        (await page.evaluate(() => navigator.clipboard.readText())) ===
        "My own words.\n\nHalf as long, please. Thanks.",
    );
  });
});
