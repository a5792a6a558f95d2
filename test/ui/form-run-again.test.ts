import assert from "node:assert/strict";
import { FormPage } from "../support/form/form-page.ts";
import type { FormWindow } from "../support/form/form-window.ts";
import { overflowOf, violationsIn } from "./accessibility.ts";

describe("The form of an execution that runs again from a task, in a browser", () => {
  let form: FormWindow;
  const parts = new FormPage();
  const { started } = parts;
  const output = (name: string) =>
    form.page.getByRole("region", { name: "Kept outputs" }).getByRole("textbox", { name });

  async function open(width = 900): Promise<void> {
    const outputs = [
      { taskId: "research", text: "# Tea\n\nIt grows." },
      { taskId: "outline", text: "1. Leaves" },
    ];
    form = await parts.open({
      size: { width, height: 800 },
      seed: {
        given: {
          values: {
            inputs: { topic: "tea" },
            from: { executionId: "e1", taskId: "draft", title: "Tea time", outputs },
          },
          replaces: true,
        },
      },
    });
    await output("research").waitFor();
  }

  it("has no accessibility problem that axe finds in any theme, and fits a narrow window", async () => {
    await open(300);
    await output("outline").fill("1. Ships");
    assert.deepEqual(await violationsIn(parts), []);
    assert.equal(await overflowOf(form.page), 0);
  });

  it("says what runs, and sends edited inputs and only the outputs that were edited", async () => {
    await open();
    await form.page.getByRole("heading", { name: "Run Travel again" }).waitFor();
    await form.page.getByText("Runs “Tea time” again from the task “draft”.").waitFor();
    assert.equal(await output("research").inputValue(), "# Tea\n\nIt grows.");
    await parts.field("topic").fill("coffee");
    await output("outline").fill("1. Beans");
    await form.page.getByText("Edited: used in place of").waitFor();
    await output("outline").press("Control+Enter");
    await started();
    assert.deepEqual(form.sent, [
      {
        inputs: { topic: "coffee" },
        runAgain: { executionId: "e1", taskId: "draft", outputs: { outline: "1. Beans" } },
      },
    ]);
  });
});
