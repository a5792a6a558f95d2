import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { InputField } from "../../src/api/types.ts";
import { FormPage } from "../support/form/form-page.ts";
import type { FormWindow, FormWindowOptions } from "../support/form/form-window.ts";
import { waitFor } from "../support/wait.ts";
import { violationsIn } from "./accessibility.ts";

const described: readonly InputField[] = [
  { name: "topic", description: "What it is about." },
  { name: "days", type: "integer", default: 3, description: "How long it takes." },
  { name: "share", type: "number", required: false },
  { name: "loud", type: "boolean" },
  { name: "tone", enum: ["dry", "warm", 2], default: "dry" },
  { name: "options", type: "object", required: false },
];

const pasted = `{
  "inputs": { "topic": "tea" },
  "priority": 7,
  "taskWebhookUrl": null,
  "crewWebhookUrl": "https://a.test/crew",
  "humanInputWebhook": {
    "url": "https://a.test/human",
    "authentication": { "strategy": "basic", "username": "me", "password": "hush-1" }
  },
  "webhooks": {
    "events": ["task_started"],
    "url": "https://a.test/events",
    "realtime": true,
    "authentication": { "token": "hush-2", "strategy": "bearer" }
  }
}`;

describe("Values in the kickoff form, in a browser", () => {
  let form: FormWindow;
  let page: Page;
  const parts = new FormPage();
  const { field, list, mode, kickOff, button, fill, value } = parts;

  async function open(
    fields: readonly InputField[] = described,
    options: FormWindowOptions = {},
  ): Promise<void> {
    form = await parts.open({ fields, ...options });
    page = form.page;
    await kickOff().waitFor();
  }

  const seen = async (name: string) =>
    (
      await page
        .locator(".field", { has: page.getByText(name, { exact: true }) })
        .locator(".note")
        .innerText()
    ).trim();

  it("folds away the inputs that crewAI doesn't fill in, and sends them empty", async () => {
    await open([{ name: "{topic" }, { name: "topic" }, { name: '"count": 1' }]);
    const odd = page.getByText("Inputs that crewAI doesn't fill in: 2");
    assert.ok(!(await mode("{topic").isVisible()));
    await parts.isFocused("topic");
    await field("topic").fill("tea");
    await odd.click();
    assert.equal(await field("{topic").inputValue(), '""');
    await parts.start();
    assert.deepEqual(form.sent[0]?.inputs, { "{topic": "", topic: "tea", '"count": 1': "" });
  });

  it("can be omitted, empty or null, and typing takes back that one is left out", async () => {
    await open([
      ...[{ name: "left" }, { name: "back" }, { name: "empty" }, { name: "nothing" }],
      ...[
        { name: "blank", required: false },
        { name: "usual", default: "as ever" },
      ],
    ]);
    await fill({ left: "kept", usual: "" });
    for (const name of ["left", "back"]) await mode(name).selectOption("Leave out");
    for (const name of ["empty", "nothing"]) await mode(name).selectOption("JSON");
    await fill({ empty: '""', nothing: "null" });
    const left = ["left", "back", "blank", "usual"];
    assert.deepEqual(await Promise.all(left.map(seen)), Array(4).fill("Not sent."));
    await fill({ back: "here" });
    assert.equal(await seen("back"), "");
    await parts.start();
    assert.deepEqual(form.sent, [{ inputs: { back: "here", empty: "", nothing: null } }]);
  });

  it("have controls that fit the crew's description, and are kept if they don't fit it", async () => {
    await open();
    await parts.says(field("days"), /^How long it takes\./);
    assert.equal(await value("days"), "3");
    assert.equal(await list("tone").inputValue(), '"dry"');
    assert.equal(await list("loud").inputValue(), "");
    const tones = await list("tone").locator("option").allTextContents();
    assert.deepEqual(tones, ["Choose…", "dry", "warm", "2"]);
    assert.equal(await field("days").getAttribute("inputmode"), "decimal");
    await fill({ topic: "tea", days: "2.5", share: "half" });
    await kickOff().click();
    await parts.says(field("days"), /Enter a number/);
    await parts.says(field("share"), /Enter a number/);
    await parts.says(list("loud"), /This input is required/);
    assert.deepEqual([await value("days"), await value("share")], ["2.5", "half"]);
    await mode("share").selectOption("Text");
    assert.equal(await value("share"), "half");
    await fill({ days: "3" });
    await list("loud").selectOption("false");
    await list("tone").selectOption("warm");
    await parts.start();
    assert.deepEqual(form.sent, [
      { inputs: { topic: "tea", days: 3, share: "half", loud: false, tone: "warm" } },
    ]);
  });

  /** Everything that is kept of the form: the page, VS Code's state and the files on disk. */
  const kept = async () =>
    JSON.stringify(form.saved) +
    (await page.evaluate(() =>
      JSON.stringify([
        Object.entries(sessionStorage),
        Object.entries(localStorage),
        document.documentElement.outerHTML,
      ]),
    ));
  const password = () => page.getByLabel("Password for the human input callback");
  const token = () => page.getByLabel("Token for event streaming");
  /** What a secret's box holds and says in its place. */
  const shownIn = async (box: Locator) => [
    await box.inputValue(),
    await box.getAttribute("placeholder"),
  ];
  const entered = ["", "Entered; type to replace it"];
  const withBasic = () =>
    list("Authentication of the human input callback").selectOption("User name and password");
  const withToken = () => list("Authentication of event streaming").selectOption("Bearer token");

  it("include callbacks and event streaming with their authentication, and no secret after the page is closed", async () => {
    await open([{ name: "topic" }]);
    await field("topic").fill("tea");
    await page.getByText("Advanced").click();
    await field("Human input callback").fill("https://a.test/human");
    await withBasic();
    await fill({
      "User name for the human input callback": "me",
      "Event streaming": "https://a.test/events",
    });
    await withToken();
    await kickOff().click();
    await parts.says(field("Events"), /needs an address and the names of events/);
    for (const box of [password(), token()]) {
      assert.equal(await box.getAttribute("type"), "password");
      await parts.says(box, /Not saved with the draft\.\s+Enter it\./);
    }
    await field("Events").fill("task_started, task_completed");
    await list("Sending of events").selectOption("Each at once");
    await password().fill("hush-1");
    await token().fill("hush-2");
    assert.doesNotMatch(await kept(), /hush/);
    await form.hideAndShow();
    await password().waitFor();
    assert.deepEqual(await shownIn(password()), entered);
    assert.doesNotMatch(await kept(), /hush/);
    await parts.start();
    assert.deepEqual(form.sent, [
      {
        inputs: { topic: "tea" },
        humanInputWebhook: {
          url: "https://a.test/human",
          authentication: { strategy: "basic", username: "me", password: "hush-1" },
        },
        webhooks: {
          events: ["task_started", "task_completed"],
          url: "https://a.test/events",
          realtime: true,
          authentication: { strategy: "bearer", token: "hush-2" },
        },
      },
    ]);
  });

  /** Whether the page takes a pasted text, which then doesn't become the text of a box. */
  const takes = (text: string, place: Locator) =>
    place.evaluate((element, data) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", data);
      return !element.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, cancelable: true, bubbles: true }),
      );
    }, text);

  it("can come from a kickoff's body pasted into an empty field: secrets go to their boxes and are not saved, unknown members to “Extra”", async () => {
    await open([{ name: "topic" }, { name: "note", required: false }]);
    await field("note").fill("mine");
    assert.equal(await takes('{"topic": "tea"}', field("topic")), false, "it is no kickoff");
    assert.equal(await takes(pasted, field("topic")), true);
    await page
      .getByText("Members that Crewdeck doesn't know are now in “Extra”: priority.")
      .waitFor();
    for (const box of [password(), token()]) assert.deepEqual(await shownIn(box), entered);
    assert.equal(await value("Extra"), '{\n  "priority": 7\n}');
    await waitFor("the draft", async () => /a\.test\/human/.test(await kept()));
    assert.doesNotMatch(await kept(), /hush/);
    await field("Restore from").fill("k0");
    await parts.start();
    const { taskWebhookUrl, ...sent } = JSON.parse(pasted) as Record<string, unknown>;
    assert.equal(taskWebhookUrl, null, "sent by clients that have none");
    const { priority, ...known } = sent;
    assert.deepEqual(form.sent, [{ ...known, restoreFromStateId: "k0", extra: { priority } }]);
  });

  it("can come from a kickoff pasted where no text is typed, or into an empty number or JSON", async () => {
    await open([
      { name: "days", type: "integer" },
      { name: "options", type: "object" },
    ]);
    await page.getByText("Advanced").click();
    for (const name of ["Meta", "Extra", "Events", "Task callback", "Restore from"])
      assert.equal(await takes(pasted, field(name)), false, name);
    for (const place of [field("days"), field("options"), kickOff(), page.locator("body")]) {
      assert.equal(await takes(pasted, place), true);
      await page.getByText("Members that Crewdeck doesn't know").waitFor();
      await button("Clear").click();
      await page.getByText("Cleared.").waitFor();
    }
  });

  it("have no accessibility problem that axe finds in any theme: every kind of field, authentication, a value left out, sending", async () => {
    await open(described, { start: () => new Promise(() => undefined) });
    await page.getByText("Advanced").click();
    await field("Human input callback").fill("https://a.test/human");
    await withBasic();
    await withToken();
    await mode("share").selectOption("Leave out");
    await kickOff().click();
    assert.deepEqual(await violationsIn(parts), []);
    await fill({ "Human input callback": "", topic: "tea" });
    await list("loud").selectOption("true");
    await kickOff().click();
    await button("Kicking off…").waitFor();
    assert.deepEqual(await violationsIn(parts), []);
  });

  it("are asked for in VS Code's language", async () => {
    await open([{ name: "topic" }], {
      translations: { required: "erforderlich", "Asking the crew for its inputs…": "Moment…" },
    });
    await page.getByText("erforderlich").waitFor();
  });
});
