import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { CrewApiError } from "../../src/api/errors.ts";
import type { InputField } from "../../src/api/types.ts";
import { UserError } from "../../src/base/errors.ts";
import { MaybeStartedError } from "../../src/sending/kickoff.ts";
import { FormPage } from "../support/form/form-page.ts";
import { themes } from "../support/built-page.ts";
import type { FormWindow, FormWindowOptions } from "../support/form/form-window.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/executions/samples.ts";
import { contrast, overflowOf, unknownColours, violationsIn } from "./accessibility.ts";

const odd = '"name": "Cholesterol", "value": "230 mg/dL"';
const optional = "cholesterol_in_mg-dL";
const markup = "<img src=x onerror=alert(1)>";
const fields: readonly InputField[] = [
  { name: "topic", description: "What the crew writes about.", example: "Sea otters" },
  { name: "audience" },
  { name: optional, required: false },
  { name: "options", type: "object", default: { depth: 2 } },
];
const missing = (...names: string[]) =>
  new CrewApiError({
    kind: "validation",
    message: `Missing inputs: ${names.join(", ")}.`,
    remedy: "Fill in the marked inputs.",
    missingInputs: names,
    sent: "no",
  });

const tooMany = new CrewApiError({
  kind: "rateLimited",
  message: "The crew asks to wait. ".repeat(5),
  remedy: "Try again in a minute.",
});
const mayHaveStarted = () => new MaybeStartedError("It may have started.", undefined);
const links = ["Set Up Callbacks…", "Test Callbacks", "Don't Show Again"];
const hint = (run: () => unknown = () => undefined) => ({
  text: "No callback can come.",
  actions: links.map((title) => ({ title, run })),
});
describe("The kickoff form in a browser", () => {
  let form: FormWindow;
  let page: Page;
  const parts = new FormPage();
  const { field, mode, kickOff, isFocused, button, fill, value, start, started } = parts;

  async function open(options: FormWindowOptions = {}): Promise<void> {
    form = await parts.open({ fields, ...options });
    page = form.page;
    // Names that crewAI doesn't fill in are folded away.
    const fold = page.getByText(/Inputs that crewAI doesn't fill in/);
    if ((await fold.count()) > 0) await fold.click();
  }

  const accessible = async () => assert.deepEqual(await violationsIn(parts), []);
  const says = (text: string) => page.getByText(text).waitFor();

  it("has no accessibility problem that axe finds in any theme, whatever it shows", async () => {
    await open({
      start: () => Promise.reject(missing("audience")),
    });
    let isShown = false;
    assert.equal(await field("topic").getAttribute("placeholder"), "Example: Sea otters");
    await button("Use Examples").click();
    await says("Filled in with the examples.");
    assert.equal(await value("topic"), "Sea otters");
    assert.equal(await button("Use Examples").count(), 0);
    form.session.tell("rehearsal", { text: "No model is called." });
    form.session.tell("hint", hint());
    form.session.tell("advice", {
      text: "1 note",
      actions: [{ title: "Show", run: () => (isShown = true) }],
    });
    await field("topic").fill("Otters");
    await accessible();
    await page.getByText("1 note").getByRole("button", { name: "Show" }).click();
    await waitFor("the place in the project's files", () => isShown);

    await page.getByText("Advanced").click();
    await field("Meta").fill("[1");
    await mode(optional).selectOption("Leave out");
    await kickOff().click();
    await says("Nothing was sent.");
    await accessible();

    await fill({ Meta: '{"ticket": 7}', audience: "Children" });
    await kickOff().click();
    await says("Missing inputs: audience.");
    await accessible();

    form.start = () => Promise.reject(mayHaveStarted());
    await kickOff().click();
    await says("It may have started.");
    await accessible();
  });

  it("has none while it loads or the inputs are unavailable", async () => {
    let fail: (error: Error) => void = () => undefined;
    await open({ inputs: () => new Promise((_, reject) => void (fail = reject)) });
    const asking = page.getByText("Asking the crew");
    await asking.waitFor();
    await asking.evaluate((line) =>
      Promise.all(line.getAnimations().map((animation) => animation.finished)),
    );
    await accessible();
    fail(new UserError("There is no token.", [{ title: "Set Token", command: "x" }]));
    await button("Set Token").waitFor();
    await accessible();
    form.session.tell("setUp", { text: "crewAI is being installed." });
    await says("crewAI is being installed.");
    assert.equal(await button("Set Token").count(), 0, "while that may be mended");
    form.session.tell("setUp", undefined);
    form.inputs = () => Promise.resolve({ fields });
    await button("Try Again").click();
    await field("topic").waitFor();
  });

  it("draws a visible border around each field, and another one if it is invalid, in each theme", async () => {
    await open();
    const border = () =>
      field("topic").evaluate(
        (box) => `${getComputedStyle(box).borderTopStyle} ${getComputedStyle(box).borderTopColor}`,
      );
    const valid: string[] = [];
    for (const theme of Object.keys(themes)) {
      await parts.setTheme(theme);
      for (const part of [field("topic"), mode("topic")]) {
        const [line, below] = await part.evaluate((box) => [
          getComputedStyle(box).borderTopColor,
          getComputedStyle(document.body).backgroundColor,
        ]);
        assert.ok(contrast(line, below) >= 3, `${line} on ${below} in ${theme}`);
      }
      valid.push(await border());
    }
    await kickOff().click();
    await parts.says("topic", /required/);
    for (const [index, theme] of Object.keys(themes).entries()) {
      await parts.setTheme(theme);
      assert.notEqual(await border(), valid[index], theme);
    }
  });

  it("uses VS Code's colours", () => {
    assert.deepEqual(unknownColours("form"), []);
  });

  it("can be filled in and sent with the keyboard alone", async () => {
    await open();
    await isFocused("topic");
    await page.keyboard.type("Otters");
    await page.keyboard.press("Enter");
    await page.keyboard.type("and stones");
    await page.keyboard.press("Tab");
    await isFocused("audience");
    await page.keyboard.type("Children");
    await page.keyboard.press("Control+Enter");
    await started();
    assert.deepEqual(form.sent, [
      { inputs: { topic: "Otters\nand stones", audience: "Children", options: { depth: 2 } } },
    ]);
  });

  it("leads with Tab from value to value, and with Shift+F9 to what else a field offers and back", async () => {
    await open();
    const hasFocus = (part: Locator) => part.evaluate((it) => it === document.activeElement);
    const take = page.getByRole("button", { name: "Fill In From…: options", exact: true });
    await field("options").fill("{}");
    await page.keyboard.press("Shift+F9");
    assert.ok(await hasFocus(take));
    await page.keyboard.press("Shift+F9");
    assert.ok(await hasFocus(mode("options")));
    await page.keyboard.press("Escape");
    await isFocused("options");
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    assert.equal(await value("options"), "{}!", "typing there changes only the text");
    await page.keyboard.press("Shift+Tab");
    await isFocused(optional);
    const [select, text, label] = await Promise.all(
      [mode("topic"), field("topic"), page.getByText("topic", { exact: true })].map((part) =>
        part.boundingBox(),
      ),
    );
    assert.ok(
      select!.y + select!.height <= text!.y && select!.x > label!.x + label!.width,
      "the list stands on the label's line",
    );
    assert.ok(Math.abs(select!.x + select!.width - text!.x - text!.width) < 1, "at its right end");
  });

  it("marks for screen readers whether each input is required", async () => {
    await open();
    assert.equal(await field("topic").getAttribute("aria-required"), "true");
    assert.equal(await field(optional).getAttribute("aria-required"), null);
  });

  it("shows what is missing, focuses it, and expands Advanced if the problem is there", async () => {
    await open({ fields: [{ name: "topic" }, { name: "audience" }] });
    await field("topic").fill("Otters");
    await kickOff().click();
    await isFocused("audience");
    await parts.says("audience", /^This input is required\.$/);
    await field("audience").fill("Children");
    await page.getByText("Advanced").click();
    await field("Meta").fill("[]");
    await page.getByText("Advanced").click();
    await kickOff().click();
    await isFocused("Meta");
    await parts.says("Meta", /A JSON object is expected/);
    assert.deepEqual(form.sent, []);
    await page.getByText("Advanced").click();
    await button("Save Values…").click();
    await page.getByRole("alert").getByText("Check the marked fields.").waitFor();
    await isFocused("Meta");
    assert.deepEqual(form.asked, []);
  });

  it("accepts any input name as plain text", async () => {
    const names = [odd, markup, "__proto__", "constructor", "a'b:c,d", " "];
    await open({ fields: names.map((name) => ({ name })) });
    for (const name of [...names.slice(0, -1), "(no name)"]) await mode(name).selectOption("Text");
    for (const name of names.slice(0, -1)) await field(name).fill(`value of ${name}`);
    await field("(no name)").fill("blank");
    assert.equal(await page.locator("img").count(), 0);
    const ids = await page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id));
    assert.deepEqual(
      ids.filter((id) => !/^(page|part-\d+(-\w+)?)$/.test(id)),
      [],
    );
    assert.equal(new Set(ids).size, ids.length);
    await start();
    assert.deepEqual(Object.entries(form.sent[0]!.inputs), [
      ...names.slice(0, -1).map((name) => [name, `value of ${name}`]),
      [" ", "blank"],
    ]);
  });

  it("has the focus on its button when the person confirms to send again what may have started", async () => {
    await open({ fields: [{ name: "topic" }], start: () => Promise.reject(mayHaveStarted()) });
    await field("topic").fill("Otters");
    await kickOff().click();
    await says("It may have started.");
    form.start = () => Promise.resolve(anExecution());
    await button("Kick Off Again").click();
    await page.getByText("It may have started.").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await started();
    assert.deepEqual(form.sent.at(-1), { inputs: { topic: "Otters" } });
  });

  it("grows a field with its text, up to a part of the window", async () => {
    await open();
    const height = async () => (await field("topic").boundingBox())!.height;
    const one = await height();
    await field("topic").fill("a\nb\nc\nd");
    const four = await height();
    assert.ok(four > one * 2, `${one} px, then ${four} px`);
    await field("topic").fill("line\n".repeat(500));
    assert.ok((await height()) <= 800 * 0.6 + 1);
  });

  for (const [what, size] of [
    ["200 px wide", { width: 200, height: 500 }],
    ["at 200 % in half a window", { width: 360, height: 300 }],
  ] as const)
    it(`needs no horizontal scrolling ${what}, and hides no field that has focus`, async () => {
      await open({
        size,
        start: () => Promise.reject(tooMany),
      });
      form.session.tell("hint", hint());
      await fill({ topic: "Otters", audience: "Children" });
      await kickOff().click();
      await says("Try again in a minute.");
      await page.getByText("Advanced").click();
      assert.equal(await overflowOf(page), 0);
      const advanced = ["Meta", "Task callback", "Human input callback"];
      for (const name of ["topic", "audience", optional, "options", ...advanced]) {
        await field(name).focus();
        const isOnTop = await field(name).evaluate((box) => {
          const { left, bottom } = box.getBoundingClientRect();
          return document.elementFromPoint(left + 4, bottom - 4) === box;
        });
        assert.ok(isOnTop, `${name} is covered`);
      }
    });

  it("runs only its own script", async () => {
    await open();
    await field("topic").waitFor();
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.intruder = true";
      document.body.append(script);
      return "intruder" in window;
    });
    assert.equal(ran, false);
    await waitFor("the refusal", () =>
      form.complaints.some((complaint) => /Content Security Policy/.test(complaint)),
    );
    form.complaints.length = 0;
  });
});
