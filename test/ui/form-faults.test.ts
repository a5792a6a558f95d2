import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { CrewApiError } from "../../src/api/errors.ts";
import { MaybeStartedError } from "../../src/sending/kickoff.ts";
import { FormPage } from "../support/form/form-page.ts";
import type { FormWindow, FormWindowOptions } from "../support/form/form-window.ts";
import { waitFor } from "../support/wait.ts";

describe("Problems in the kickoff form, in a browser", () => {
  let form: FormWindow;
  let page: Page;
  const parts = new FormPage();
  const { field, mode, kickOff, isFocused } = parts;
  const tool = (name: string) => page.getByRole("button", { name, exact: true });

  async function open(options: FormWindowOptions = {}): Promise<void> {
    form = await parts.open({ fields: [{ name: "topic" }, { name: "audience" }], ...options });
    page = form.page;
  }

  it("explains why a tool isn't used while a field is invalid, and focuses the field, also in a collapsed section", async () => {
    await open();
    const complaint = page.getByRole("alert").getByText("Fix the marked error first.");
    await mode("topic").selectOption("JSON");
    await field("topic").fill("{");
    await tool("Copy as cURL").click();
    await complaint.waitFor();
    await isFocused("topic");
    await parts.says("topic", /Not JSON/);
    await field("topic").fill("{}");
    await complaint.waitFor({ state: "detached" });
    await page.getByText("Advanced").click();
    await field("Extra").fill('{"inputs": {}}');
    await page.getByText("Advanced").click();
    await tool("Save Values…").click();
    await complaint.waitFor();
    await isFocused("Extra");
    await parts.says("Extra", /“inputs” does not belong here/);
    await field("Extra").fill('{"ticket": 7}');
    await tool("Open as Request File").click();
    await waitFor("the tool", () => form.asked.length > 0);
    assert.deepEqual(form.asked, [
      ["openAsRequestFile", { inputs: { topic: {} }, extra: { ticket: 7 } }],
    ]);
  });

  it("keeps what the crew reported about other fields, and the warning about what may have started, beside an invalid field", async () => {
    const missing = new CrewApiError({
      kind: "validation",
      message: "Missing inputs: audience, topic.",
      remedy: "Fill them in.",
      missingInputs: ["audience", "topic"],
      sent: "no",
    });
    await open({ start: () => Promise.reject(missing) });
    await field("topic").fill("Otters");
    await field("audience").fill("Children");
    await kickOff().click();
    await page.getByText("Missing inputs: audience, topic.").waitFor();
    await field("topic").fill("Sea otters");
    await parts.says("audience", /The crew reports/);
    form.start = () =>
      Promise.reject(
        new MaybeStartedError("It may have started.", { id: "url:https://crew.test" }, undefined),
      );
    await kickOff().click();
    await page.getByText("It may have started.").waitFor();
    await mode("topic").selectOption("JSON");
    await field("topic").fill("{");
    await tool("Copy as cURL").click();
    await page.getByText("Fix the marked error first").waitFor();
    assert.equal(await page.getByText("It may have started.").count(), 1);
    await field("topic").fill("{}");
    await page.getByText("Fix the marked error first").waitFor({ state: "detached" });
    assert.equal(await page.getByText("It may have started.").count(), 1);
  });
});
