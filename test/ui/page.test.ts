import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Locator, Page } from "playwright-core";
import { type Execution, without } from "../../src/executions/model.ts";
import type { PageDrafts } from "../../src/views/page/messages.ts";
import { PageWindow } from "../support/page/page-window.ts";
import { aRichExecution, outlineEvents, richDraft, someEvents } from "../support/page/samples.ts";
import { waitFor } from "../support/wait.ts";
import { unknownColours, violationsIn } from "./accessibility.ts";

const at = "2026-10-21T12:03:00.000Z";
const target = { taskId: "outline", attempt: 2 };

function draftOf(draft: { readonly text: string; readonly number: number }): PageDrafts {
  return { current: { ...target, ...draft }, old: [] };
}

function waitingWith(output: string): Execution {
  const execution = aRichExecution();
  return {
    ...execution,
    tasks: execution.tasks.map((task) =>
      task.taskId === "outline" ? { ...task, attempts: [{ number: 2, output }] } : task,
    ),
    waiting: { ...target, output, since: at },
  };
}

/** Its waiting output was rejected, and a third may wait. */
function rejected(third?: string): Execution {
  const execution = aRichExecution();
  const feedback = { isApprove: false, text: "Shorter still.", at };
  const tasks = execution.tasks.map((task) =>
    task.taskId === "outline"
      ? {
          ...task,
          state: third === undefined ? ("running" as const) : ("waiting" as const),
          attempts: [
            ...task.attempts.map((each) => (each.number === 2 ? { ...each, feedback } : each)),
            ...(third === undefined ? [] : [{ number: 3, output: third }]),
          ],
        }
      : task,
  );
  const resumes = [...execution.resumes, { ...target, feedback, outcome: "answered" as const }];
  const changed: Execution = { ...execution, tasks, resumes };
  return third === undefined
    ? { ...without(changed, "waiting"), state: "running" }
    : { ...changed, waiting: { taskId: "outline", attempt: 3, output: third, since: at } };
}

