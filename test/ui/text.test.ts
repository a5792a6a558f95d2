import assert from "node:assert/strict";
import { CrewApi } from "../support/crew-api.ts";
import { startService, type RunningService } from "../support/service.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { approveByLens, connectCrew } from "./person.ts";
import { sharedWindow } from "./shared-window.ts";

describe("Executions to read and review, in the window", () => {
  let service: RunningService;
  const shared = sharedWindow({ "crewdeck.openExecutionsAs": "text" });
  let window: VSCodeWindow;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    const id = await new CrewApi(service).kickoff({
      inputs: { topic: "tea", audience: "colleagues" },
    });
    window = shared();
    await connectCrew(window, { url: service.url, token: service.token, name: "Writers" });
    await window.runCommand("Crewdeck: Track an Execution by Its ID…");
    await window.quickInput.answer("Track an execution of “Writers”", id);
    await window.editor.lens("Reject…").waitFor();
  });

  after(() => service.stop());

  it("reads like a page: no line numbers and minimap, wrapped, the draft that waits has a border, and its lenses have icons", async () => {
    const { editor, page } = window;
    const group = page.locator(".editor-group-container.active .editor-instance");
    assert.equal(await group.locator(".line-numbers").count(), 0);
    assert.equal(await group.locator(".minimap canvas").filter({ visible: true }).count(), 0);
    const marked = () =>
      group
        .locator(".glyph-margin-widgets .cgmr")
        .evaluateAll(
          (marks) =>
            marks.filter((mark) => getComputedStyle(mark).backgroundImage.includes("svg")).length,
        );
    await waitFor("the border of the draft", async () => (await marked()) > 2);
    await editor.tab(/^[^.]+$/).waitFor();
    for (const lens of ["Approve", "Reject…"])
      assert.equal(await editor.lens(lens).locator(".codicon").count(), 1, lens);
  });

  it("shows its IDs last and folded", async () => {
    const { editor, page } = window;
    await approveByLens(window);
    const text = await waitFor("the end", async () => {
      const whole = await editor.wholeText();
      return /^Completed · 3 of 3/m.test(whole) && whole;
    });
    assert.match(text, /## Crew and IDs\n[^#]*Kickoff ID: [^#]*$/);
    await waitFor("the folded IDs", async () => {
      // A change of the document keeps the reader's place.
      await page.keyboard.press("ControlOrMeta+End");
      const seen = await editor.visibleText();
      return seen.includes("Crew and IDs") && !seen.includes("Kickoff ID");
    });
  });
});
