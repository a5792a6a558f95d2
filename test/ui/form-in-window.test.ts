import assert from "node:assert/strict";
import { Gate } from "../support/gate.ts";
import { startService, type RunningService } from "../support/service.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { noCallbacks } from "../support/no-callbacks.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, openForm } from "./person.ts";
import { isSaved, untilSaved } from "./saved.ts";
import { sharedWindow } from "./shared-window.ts";

const typed = { topic: "tea\nand cake", audience: "<b>colleagues</b>", Meta: '{ "ticket": 7 }' };
/** The same after one more keystroke. */
const kept = { ...typed, audience: `${typed.audience}!` };
const tab = "Kick off Writers";

describe("The kickoff form, in the window", () => {
  let service: RunningService;
  let gate: Gate;
  const shared = sharedWindow(noCallbacks);
  let window: VSCodeWindow;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    gate = await Gate.before(service);
    window = shared();
    await connectCrew(window, { url: gate.url, token: service.token, name: "Writers" });
  });

  after(async () => {
    await gate.stop();
    await service.stop();
  });

  const field = (name: string) =>
    window.webview.content.getByRole("textbox", { name, exact: true });
  const kickOff = () =>
    window.webview.content.getByRole("button", { name: "Kick Off", exact: true });
  const holds = async (values: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(values))
      await waitFor(
        `“${text}” in the field ${name}`,
        async () => (await field(name).inputValue()) === text,
      );
  };

  it("keeps what is typed while another tab is active", async () => {
    await openForm(window, "Writers");
    await field("topic").fill(typed.topic);
    await field("audience").fill(typed.audience);
    await window.webview.content.getByText("Advanced").click();
    await field("Meta").fill(typed.Meta);
    await window.runCommand("File: New Untitled Text File");
    await field("topic").waitFor({ state: "detached" });
    await window.editor.tab(tab).click();
    await holds(typed);
  });

  it("keeps what is typed when it moves to another editor group", async () => {
    await window.runCommand("View: Move Editor into Right Group");
    await waitFor(
      "two groups",
      async () => (await window.page.locator(".editor-group-container").count()) === 2,
    );
    await holds(typed);
  });

  it("keeps what is typed when the window is reloaded, without a request", async () => {
    const asked = gate.sent("/inputs").length;
    await field("audience").press("End");
    await field("audience").pressSequentially("!");
    // The panel with its newest draft.
    await untilSaved(window, "</b>!");
    await window.reload();
    await holds(kept);
    assert.equal(gate.sent("/inputs").length, asked);
  });

  it("is sent with all that was typed, and closes", async () => {
    await kickOff().click();
    await window.editor.activeTab("tea and cake").waitFor();
    const sent = gate.sent("/kickoff").map(({ body }) => JSON.parse(body) as unknown);
    assert.deepEqual(sent, [
      {
        inputs: { topic: typed.topic, audience: kept.audience },
        meta: { ticket: 7 },
      },
    ]);
    assert.equal(await window.editor.tab(tab).count(), 0, "it has closed");
  });

  it("starts with the last sent values, and is sent with Ctrl+Enter", async () => {
    const before = gate.sent("/kickoff").length;
    await openForm(window, "Writers");
    await window.webview.content.getByText("Filled in with the last sent values.").waitFor();
    await holds(kept);
    await field("topic").fill("coffee");
    await field("topic").press("ControlOrMeta+Enter");
    await window.editor.activeTab("coffee").waitFor();
    assert.equal(gate.sent("/kickoff").length, before + 1);
  });

  it("accepts a pasted kickoff, sends its secret without saving it, and asks only for the secret when the form is filled in from its execution", async () => {
    const { content } = window.webview;
    const token = content.getByLabel("Token for the human input callback");
    const plain = {
      inputs: { topic: "oolong", audience: "all" },
      humanInputWebhook: {
        url: "http://127.0.0.1:9/human",
        authentication: { strategy: "bearer" },
      },
    };
    const whole = {
      ...plain,
      humanInputWebhook: {
        ...plain.humanInputWebhook,
        authentication: { strategy: "bearer", token: "hush-oolong" },
      },
    };
    await openForm(window, "Writers");
    await content.getByRole("button", { name: "Clear" }).click();
    await holds({ topic: "" });
    await window.page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      JSON.stringify(whole, undefined, 2),
    );
    await field("topic").press("ControlOrMeta+v");
    await content.getByText("Filled in.").waitFor();
    await holds(plain.inputs);
    assert.equal(await token.getAttribute("placeholder"), "Entered; type to replace it");
    await untilSaved(window, "audience");
    assert.equal(await isSaved(window, "hush"), false);
    await field("topic").press("ControlOrMeta+Enter");
    await window.editor.activeTab("oolong").waitFor();
    assert.deepEqual(JSON.parse(gate.sent("/kickoff").at(-1)?.body ?? ""), whole);
    await openForm(window, "Writers");
    await content.getByRole("button", { name: "Fill In From…", exact: true }).click();
    await window.quickInput.choose("Choose the values to fill in", "oolong · all");
    await waitFor("the focus in the missing secret", () =>
      token.evaluate((box) => box === document.activeElement),
    );
    await token.fill("hush-again");
    await token.press("ControlOrMeta+Enter");
    await waitFor(
      "the second kickoff",
      () => gate.sent("/kickoff").at(-1)?.body.includes("hush-again") === true,
    );
    await waitFor("the form's end", async () => (await window.editor.tab(tab).count()) === 0);
  });
});
