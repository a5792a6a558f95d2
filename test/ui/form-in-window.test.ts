import assert from "node:assert/strict";
import { Gate } from "../support/gate.ts";
import { json } from "../support/misbehaving-server.ts";
import { startService, type RunningService } from "../support/service.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { noCallbacks } from "../support/no-callbacks.ts";
import { waitFor } from "../support/wait.ts";
import { connectCrew, openForm } from "./person.ts";
import { isSaved } from "./saved.ts";

const typed = { topic: "tea\nand cake", audience: "<b>colleagues</b>", Meta: '{ "ticket": 7 }' };
/** The same after one more keystroke. */
const kept = { ...typed, audience: `${typed.audience}!` };
const tab = "Kick off Writers";

describe("The kickoff form, in the window", () => {
  let service: RunningService;
  let gate: Gate;
  let window: VSCodeWindow;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0.1"] });
    gate = await Gate.before(service);
    window = await openWindow({ settings: noCallbacks });
    await connectCrew(window, { url: gate.url, token: service.token, name: "Writers" });
  });

  after(async () => {
    await window.close();
    await gate.stop();
    await service.stop();
  });

  const field = (name: string) =>
    window.webview.content.getByRole("textbox", { name, exact: true });
  const kickOff = () =>
    window.webview.content.getByRole("button", { name: "Kick Off", exact: true });
  const holds = async (values: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(values)) {
      await waitFor(
        `“${text}” in the field ${name}`,
        async () => (await field(name).inputValue()) === text,
      );
    }
  };

  it("uses the selection of the editor that was active when it was opened from the Command Palette", async () => {
    await window.runCommand("File: New Untitled Text File");
    await window.page.keyboard.type("rivers");
    await window.page.keyboard.press("ControlOrMeta+A");
    await window.runCommand("Crewdeck: Kick Off…");
    await window.webview.content.getByRole("button", { name: "Fill in from…: audience" }).click();
    await window.quickInput.choose("Fill in “audience” from", "Editor's Selection");
    await window.webview.content
      .getByText(/^audience was filled in from the selection in Untitled-1 \(6 bytes\)\./)
      .waitFor();
    await holds({ audience: "rivers" });
  });

  it("keeps what is typed while another tab is active", async () => {
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
    await waitFor("VS Code to have saved its editors", () => isSaved(window, kept.audience));
    await window.reload();
    await holds(kept);
    assert.equal(gate.sent("/inputs").length, asked);
  });

  it("marks the inputs that the crew reports as missing, and keeps all values", async () => {
    gate.answer(
      "/kickoff",
      json(422, {
        error: "Validation Error",
        message: "Missing required inputs",
        details: { missing_inputs: ["audience", "budget"] },
      }),
    );
    await kickOff().click();
    await window.webview.content
      .getByText("The crew needs more inputs: audience, budget")
      .waitFor();
    for (const name of ["audience", "budget"])
      assert.equal(await field(name).getAttribute("aria-invalid"), "true", name);
    assert.equal(await field("topic").getAttribute("aria-invalid"), null);
    // It is said once, and would cover the button.
    const noWay = window.messages.notification("“Writers” can't call this machine.");
    await noWay.waitFor();
    await window.runCommand("Notifications: Clear All Notifications");
    await noWay.waitFor({ state: "detached" });
    await holds(kept);
  });

  it("is sent once, however often Kick Off is clicked", async () => {
    await field("budget").fill("12");
    const held = gate.hold("/kickoff", "request");
    await kickOff().dblclick();
    const release = await held;
    await window.webview.content
      .getByRole("button", { name: "Kicking off…" })
      .click({ force: true });
    await field("topic").press("ControlOrMeta+Enter");
    release();
    await window.editor.activeTab("tea and cake").waitFor();
    const sent = gate.sent("/kickoff").map(({ body }) => JSON.parse(body) as unknown);
    assert.deepEqual(sent.slice(1), [
      {
        inputs: { topic: typed.topic, audience: kept.audience, budget: "12" },
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

  it("accepts a pasted kickoff, sends its secret without saving it, and asks only for the secret when it is run again", async () => {
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
    await content.getByRole("button", { name: "JSON", exact: true }).click();
    await window.page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      JSON.stringify(whole, undefined, 2),
    );
    // Not with Ctrl+A: VS Code selects all once more, and on a busy machine only after the paste.
    await field("Kickoff as JSON").selectText();
    await field("Kickoff as JSON").press("ControlOrMeta+v");
    await content.getByText("were moved to the fields below").waitFor();
    await holds({ "Kickoff as JSON": JSON.stringify(plain, undefined, 2) });
    const selection = () =>
      field("Kickoff as JSON").evaluate((box: HTMLTextAreaElement) => [
        box.selectionStart,
        box.selectionEnd,
        box.value.length,
      ]);
    const [start, end, length] = await selection();
    assert.deepEqual([start, end], [length, length], "the cursor stands behind what was pasted");
    assert.equal(await token.getAttribute("placeholder"), "Entered; type to replace it");
    await waitFor("VS Code to have saved its editors", () => isSaved(window, "oolong"));
    assert.equal(await isSaved(window, "hush"), false);
    await field("Kickoff as JSON").press("ControlOrMeta+Enter");
    await window.editor.activeTab("oolong").waitFor();
    assert.deepEqual(JSON.parse(gate.sent("/kickoff").at(-1)?.body ?? ""), whole);
    await window.runCommand("Crewdeck: Run Again in Form…");
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

  it("doesn't open for a crew without inputs, which starts at once", async () => {
    const before = gate.sent("/kickoff").length;
    gate.answer("/inputs", json(200, { inputs: [] }));
    gate.answer("/kickoff", json(200, { kickoff_id: "5f0f1c0e-9a51-4f52-8e0a-4d4b2f1f7a10" }));
    await window.tree.action("Writers", "Kick Off…");
    await window.editor.activeTab("5f0f1c0e").waitFor();
    assert.equal(await window.editor.tab(tab).count(), 0);
    assert.deepEqual(
      gate
        .sent("/kickoff")
        .slice(before)
        .map(({ body }) => JSON.parse(body) as unknown),
      [{ inputs: {} }],
    );
  });
});
