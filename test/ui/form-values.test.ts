import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { InputField } from "../../src/api/types.ts";
import { descriptionOf, FormPage } from "../support/form/form-page.ts";
import type { FormWindow, FormWindowOptions } from "../support/form/form-window.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/executions/samples.ts";
import { violationsIn } from "./accessibility.ts";

const described: readonly InputField[] = [
  { name: "topic", description: "What it is about." },
  { name: "days", type: "integer", default: 3, description: "How long it takes." },
  { name: "share", type: "number", required: false },
  { name: "loud", type: "boolean" },
  { name: "tone", enum: ["dry", "warm", 2], default: "dry" },
  { name: "options", type: "object", required: false },
];

/** A complete kickoff request, to paste. */
const pasted = `{
  "inputs": { "topic": "tea" },
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
  const { field, list, mode, kickOff, view, json } = parts;

  async function open(
    fields: readonly InputField[] = described,
    options: Partial<FormWindowOptions> = {},
  ): Promise<void> {
    form = await parts.open({
      inputs: () => Promise.resolve({ fields, raw: {} }),
      send: () => Promise.resolve(anExecution()),
      ...options,
    });
    page = form.page;
    await kickOff().waitFor();
  }

  const started = () => waitFor("the start", () => form.started.length === 1);
  /** The visible text below an input's label. */
  const seen = async (name: string) =>
    (
      await page
        .locator(".field", { has: page.getByText(name, { exact: true }) })
        .locator(".note")
        .innerText()
    ).trim();

  it("folds away the inputs that crewAI doesn't fill in, and sends them empty", async () => {
    await open([{ name: "{topic" }, { name: "topic" }, { name: '"count": 1' }]);
    const odd = page.getByText("2 inputs that crewAI doesn't fill in");
    assert.ok(!(await mode("{topic").isVisible()));
    await parts.isFocused("topic");
    await field("topic").fill("tea");
    await odd.click();
    assert.equal(await mode("{topic").inputValue(), "empty");
    await kickOff().click();
    await started();
    assert.deepEqual(form.sent[0]?.inputs, { "{topic": "", topic: "tea", '"count": 1': "" });
  });

  it("are the same in the form and in JSON, also for inputs that the crew doesn't list", async () => {
    await open();
    await field("topic").fill("tea");
    await mode("share").selectOption("null");
    await page.getByText("Advanced").click();
    await field("Meta").fill('{"ticket": 7}');
    await view("JSON").click();
    assert.deepEqual(JSON.parse(await json().inputValue()), {
      inputs: { topic: "tea", days: 3, share: null, tone: "dry" },
      meta: { ticket: 7 },
    });
    assert.equal(await view("JSON").getAttribute("aria-pressed"), "true");
    await json().fill(
      '{"inputs": {"topic": "", "days": 5, "loud": true, "tone": 2, "extra": [1]}, "meta": {"ticket": 8}}',
    );
    await view("Form").click();
    assert.deepEqual(
      await Promise.all(["topic", "share", "extra"].map((name) => mode(name).inputValue())),
      ["empty", "omit", "json"],
    );
    assert.deepEqual(
      [
        await field("days").inputValue(),
        await list("loud").inputValue(),
        await list("tone").inputValue(),
      ],
      ["5", "true", "2"],
    );
    assert.equal(await field("extra").inputValue(), "[1]");
    assert.equal(await field("Meta").inputValue(), '{"ticket": 8}');
    await page.getByText("not listed by the crew").waitFor();
    await kickOff().click();
    await started();
    assert.deepEqual(form.sent, [
      { inputs: { topic: "", days: 5, loud: true, tone: 2, extra: [1] }, meta: { ticket: 8 } },
    ]);
  });

  it("stay JSON while that is invalid: the error's position is shown and focused, a hidden page keeps it, and the last valid JSON can be restored", async () => {
    await open([{ name: "topic" }]);
    await field("topic").fill("tea");
    await view("JSON").click();
    const broken = '{\n  "inputs": {"topic" "coffee"}\n}';
    await json().fill(broken);
    await view("Form").click();
    assert.equal(await json().getAttribute("aria-invalid"), "true");
    assert.match(
      await descriptionOf(json()),
      /Not JSON: line 2, column 22: a colon is expected\.$/,
    );
    assert.equal(
      await json().evaluate((box: HTMLTextAreaElement) => box.selectionStart),
      broken.indexOf('"coffee"'),
    );
    await kickOff().click();
    await page.getByText("Nothing was sent.").waitFor();
    await form.hideAndShow();
    await json().waitFor();
    assert.equal(await json().inputValue(), broken);
    assert.deepEqual(form.sent, []);
    await page.getByRole("button", { name: "Revert to the last valid JSON" }).click();
    assert.equal(await field("topic").inputValue(), "tea");
  });

  it("can be omitted, empty or null, which look different and are sent differently", async () => {
    await open([
      { name: "left" },
      { name: "empty" },
      { name: "nothing" },
      { name: "blank", required: false },
      { name: "usual", default: "as ever" },
      { name: "text" },
    ]);
    await field("text").fill("x");
    await field("usual").fill("");
    await mode("left").selectOption("Leave out");
    await mode("empty").selectOption("Empty text");
    await mode("nothing").selectOption("null");
    assert.deepEqual(await Promise.all(["left", "empty", "nothing", "blank", "usual"].map(seen)), [
      "Left out: not sent.",
      'Sent as an empty text: "".',
      "Sent as null.",
      "Not sent while it is blank.",
      "Not sent while it is blank: the crew uses its default.",
    ]);
    for (const name of ["left", "empty", "nothing"])
      assert.equal(await field(name).isVisible(), false, name);
    await kickOff().click();
    await started();
    assert.deepEqual(form.sent, [{ inputs: { empty: "", nothing: null, text: "x" } }]);
  });

  it("have controls that fit the crew's description, and are kept if they don't fit it", async () => {
    await open();
    assert.match(await descriptionOf(field("days")), /^How long it takes\./);
    assert.deepEqual(
      [
        await field("days").inputValue(),
        await list("tone").inputValue(),
        await list("loud").inputValue(),
      ],
      ["3", '"dry"', ""],
    );
    assert.deepEqual(await list("tone").locator("option").allTextContents(), [
      "Choose…",
      "dry",
      "warm",
      "2",
    ]);
    assert.deepEqual(
      [
        await field("days").getAttribute("inputmode"),
        await field("share").getAttribute("inputmode"),
      ],
      ["numeric", "decimal"],
    );
    await field("topic").fill("tea");
    await field("days").fill("2.5");
    await field("share").fill("half");
    await kickOff().click();
    assert.match(await descriptionOf(field("days")), /Enter a whole number/);
    assert.match(await descriptionOf(field("share")), /Enter a number/);
    assert.match(await descriptionOf(list("loud")), /This input is required/);
    assert.deepEqual(
      [await field("days").inputValue(), await field("share").inputValue()],
      ["2.5", "half"],
    );
    await mode("share").selectOption("Text");
    assert.equal(await field("share").inputValue(), "half");
    await page.getByRole("button", { name: "Reset to default: days" }).click();
    await list("loud").selectOption("false");
    await list("tone").selectOption("warm");
    await kickOff().click();
    await started();
    assert.deepEqual(form.sent, [
      { inputs: { topic: "tea", days: 3, share: "half", loud: false, tone: "warm" } },
    ]);
  });

  it("can be inserted from another source, which the field shows; Undo restores the earlier value", async () => {
    await open([{ name: "topic" }, { name: "audience" }]);
    await field("topic").fill("tea");
    await field("audience").fill("all");
    form.taken = Promise.resolve({
      text: "rivers\nand lakes",
      from: "the selection in notes.md (16 bytes)",
    });
    await page.getByRole("button", { name: "Fill in from…: topic" }).click();
    await page
      .getByText("topic was filled in from the selection in notes.md (16 bytes).")
      .waitFor();
    assert.deepEqual(
      [await field("topic").inputValue(), await field("audience").inputValue()],
      ["rivers\nand lakes", "all"],
    );
    assert.ok(await field("topic").evaluate((box) => box === document.activeElement));
    await page.getByRole("button", { name: "Undo" }).click();
    await waitFor("what was typed", async () => (await field("topic").inputValue()) === "tea");
  });

  it("include callbacks and event streaming with their authentication, and no secret after the page is closed", async () => {
    await open([{ name: "topic" }]);
    await field("topic").fill("tea");
    await page.getByText("Advanced").click();
    await field("Human input callback").fill("https://a.test/human");
    await list("Authentication of the human input callback").selectOption("User name and password");
    await field("User name for the human input callback").fill("me");
    await field("Event streaming").fill("https://a.test/events");
    await list("Authentication of event streaming").selectOption("Bearer token");
    await kickOff().click();
    assert.match(await descriptionOf(field("Events")), /at least one event/);
    const [password, token] = [
      page.getByLabel("Password for the human input callback"),
      page.getByLabel("Token for event streaming"),
    ];
    for (const box of [password, token]) {
      assert.equal(await box.getAttribute("type"), "password");
      assert.match(await descriptionOf(box), /Not saved with the draft\.\s+Enter it\./);
    }
    await field("Events").fill("task_started, task_completed");
    await page.getByLabel("Send each event at once").check();
    await password.fill("hush-1");
    await token.fill("hush-2");
    const kept = () =>
      page.evaluate(() =>
        JSON.stringify([
          Object.entries(sessionStorage),
          Object.entries(localStorage),
          document.documentElement.outerHTML,
        ]),
      );
    assert.match(await kept(), /a\.test\/human/);
    assert.doesNotMatch(await kept(), /hush/);
    await form.hideAndShow();
    await password.waitFor();
    assert.deepEqual(
      [await password.inputValue(), await password.getAttribute("placeholder")],
      ["", "Entered; type to replace it"],
    );
    assert.doesNotMatch(JSON.stringify(form.saved) + (await kept()), /hush/);
    await kickOff().click();
    await started();
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

  /** Everything that is stored of the form: VS Code's state and the files on disk. */
  const keptOf = async () =>
    JSON.stringify(form.saved) +
    (await page.evaluate(() =>
      JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]),
    ));
  const [password, token] = [
    () => page.getByLabel("Password for the human input callback"),
    () => page.getByLabel("Token for event streaming"),
  ];
  const caret = () => json().evaluate((box: HTMLTextAreaElement) => box.selectionStart);

  it("can come from a pasted kickoff, whose secrets move to their boxes, with a message, and are not saved", async () => {
    await open([{ name: "topic" }]);
    await view("JSON").click();
    assert.equal(
      await page.locator("details").isVisible(),
      false,
      "nothing is left to enter beside the text",
    );
    await json().selectText();
    await page.keyboard.insertText(pasted);
    await page.getByText("were moved to the fields below").waitFor();
    const shown = pasted.replace(', "password": "hush-1"', "").replace('"token": "hush-2", ', "");
    assert.deepEqual([await json().inputValue(), await caret()], [shown, shown.length]);
    for (const box of [password(), token()])
      assert.deepEqual(
        [await box.inputValue(), await box.getAttribute("placeholder")],
        ["", "Entered; type to replace it"],
      );
    assert.deepEqual(
      await page.locator("details label").filter({ visible: true }).allTextContents(),
      ["Password for the human input callback", "Token for event streaming"],
    );
    await waitFor("the draft", () => form.saved.length > 0);
    assert.match(await keptOf(), /a\.test\/human/);
    assert.doesNotMatch(await keptOf(), /hush/);
    await form.hideAndShow();
    await json().waitFor();
    assert.equal(await json().inputValue(), shown);
    await view("Form").click();
    assert.deepEqual(
      [
        await field("Human input callback").inputValue(),
        await field("User name for the human input callback").inputValue(),
        await field("Events").inputValue(),
      ],
      ["https://a.test/human", "me", "task_started"],
    );
    await view("JSON").click();
    const written = await json().inputValue();
    await view("Form").click();
    await view("JSON").click();
    assert.equal(await json().inputValue(), written);
    await kickOff().click();
    await started();
    assert.deepEqual(form.sent, [
      { ...(JSON.parse(pasted.replace('  "taskWebhookUrl": null,\n', "")) as object) },
    ]);
    assert.doesNotMatch(await keptOf(), /hush/);
  });

  it("keep a secret in the JSON only in memory while it is typed there, and remove it when the cursor leaves", async () => {
    await open([{ name: "topic" }]);
    await view("JSON").click();
    const [before, after] = [
      '{"inputs": {"topic": "tea"}, "humanInputWebhook": {"url": "https://a.test/h", "authentication": {"strategy": "bearer", "token": "',
      '"}}}',
    ];
    await json().fill(before + after);
    await json().evaluate(
      (box: HTMLTextAreaElement, at) => box.setSelectionRange(at, at),
      before.length,
    );
    await page.keyboard.type("hush-3");
    assert.equal(await json().inputValue(), `${before}hush-3${after}`);
    assert.doesNotMatch(await keptOf(), /hush/);
    await kickOff().click();
    await started();
    assert.equal(await json().inputValue(), (before + after).replace(', "token": ""', ""));
    assert.deepEqual(form.sent, [
      {
        inputs: { topic: "tea" },
        humanInputWebhook: {
          url: "https://a.test/h",
          authentication: { strategy: "bearer", token: "hush-3" },
        },
      },
    ]);
  });

  it("send a secret only to the host that it was pasted for", async () => {
    await open([{ name: "topic" }]);
    await view("JSON").click();
    await json().fill(pasted);
    await json().fill(
      (await json().inputValue())
        .replace("a.test/human", "a.test/people")
        .replace("a.test/events", "b.test/events"),
    );
    assert.equal(
      await page.getByText("were moved to the fields below").count(),
      0,
      "one of them is not there any more",
    );
    assert.deepEqual(
      [await password().getAttribute("placeholder"), await token().getAttribute("placeholder")],
      ["Entered; type to replace it", ""],
    );
    await kickOff().click();
    assert.match(await descriptionOf(token()), /the earlier one was for another host/);
    await token().fill("hush-6");
    await view("Form").click();
    await token().fill("hush-7");
    await field("Event streaming").fill("https://c.test/events");
    assert.deepEqual(
      [await token().inputValue(), await token().getAttribute("placeholder")],
      ["", ""],
    );
    await kickOff().click();
    assert.match(await descriptionOf(token()), /the earlier one was for another host/);
    assert.equal(form.sent.length, 0);
    await field("Event streaming").fill("https://b.test/other");
    assert.deepEqual(
      [await token().inputValue(), await token().getAttribute("placeholder")],
      ["", "Entered; type to replace it"],
    );
    await token().fill("hush-6");
    await field("Event streaming").press("End");
    await field("Event streaming").pressSequentially("/longer");
    assert.equal(await token().inputValue(), "hush-6", "it is the same host");
    await kickOff().click();
    await started();
    assert.deepEqual(
      form.sent.map(({ humanInputWebhook, webhooks }) => [
        humanInputWebhook?.authentication,
        webhooks?.authentication,
      ]),
      [
        [
          { strategy: "basic", username: "me", password: "hush-1" },
          { strategy: "bearer", token: "hush-6" },
        ],
      ],
    );
  });

  it("store no secret of invalid JSON and no password of an address, and lose nothing while another tab is active", async () => {
    await open([{ name: "topic" }]);
    await view("JSON").click();
    const broken = `${pasted.replace("https://a.test/crew", "https://me:hush-4@a.test/crew")} more`;
    await json().fill(broken);
    await page.getByText("Not JSON: line 15").waitFor();
    assert.equal(await json().inputValue(), broken, "it stays as typed");
    await waitFor("the draft", () => form.saved.length > 0);
    assert.doesNotMatch(await keptOf(), /hush/);
    await form.hideAndShow();
    await json().waitFor();
    assert.equal(await json().inputValue(), broken);
  });

  it("show where in the JSON a callback can't be sent, and ask for a secret if the JSON needs one", async () => {
    await open([{ name: "topic" }]);
    await view("JSON").click();
    await json().fill('{\n  "inputs": {"topic": "tea"},\n  "taskWebhookUrl": "a.test"\n}');
    await page.getByText("Line 3, column 21: Enter a whole address").waitFor();
    await kickOff().click();
    assert.equal(await caret(), (await json().inputValue()).indexOf('"a.test"'));
    await page.getByRole("button", { name: "Copy as cURL" }).click();
    assert.deepEqual(form.asked, []);
    await view("Form").click();
    assert.equal(await field("Task callback").inputValue(), "a.test");
    await view("JSON").click();
    await json().fill(
      '{"inputs": {"topic": "tea"}, "webhooks": {"url": "https://a.test", "authentication": {"strategy": "bearer"}}}',
    );
    await kickOff().click();
    await page.getByText("Line 1, column 30: “events” is missing.").waitFor();
    await json().fill(
      '{"inputs": {"topic": "tea"}, "webhooks": {"url": "https://a.test", "events": ["a"], "authentication": {"strategy": "bearer"}}}',
    );
    await kickOff().click();
    assert.match(await descriptionOf(token()), /Enter it\./);
    assert.ok(await token().evaluate((box) => box === document.activeElement));
    await token().fill("hush-5");
    await kickOff().click();
    await started();
    assert.equal(form.sent[0]?.webhooks?.authentication?.token, "hush-5");
  });

  it("focus a missing secret once the inputs are known", async () => {
    const humanInputWebhook = {
      url: "https://a.test/h",
      authentication: { strategy: "bearer" as const },
    };
    await open([{ name: "topic" }, { name: "note", required: false }], {
      seed: { instead: { inputs: { topic: "tea" }, humanInputWebhook } },
    });
    const box = page.getByLabel("Token for the human input callback");
    await waitFor("the focus", () => box.evaluate((element) => element === document.activeElement));
    form.session.give({ instead: { inputs: {}, humanInputWebhook } });
    await parts.isFocused("topic");
  });

  it("have no accessibility problem that axe finds in any theme: every kind of field, authentication, JSON with an error, sending", async () => {
    await open(described, { send: () => new Promise(() => undefined) });
    await page.getByText("Advanced").click();
    await field("Human input callback").fill("https://a.test/human");
    await list("Authentication of the human input callback").selectOption("User name and password");
    await list("Authentication of event streaming").selectOption("Bearer token");
    await mode("share").selectOption("null");
    await kickOff().click();
    assert.deepEqual(await violationsIn(parts), []);
    await view("JSON").click();
    await json().fill("{");
    await kickOff().click();
    await view("JSON").hover();
    assert.deepEqual(await violationsIn(parts), []);
    await json().fill(pasted);
    await page.getByText("Secrets of callbacks").waitFor();
    await kickOff().click();
    assert.deepEqual(await violationsIn(parts), []);
    await json().fill('{"inputs": {"topic": "tea", "days": 3, "loud": true, "tone": "dry"}}');
    await kickOff().click();
    await page.getByRole("button", { name: "Kicking off…" }).waitFor();
    assert.deepEqual(await violationsIn(parts), []);
  });
});
