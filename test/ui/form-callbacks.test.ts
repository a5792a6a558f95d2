import assert from "node:assert/strict";
import { FormPage } from "../support/form/form-page.ts";
import type { FormWindow } from "../support/form/form-window.ts";
import { waitFor } from "../support/wait.ts";
import { overflowOf, violationsIn } from "./accessibility.ts";

describe("The form of a crew whose callbacks can't come, in a browser", () => {
  let form: FormWindow;
  const parts = new FormPage();
  let pressed: string[];
  const text = "No callback can come.";
  const hint = () => form.page.getByText(text);
  const link = (name: string) => form.page.getByRole("button", { name, exact: true });

  async function open(width = 900): Promise<void> {
    pressed = [];
    form = await parts.open({ size: { width, height: 800 } });
    const titles = ["Set Up Callbacks…", "Test Callbacks", "Don't Show Again"];
    const actions = titles.map((title) => ({ title, run: () => pressed.push(title) }));
    form.session.tell("hint", { text, actions });
    await hint().waitFor();
  }

  it("has no accessibility problem that axe finds in any theme, and fits a narrow window", async () => {
    await open(300);
    assert.deepEqual(await violationsIn(parts), []);
    assert.equal(await overflowOf(form.page), 0);
  });

  it("says so in one line with links, and goes when the person hides it", async () => {
    await open();
    await link("Set Up Callbacks…").click();
    await link("Test Callbacks").click();
    await link("Don't Show Again").click();
    await waitFor("the links", () => pressed.length === 3);
    assert.deepEqual(pressed, ["Set Up Callbacks…", "Test Callbacks", "Don't Show Again"]);
    form.session.takeFocus();
    form.session.tell("hint", undefined);
    await hint().waitFor({ state: "detached" });
    await parts.isFocused("topic");
  });
});