describe("The page of an execution in a browser", () => {
  const window = new PageWindow();
  const { button, feedback, sent } = window;

  const drafts = () => sent.filter(({ type }) => type === "draft");
  const answers = () => sent.filter(({ type }) => type === "answer");
  const review = (page: Page) => page.locator(".review");

  async function openEverything(page: Page): Promise<void> {
    // What is open may have folds of its own.
    await waitFor("everything open", async () => {
      const closed = page.locator("details:not([open])");
      if ((await closed.count()) === 0) return true;
      await closed.evaluateAll((all) => {
        for (const one of all) (one as HTMLDetailsElement).open = true;
      });
      return false;
    });
  }

  it("has no accessibility problem that axe finds in any theme, whatever it shows, and uses VS Code's colours", async () => {
    const options = { execution: aRichExecution(), events: someEvents() };
    const page = await window.open(options);
    await openEverything(page);
    assert.deepEqual(await violationsIn(window), []);
    await feedback().fill("Shorter");

    await window.show({ ...options, execution: rejected() });
    await page.getByText("Runs again: outline").waitFor();
    assert.deepEqual(await violationsIn(window), []);
    const ended = { endedAt: "2026-10-21T12:04:00.000Z" };
    const failed = aRichExecution({ state: "failed", ...ended, error: "No key" });
    await window.show({ ...options, execution: without(failed, "waiting") });
    await page.locator(".notice.error").getByText("No key").waitFor();
    assert.deepEqual(await violationsIn(window), []);
    assert.deepEqual(unknownColours("page"), []);
  });

  it("renders Markdown with tables, highlighted code and JSON, below the page's own headings", async () => {
    const page = await window.open({ execution: aRichExecution() });
    const draft = review(page);
    await draft.getByRole("heading", { name: "Tea for the newcomers", level: 3 }).waitFor();
    await draft.getByText("A briefing of one page – &nosuch; &notit; ∉ of this.").waitFor();
    const cells = draft.getByRole("cell");
    assert.deepEqual(await cells.allTextContents(), ["Assam", "4", "3.20", "Sencha", "2", "4.10"]);
    const alignment = await cells.nth(1).evaluate((cell) => getComputedStyle(cell).textAlign);
    assert.equal(alignment, "right");
    assert.equal(await draft.locator("code .hljs-keyword").first().textContent(), "def");
    assert.equal(await draft.locator("ol").getAttribute("start"), "3");
    await page.locator(".task summary").first().click();
    await page.locator("pre .hljs-number").getByText("12345678901234567890").waitFor();
    assert.deepEqual(
      await page.getByRole("heading").evaluateAll((all) => all.map(({ tagName }) => tagName)),
      ["H1", "H2", "H3", "H4", "H2", "H2", "H3", "H3", "H3", "H2", "H2"],
    );
  });

  it("runs, loads and sends nothing that is in an output, whatever that is", async () => {
    const attacks = [
      "<script>document.title = 'run'</script>",
      "<img src=x onerror=\"document.title = 'run'\">",
      "<svg onload=\"document.title = 'run'\"></svg>",
      '<iframe srcdoc="<script>top.document.title=1</script>"></iframe>',
      '<form action="https://tracker.example"><input name=a></form>',
      '<style>* { background: url("https://tracker.example/x") }</style>',
      "![picture](https://tracker.example/p.png)",
      "![inside](data:image/png;base64,iVBORw0KGgo=)",
      "[run](command:workbench.action.quit) and [also](javascript:alert(1))",
      "[open](vscode://crewdeck.crewdeck/x) [file](file:///etc/passwd)",
      "<https://good.example> <command:workbench.action.quit>",
      "[reference]\n\n[reference]: command:workbench.action.quit",
      '```html" onclick="document.title=1\n<b>code</b>\n```',
      "| <b id=tasks>cell</b> |\n|---|\n| <a href=command:x>y</a> |",
    ];
    const requests: string[] = [];
    const page = await window.open({ execution: waitingWith(attacks.join("\n\n")) });
    page.on("request", (request) => requests.push(request.url()));
    await window.show({ execution: waitingWith([...attacks, "End."].join("\n\n")) });
    await review(page).getByText("End.").waitFor();
    const draft = page.locator(".review .markdown").first();
    const found = await draft.evaluate((element) =>
      [...element.querySelectorAll("*")]
        .filter(
          (each) =>
            /^(script|img|svg|iframe|form|input|style|link|object)$/i.test(each.tagName) ||
            [...each.attributes].some(({ name }) => /^(on|src|style|id|data-)/.test(name)),
        )
        .map(({ outerHTML }) => outerHTML),
    );
    assert.deepEqual(found, []);
    const links = await draft
      .locator("a")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    assert.ok(links.includes("https://good.example"));
    for (const link of links) assert.match(link ?? "", /^https:\/\//);
    await draft.getByText("Image, not loaded: picture").waitFor();
    assert.equal(await page.title(), "page");
    assert.deepEqual(requests, []);
  });

  it("opens a link only through the extension host", async () => {
    const page = await window.open({ execution: aRichExecution() });
    const address = page.url();
    const link = review(page).getByRole("link", { name: "the guide" });
    await link.click();
    await link.press("Enter");
    await link.click({ button: "middle" });
    const opened = sent.filter(({ type }) => type === "openLink");
    assert.ok(opened.length >= 2);
    for (const message of opened)
      assert.deepEqual(message, { type: "openLink", href: "https://tea.example/guide" });
    assert.equal(page.url(), address);
    assert.equal(page.context().pages().length, 1);
  });

  it("stays responsive with an output of 5 MB: it shows the beginning and opens the rest as a document", async () => {
    const output = `# Long\n\n${"A line of **an** output, with `code`.\n\n".repeat(140_000)}`;
    assert.ok(output.length > 5_000_000);
    const began = Date.now();
    const page = await window.open({ execution: waitingWith(output) });
    await page.getByText("This is the beginning of a large text.").waitFor();
    const took = Date.now() - began;
    const typing = Date.now();
    await feedback().pressSequentially("Too long");
    const typed = Date.now() - typing;
    console.log(
      `      5 MB: shown after ${took} ms with the browser's start of a page, 8 keys typed in ${typed} ms`,
    );
    assert.ok(typed < 15_000);
    await review(page).getByRole("button", { name: "Open Output" }).click();
    assert.deepEqual(sent.at(-1), { type: "act", action: "openOutput", ...target });
  });

  it("sends every keystroke of the feedback, says when its box is left, and keeps the box while others change", async () => {
    const execution = aRichExecution();
    const page = await window.open({ execution });
    await feedback().pressSequentially("Short");
    assert.deepEqual(
      drafts().map((message) => message.type === "draft" && message.text),
      ["S", "Sh", "Sho", "Shor", "Short"],
    );
    const numbers = drafts().map((message) => (message.type === "draft" ? message.number : 0));
    assert.deepEqual(
      [...new Set(numbers)].sort((a, b) => a - b),
      numbers,
    );
    // An update that was made before the last keystroke.
    const draft = { text: "Sho", number: numbers[2]! };
    await feedback().blur();
    await window.show({ execution, drafts: draftOf(draft) });
    assert.equal(await feedback().inputValue(), "Short");
    // Changed in another window, after it.
    const changed = { text: "Shorter", number: numbers[4]! };
    const other = { taskId: "outline", attempt: 1, text: "Other", number: numbers[4]! };
    await window.post({ type: "drafts", drafts: { current: other, old: [] } });
    await window.post({ type: "drafts", drafts: draftOf(changed) });
    await waitFor("the other text", async () => (await feedback().inputValue()) === "Shorter");
    window.later({ execution, drafts: draftOf(changed) });
    assert.equal(sent.filter(({ type }) => type === "leave").length, 1, "the box was left once");
    await page.reload();
    await feedback().waitFor();
    assert.equal(await feedback().inputValue(), "Shorter", "after the page was hidden");
  });

  it("keeps a keystroke that the extension did not store, and sends it again when the page is loaded again", async () => {
    const execution = aRichExecution();
    const page = await window.open({ execution });
    await feedback().pressSequentially("Short");
    await waitFor("all keystrokes", () => drafts().length === 5);
    const [first, ...others] = drafts();
    const last = others.at(-1);
    assert.ok(first?.type === "draft" && last?.type === "draft");
    // The extension crashed after the first one.
    window.later({ execution, drafts: draftOf({ text: "S", number: first.number }) });
    await page.reload();
    await waitFor("the keystroke again", () => drafts().length === 6);
    assert.deepEqual(drafts().at(-1), last);
    assert.equal(await feedback().inputValue(), "Short");
    // Then it was stored, and changed in another window.
    await window.show({
      execution,
      drafts: draftOf({ text: "Short", number: last.number }),
    });
    window.later({
      execution,
      drafts: draftOf({ text: "Long", number: last.number + 9 }),
    });
    await page.reload();
    await feedback().waitFor();
    assert.equal(await feedback().inputValue(), "Long");
    assert.equal(drafts().length, 6);
  });

  it("asks for a canned answer, which arrives below what is typed", async () => {
    const execution = aRichExecution();
    await window.open({ execution });
    await feedback().pressSequentially("Short");
    await button("Insert Canned Answer…").click();
    assert.deepEqual(sent.at(-1), { type: "insert", ...target });
    const drafts = draftOf({ text: "Short\n\nThank you.", number: Date.now() + 60_000 });
    await window.post({ type: "drafts", drafts });
    await window.post({ type: "reveal", place: "feedback" });
    await waitFor("the focus", () => feedback().evaluate((box) => box === document.activeElement));
    assert.equal(await feedback().inputValue(), "Short\n\nThank you.");
  });

  it("shows a draft that was not sent, to read or discard it", async () => {
    const drafts = { old: [{ taskId: "outline", attempt: 1, text: "Old words." }] };
    const page = await window.open({ execution: aRichExecution(), drafts });
    const old = page.getByRole("region", { name: "Written, but Not Sent" });
    await old.getByText("outline, attempt 1").waitFor();
    await old.getByText("Old words.").waitFor();
    await old.getByRole("button", { name: "Discard…" }).click();
    assert.deepEqual(sent.at(-1), { type: "discardDraft", taskId: "outline", attempt: 1 });
    // The button that had the focus is gone with it.
    await window.post({ type: "drafts", drafts: { old: [] } });
    const heading = review(page).getByRole("heading", { name: "To review: outline" });
    await waitFor("focus", () => heading.evaluate((one) => one === document.activeElement));
  });

  it("shows beside the second attempt what was asked for after the first, and the words that changed, and says if there are none or too many", async () => {
    const page = await window.open({ execution: aRichExecution() });
    const asked = review(page).locator(".given");
    await asked.getByText("You asked after attempt 1:").waitFor();
    await asked.getByText("Shorter, please.").waitFor();
    const changed = asked.filter({ hasText: "Changed since attempt 1:" });
    assert.equal(await changed.locator("del").textContent(), "three pages");
    assert.equal(await changed.locator("ins").textContent(), "one page");
    assert.ok((await changed.textContent())?.includes(" … "));
    const compare = button("Compare with Attempt 1");
    await compare.waitFor();
    const execution = aRichExecution();
    const withOutputs = (outputOf: (number: number) => string): Execution => ({
      ...execution,
      tasks: execution.tasks.map((task) => ({
        ...task,
        attempts: task.attempts.map((each) => ({ ...each, output: outputOf(each.number) })),
      })),
    });
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
    await window.show({
      execution: withOutputs((number) => words.map((word) => `${word}${number}`).join(" ")),
    });
    await page.getByText("Too much to show here.").waitFor();
    await window.show({ execution: withOutputs((number) => `One tea.${"\n".repeat(number)}`) });
    await page.getByText("The same words as attempt 1.").waitFor();
    assert.equal(await compare.count(), 0);
  });

  it("approves without words, and with a note or rejects only with words", async () => {
    const page = await window.open({ execution: aRichExecution() });
    await button("Reject").click({ force: true });
    await page.getByText("Write something first.").waitFor();
    assert.ok(await feedback().evaluate((box) => box === document.activeElement));
    await button("Approve with Note").click({ force: true });
    assert.deepEqual(answers(), []);
    const suggested = page.locator(".decision .primary");
    assert.deepEqual(await suggested.allInnerTexts(), ["Approve"]);
    await feedback().fill("Shorter");
    assert.deepEqual(await suggested.allInnerTexts(), [], "words may approve or reject");
    await button("Approve").click({ force: true });
    await page.getByText("Clear the box first").waitFor();
    assert.deepEqual(answers(), []);
    await button("Reject").click();
    await waitFor("the answer", () => answers().length === 1);
    assert.deepEqual(answers(), [{ type: "answer", ...target, kind: "reject", text: "Shorter" }]);
    await window.post({ type: "settled", ...target });
    await feedback().fill("Fine");
    await button("Approve with Note").click();
    await waitFor("the answer", () => answers().length === 2);
    await window.post({ type: "settled", ...target });
    await feedback().fill("");
    await button("Approve").click();
    await waitFor("the answer", () => answers().length === 3);
    assert.deepEqual(answers().slice(1), [
      { type: "answer", ...target, kind: "approve", text: "Fine" },
      { type: "answer", ...target, kind: "approve", text: "" },
    ]);
    const accepted = { isApprove: true, text: "Approved.", at };
    const resumes = [{ ...target, feedback: accepted, outcome: "answered" as const }];
    await window.show({ execution: aRichExecution({ resumes }) });
    await page.getByText("it still reports the pause").waitFor();
    await button("Send Again…").waitFor();
    assert.deepEqual([await button("Approve").count(), await button("Reject").count()], [0, 1]);
  });

  const question = (changes: object = {}): Execution => {
    const options = ["publish", "request_changes", "$(zap) <b>drop</b>"];
    const asks = { options, defaultOption: "request_changes", message: "Is it **ready**?" };
    const waiting = { ...target, output: richDraft, since: at, ...asks, ...changes };
    return aRichExecution({ waiting });
  };
  const buttons = (page: Page) => page.locator(".decision .buttons button").allInnerTexts();

  it("has a button for each answer that a flow names, and a box for another one, without a problem that axe finds in any theme", async () => {
    const page = await window.open({ execution: question(), events: [] });
    await page.getByRole("heading", { name: "Asks you: outline" }).waitFor();
    await page.locator(".decision strong").getByText("ready").waitFor();
    assert.deepEqual(await buttons(page), [
      "publish",
      "request_changes (default)",
      "$(zap) <b>drop</b>",
      "Send Answer",
    ]);
    assert.deepEqual(await violationsIn(window), []);
    await button("Send Answer").click({ force: true });
    await page.getByText("Write something first.").waitFor();
    await button("$(zap) <b>drop</b>").click();
    await waitFor("the answer", () => answers().length === 1);
    await window.post({ type: "settled", ...target });
    await page.getByLabel("Your answer").fill("With otters");
    await button("publish").click({ force: true });
    await page.getByText("Clear the box first").waitFor();
    await button("Send Answer").click();
    await waitFor("the answer", () => answers().length === 2);
    assert.deepEqual(answers(), [
      { type: "answer", ...target, kind: "answer", text: "$(zap) <b>drop</b>" },
      { type: "answer", ...target, kind: "answer", text: "With otters" },
    ]);
  });

  it("sends once, however often a button is clicked, and keeps the text if that fails", async () => {
    const page = await window.open({ execution: aRichExecution() });
    await feedback().fill("Shorter");
    await button("Reject").evaluate((element: HTMLButtonElement) => {
      for (let click = 0; click < 10; click++) element.click();
    });
    await page.getByText("Sending…").waitFor();
    await waitFor("the answer", () => answers().length > 0);
    assert.equal(answers().length, 1);
    assert.equal(await feedback().isEditable(), false);
    await window.post({ type: "settled", ...target });
    await waitFor("the box", () => feedback().isEditable());
    assert.equal(await feedback().inputValue(), "Shorter");
  });

  it("takes an answer to the next attempt while the one before is still being sent", async () => {
    await window.open({ execution: aRichExecution() });
    await feedback().fill("Shorter");
    await button("Reject").click();
    await waitFor("the answer", () => answers().length === 1);
    await window.show({ execution: rejected("The third.") });
    await window.page.getByText("The third.").waitFor();
    await feedback().fill("Shorter");
    await button("Reject").click();
    await waitFor("the answer to the third", () => answers().length === 2);
    assert.deepEqual(answers().at(-1), {
      ...{ type: "answer", kind: "reject", text: "Shorter" },
      ...{ taskId: "outline", attempt: 3 },
    });
    // The first one's answer doesn't free the box of the second.
    await window.post({ type: "settled", ...target });
    assert.equal(await feedback().isEditable(), false);
    await window.post({ type: "settled", taskId: "outline", attempt: 3 });
    await waitFor("the box", () => feedback().isEditable());
  });

  it("shows the next draft where the rejected one was, and moves focus there", async () => {
    const long = `${richDraft}\n\n`.repeat(6);
    const page = await window.open({ execution: waitingWith(long) });
    await feedback().fill("Shorter");
    await button("Reject").focus();
    await page.mouse.move(300, 400);
    await page.mouse.wheel(0, 900);
    await waitFor("scrolled", () => page.evaluate(() => scrollY > 500));
    assert.ok(await button("Reject").isVisible());
    const seen = await button("Reject").boundingBox();
    assert.ok(seen !== null && seen.y > 0 && seen.y < 800, "the buttons stay beside the draft");
    await window.show({ execution: rejected() });
    await page.getByText("Runs again: outline").waitFor();
    const heading = page.getByRole("heading", { name: /outline/ }).first();
    await waitFor("focus", () => heading.evaluate((one) => one === document.activeElement));
    await window.show({ execution: rejected(`${long}\n\nThe third.`) });
    await page.getByText("To review: outline").waitFor();
    const place = await heading.boundingBox();
    assert.ok(place !== null && place.y > 60 && place.y < 250, `in view: ${place?.y}`);
    assert.equal(await feedback().inputValue(), "");
  });

  it("never moves what is read while steps and outputs arrive above and below", async () => {
    const output = "A paragraph.\n\n".repeat(60);
    const running = (count: number): Execution => ({
      ...without(aRichExecution(), "waiting"),
      state: "running",
      resumes: [],
      tasks: ["first", "second", "third", "fourth"].map((taskId, index) => ({
        taskId,
        state: index < count ? ("completed" as const) : ("running" as const),
        attempts: index < count ? [{ number: 1, output }] : [],
      })),
    });
    const page = await window.open({ execution: running(4), size: { width: 900, height: 500 } });
    await openEverything(page);
    const place = page.locator(".task").nth(2).getByText("A paragraph.").nth(30);
    await place.scrollIntoViewIfNeeded();
    const before = await place.boundingBox();
    const execution = running(4);
    const tasks = execution.tasks.map((task, index) =>
      index === 0 ? { ...task, attempts: [...task.attempts, { number: 2, output }] } : task,
    );
    await window.show({ execution: { ...execution, tasks }, events: someEvents() });
    await page.getByText("Attempt 2").waitFor({ state: "attached" });
    const after = await place.boundingBox();
    assert.ok(before !== null && after !== null);
    assert.ok(Math.abs(before.y - after.y) < 2, `${before.y} and ${after.y}`);
  });

  it("updates in place: what is open, selected and focused stays, and the time goes on", async () => {
    const startedAt = new Date(Date.now() - 59_000).toISOString();
    const execution = aRichExecution({ startedAt });
    const page = await window.open({ execution, events: someEvents() });
    const summary = page.locator(".task summary").first();
    await summary.click();
    await page.locator(".task").getByText("Steps (3)").click();
    await page.locator(".steps").getByText("lookup").click();
    await page.locator(".steps").getByText("Sencha: 2 minutes").waitFor();
    const mark = await page.locator(".task").first().elementHandle();
    await window.show({
      execution: { ...execution, label: "x", title: { text: "Renamed", number: 1 } },
      events: someEvents(),
    });
    await page.getByRole("heading", { name: "Renamed", level: 1 }).waitFor();
    assert.ok(await mark.evaluate((element) => element.isConnected));
    assert.ok(await page.locator(".steps").getByText("Sencha: 2 minutes").isVisible());
    await page
      .getByRole("timer")
      .getByText(/^1 min/)
      .waitFor();
    await page.reload();
    await page.locator(".steps").getByText("Sencha: 2 minutes").waitFor();
  });

  it("tells a screen reader of a new state, and has landmarks and headings", async () => {
    const page = await window.open({ execution: rejected() });
    const status = page.locator("header [role=status]");
    assert.match((await status.textContent()) ?? "", /^Running · task outline/);
    await window.show({ execution: rejected("The third.") });
    await waitFor("the new state", async () =>
      (await status.textContent())?.startsWith("Waiting for you · task outline"),
    );
    await page.getByRole("main").waitFor();
    await page.getByRole("region", { name: "To review: outline" }).waitFor();
    await page.getByRole("region", { name: "Tasks" }).waitFor();
  });

  it("can be read and answered with the keyboard alone", async () => {
    const page = await window.open({ execution: aRichExecution() });
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const tabTo = (name: string) =>
      waitFor(`the focus on ${name}`, async () => {
        await page.keyboard.press("Tab");
        return (await focused()) === name;
      });
    await tabTo("Compare with Attempt 1");
    await page.keyboard.press("Enter");
    const compared = { type: "act", action: "compareAttempts", ...target };
    await waitFor("the diff", () => sent.some((message) => isDeepStrictEqual(message, compared)));
    await waitFor("the feedback box", async () => {
      await page.keyboard.press("Tab");
      return feedback().evaluate((box) => box === document.activeElement);
    });
    await page.keyboard.type("Shorter");
    await tabTo("Reject");
    await page.keyboard.press("Space");
    await waitFor("the answer", () => answers().length === 1);
  });

  it("has a line for its timeline, which is drawn when asked for and follows the end: what waits is in view; in a higher window it is whole", async () => {
    const events = [...someEvents(), ...outlineEvents()];
    const size = { width: 900, height: 300 };
    const page = await window.open({ execution: aRichExecution(), events, size });
    assert.equal(await page.locator(".timeline").count(), 0);
    await page.getByRole("heading", { name: "Timeline" }).click();
    const scroller = page.locator(".timeline .scroller");
    const isCut = () => scroller.evaluate((rows) => rows.scrollHeight > rows.clientHeight);
    const wait = page.getByRole("treeitem", { name: /^Waiting for you/ });
    await waitFor("the wait in view", async () => {
      const [row, rows] = await Promise.all([wait, scroller].map((place) => place.boundingBox()));
      return row && rows && row.y + row.height <= rows.y + rows.height + 1;
    });
    assert.equal(await isCut(), true);
    await page.setViewportSize({ width: 900, height: 900 });
    await waitFor("all rows", async () => !(await isCut()));
  });

  it("leads from a row of its timeline to the task, the attempt, the step and the output that waits, and with a double click to the definition", async () => {
    const execution = { ...aRichExecution(), crew: { ...aRichExecution().crew, id: "local:x" } };
    const events = [...someEvents(), ...outlineEvents()];
    const page = await window.open({ execution, events, size: { width: 900, height: 500 } });
    await page.getByRole("heading", { name: "Timeline" }).click();
    const row = (name: RegExp) => page.getByRole("treeitem", { name }).first();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const top = async (place: Locator) => (await place.boundingBox())?.y ?? Infinity;
    const isBelowHeader = async (place: Locator) => {
      const y = await top(place);
      return y > 40 && y < 300;
    };
    await row(/^Tool call lookup/).click();
    await page.locator(".steps").getByText("Sencha: 2 minutes").waitFor();
    const step = page.locator(".steps summary").getByText("lookup");
    await waitFor("the step in view", () => isBelowHeader(step));
    await page.evaluate(() => document.scrollingElement?.scrollTo({ top: 0 }));
    await page.getByRole("tree").focus();
    await page.keyboard.press("Enter");
    await waitFor("the focus on the step", async () => (await focused()).startsWith("lookup"));
    await page.evaluate(() => document.scrollingElement?.scrollTo({ top: 0 }));
    await row(/^Attempt 1/).click();
    const attempt = page.locator(".task").getByRole("heading", { name: "Attempt 1" });
    await waitFor("the attempt in view", () => isBelowHeader(attempt));
    await page.locator(".task").getByText("three pages").waitFor();
    await page.evaluate(() => document.scrollingElement?.scrollTo({ top: 0 }));
    await row(/^Waiting for you/).click();
    const draft = page.getByRole("heading", { name: "To review: outline" });
    await waitFor("the draft in view", () => isBelowHeader(draft));
    assert.deepEqual(
      sent.filter(({ type }) => type === "define"),
      [],
    );
    await page.evaluate(() => document.scrollingElement?.scrollTo({ top: 0 }));
    await row(/^Task research/).dblclick();
    await waitFor("the definition", () => sent.some(({ type }) => type === "define"));
    assert.deepEqual(sent.at(-1), { type: "define", taskId: "research" });
    // A place that the panel's timeline leads to.
    const spanId = "u1";
    await window.post({ type: "reveal", place: { spanId, takesFocus: true } });
    await waitFor("the focus on the step", async () => (await focused()).startsWith("lookup"));
    await window.post({ type: "reveal", place: { taskId: "outline" } });
    await waitFor("the focus on the draft", async () => (await focused()).startsWith("To review"));
  });

  it("opens a picture that an agent drew", async () => {
    const at = Math.max(...someEvents().map((event) => event.at)) - 1000;
    const picture = { type: "png" } as const;
    const drawn = { id: "drawn", type: "image_generated", at, parentId: "t1", picture };
    const events = [...someEvents(), drawn];
    const page = await window.open({ execution: aRichExecution(), events });
    const task = page.locator(".task").filter({ hasText: "research" }).first();
    await task.locator("summary").first().click();
    await task.getByText(/^Steps/).click();
    await task.getByRole("button", { name: "Open Picture" }).click();
    await waitFor("the picture", () => sent.some(({ type }) => type === "act"));
    assert.deepEqual(sent.at(-1), { type: "act", action: "openOutput", picture: "drawn" });
  });

  it("keeps the feedback box below the header, however many lines that has", async () => {
    const long = `${richDraft}\n\n`.repeat(6);
    const title = "A title that is so long that it takes ".repeat(3);
    const page = await window.open({
      execution: { ...waitingWith(long), crew: { ...aRichExecution().crew, name: title } },
      size: { width: 820, height: 700 },
    });
    await page.mouse.move(300, 400);
    await page.mouse.wheel(0, 900);
    await waitFor("scrolled", () => page.evaluate(() => scrollY > 500));
    const header = await page.locator("header").boundingBox();
    const label = await page.getByText("Feedback", { exact: true }).boundingBox();
    assert.ok(header !== null && label !== null);
    assert.ok(header.height > 92, `${header.height}`);
    assert.ok(label.y >= header.y + header.height, `${label.y}`);
  });

  it("fits a narrow editor: the buttons stay in view below the draft, and nothing is cut", async () => {
    const size = { width: 300, height: 700 };
    const page = await window.open({ execution: aRichExecution(), events: someEvents(), size });
    const place = await button("Approve").boundingBox();
    assert.ok(place !== null && place.y < size.height, "in view beside the draft's beginning");
    await openEverything(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= size.width);
    await window.show({ execution: { ...aRichExecution(), label: "Tea" } });
    const title = await page.getByRole("heading", { name: "Tea", exact: true }).boundingBox();
    const actions = await page.getByRole("group", { name: "Actions" }).boundingBox();
    assert.ok(title !== null && actions !== null && actions.y < title.y + title.height, "beside");
    const error = { state: "failed" as const, error: "It failed. ".repeat(20), endedAt: at };
    await window.show({ execution: without(aRichExecution(error), "waiting") });
    const box = page.locator(".notice.error pre");
    assert.equal(await box.evaluate((pre) => pre.scrollWidth > pre.clientWidth), false, "it wraps");
  });

  it("says that an execution is not tracked here", async () => {
    const page = await window.open({ execution: aRichExecution() });
    await window.post({ type: "missing", text: "# Not tracked here\n\nTrack it." });
    await page.getByRole("heading", { name: "Not tracked here" }).waitFor();
  });

  it("asks about a call before it is made: allow it, for this run, or refuse it with words", async () => {
    const call = { ofTask: "outline", tool: "send_mail" };
    const taskId = "outline: send_mail #1";
    const output = JSON.stringify({ to: "Ada", text: "Come to tea. ".repeat(30) });
    const waiting = { taskId, attempt: 1, output, since: at, call };
    const page = await window.open({ execution: { ...aRichExecution(), waiting } });
    const own = { type: "answer", taskId, attempt: 1 } as const;
    await page.getByRole("heading", { name: "Asks you: send_mail" }).waitFor();
    const shown = page.locator(".draft pre");
    assert.equal(await shown.evaluate((pre) => pre.scrollWidth > pre.clientWidth), false, "wraps");
    await button("Allow for This Run").click();
    assert.deepEqual(answers().at(-1), { ...own, kind: "approve", text: "", isForRun: true });
    await window.post({ type: "settled", taskId, attempt: 1 });
    await feedback().fill("Not today.");
    await button("Refuse").click();
    assert.deepEqual(answers().at(-1), { ...own, kind: "reject", text: "Not today." });
    assert.deepEqual(await violationsIn(window), []);
    assert.equal(await review(page).getByRole("button", { name: "Open Output" }).count(), 0);
  });
});
