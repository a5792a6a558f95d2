import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import {
  Events,
  longExecution,
  runningExecution,
  start,
  variedExecution,
} from "../support/timeline/samples.ts";
import { TimelineWindow, type Shown } from "../support/timeline/timeline-window.ts";
import { waitFor } from "../support/wait.ts";
import { overflowOf, violationsIn } from "./accessibility.ts";

const boxesOf = (...parts: readonly Locator[]) =>
  Promise.all(parts.map((part) => part.boundingBox()));
const narrow = { width: 300, height: 700 };

declare global {
  interface Window {
    readonly touched: readonly string[];
  }
}

describe("The timeline, as a page", () => {
  const timeline = new TimelineWindow();

  const bar = (name: string | RegExp) => timeline.row(name).locator(".bar");
  const widthOf = (name: RegExp) => bar(name).evaluate((element) => element.clientWidth);
  const isAt = (name: string) =>
    waitFor(`${name} is active`, async () => (await timeline.active()) === name);
  const press = (...keys: readonly string[]) =>
    keys.reduce(
      (before, key) => before.then(() => timeline.page.keyboard.press(key)),
      Promise.resolve(),
    );

  it("shows tasks, attempts, waits, agents and calls as a tree, each row with a sentence and a bar", async () => {
    await timeline.open(variedExecution(), { size: { width: 1100, height: 800 } });
    assert.deepEqual((await timeline.rows()).slice(0, 5), [
      "Writers",
      "  Before it began",
      "  research",
      "    Senior Researcher",
      "      gpt-5-mini",
    ]);
    const outline = timeline.row(/^Task outline, Completed, took 48 s, started after 21 s/);
    const place = { level: "2", expanded: "true", posinset: "3", setsize: "4" };
    for (const [name, value] of Object.entries(place))
      assert.equal(await outline.getAttribute(`aria-${name}`), value, name);
    const pattern = (name: RegExp) =>
      bar(name).evaluate((element) => getComputedStyle(element).backgroundImage);
    assert.match(await pattern(/^Rejected/), /repeating-linear-gradient/, "a wait is hatched");
    const mark = (name: RegExp) => timeline.row(name).locator(".mark").textContent();
    assert.equal(await mark(/^Tool call read_page, Failed/), "Failed");
    const failed = timeline.row(/read_page/).locator(".icon.failed");
    assert.equal(await failed.count(), 1);
    assert.equal(await timeline.page.locator(".grid .break").count(), 2, "long waits are shorter");
    const header = await timeline.page.locator("header").innerText();
    assert.match(header, /tea in the office\s+Writers\s+Failed/);
  });

  it("is used with the keyboard alone", async () => {
    await timeline.open(variedExecution());
    await timeline.tree.focus();
    await isAt("Writers");
    await press("ArrowDown", "ArrowDown");
    await isAt("research");
    await press("ArrowLeft");
    await waitFor("it is closed", async () => (await timeline.rows())[3] === "  outline");
    await press("ArrowDown");
    await isAt("outline");
    await press("ArrowRight", "ArrowRight");
    await isAt("Editor");
    await press("ArrowLeft", "ArrowLeft");
    await isAt("Attempt 1");
    await press("Enter");
    const { spanId, takesFocus, localId } = await timeline.message("reveal");
    assert.deepEqual([spanId, takesFocus, localId], ["task 14", true, "varied"]);
    await press("Control+Enter");
    assert.equal((await timeline.message("define")).spanId, "task 14");
    await press(" ");
    const tooltip = timeline.page.getByRole("tooltip");
    await tooltip.getByText("Attempt 1").waitFor();
    const described = await timeline.tree.getAttribute("aria-describedby");
    assert.equal(described, await tooltip.getAttribute("id"));
    await press("End");
    await isAt("gpt-5");
    await tooltip.waitFor({ state: "detached" });
    assert.ok(await timeline.row(/gpt-5, Failed/).isVisible(), "it scrolled into view");
    await press("Home", "Control+f");
    await timeline.page.locator("input:focus").waitFor();
    await timeline.page.keyboard.type("read_page");
    await timeline.row(/read_page/).waitFor();
    await press("ArrowDown");
    await waitFor("the focus in the tree", () =>
      timeline.tree.evaluate((tree) => tree === document.activeElement),
    );
  });

  it("leads with a click to the document, with a double click to the definition, and closes a row beside its name", async () => {
    await timeline.open(variedExecution());
    await timeline.row(/^Task research/).click();
    const { spanId, takesFocus } = await timeline.message("reveal");
    assert.deepEqual([spanId, takesFocus], ["task 0", false]);
    timeline.sent.length = 0;
    const outline = timeline.row(/^Task outline/);
    await outline.locator(".twistie").click();
    await waitFor("it is closed", async () => !(await timeline.rows()).includes("    Attempt 1"));
    assert.deepEqual(timeline.sent, []);
    await outline.dblclick();
    assert.equal((await timeline.message("define")).spanId, "task task 14");
    assert.equal(timeline.sent.filter(({ type }) => type === "reveal").length, 1);
  });

  it("tells in a tooltip times, tokens, arguments and the first lines, and remote text stays text", async () => {
    await timeline.open(variedExecution());
    const tooltip = timeline.page.getByRole("tooltip");
    await timeline.row(/read_page/).hover();
    await tooltip.waitFor();
    assert.match(await tooltip.innerText(), /\{"url": "https:\/\/tea\.example\/<b>"\}/);
    assert.equal(await timeline.page.locator("b").count(), 0);
    await timeline.row(/^Task research/).hover();
    await tooltip.getByText("7,502").waitFor();
    await timeline.page.mouse.move(600, 10);
    await tooltip.waitFor({ state: "detached" });
    await timeline.row(/read_page/).hover();
    await tooltip.waitFor();
    await timeline.page.getByRole("searchbox").press("Escape");
    await tooltip.waitFor({ state: "detached" });
  });

  it("shows an event that took no time as a mark in the row of what it is part of", async () => {
    await timeline.open(variedExecution());
    const { page } = timeline;
    const row = timeline.row(/^Agent Senior Researcher.*, 2 events/);
    const marks = row.locator(".track .event");
    assert.equal(
      await marks.nth(1).getAttribute("title"),
      "16 s · memory query error – No memory here.",
    );
    assert.match((await marks.nth(1).getAttribute("class")) ?? "", /bad/, "more than a color");
    const tooltip = page.getByRole("tooltip");
    await row.locator(".label").hover();
    await tooltip.getByText(/^5\.1 s · agent logs execution/).waitFor();
    await marks.first().hover();
    await tooltip.waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("no memory");
    await waitFor("the row with the event", async () => (await timeline.rows()).length === 3);
  });

  it("shows what tokens cost as an estimate beside them, if there are prices", async () => {
    const prices = [{ pattern: "gpt-5-mini", input: 0.25, output: 2 }];
    await timeline.open({ ...variedExecution(), prices });
    const { page } = timeline;
    await page.locator(".head").getByText("Est. cost").waitFor();
    const figure = timeline.row(/^Task research/).locator(".cost");
    await page.setViewportSize({ width: 400, height: 420 });
    await page.locator(".timeline.narrow").waitFor();
    const [cost, row] = await boxesOf(figure, page.locator(".row").first());
    assert.ok(cost && row && cost.width > 40 && cost.x + cost.width <= row.x + row.width - 12);
    await page.setViewportSize({ width: 300, height: 420 });
    await figure.waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 1100, height: 420 });
    await timeline.show(variedExecution());
    await page.locator(".head .cost").waitFor({ state: "hidden" });
  });

  it("filters by text and kind, says how many match, and finds nothing with a way back", async () => {
    await timeline.open(variedExecution());
    const search = timeline.page.getByRole("searchbox", { name: "Filter rows by text" });
    await search.fill("404");
    await waitFor("one match", async () => (await timeline.rows()).length === 4);
    const count = await timeline.page.locator(".toolbar [role=status]").textContent();
    assert.equal(count, "1 of 21 rows match the filter.");
    await search.fill("");
    await timeline.page.getByRole("button", { name: "Show Waits Only" }).click();
    await waitFor("the waits", async () => {
      const names = (await timeline.rows()).map((name) => name.trim());
      return names.join() === "Writers,outline,Rejected,Approved";
    });
    await search.fill("nothing like this");
    await timeline.page.getByRole("button", { name: "Clear Filter" }).click();
    await waitFor("all rows", async () => (await timeline.rows()).length > 10);
  });

  it("zooms with keys, buttons, wheel and by dragging over the axis, and Fit shows everything", async () => {
    await timeline.open(variedExecution());
    const { page } = timeline;
    const width = () => widthOf(/^Task research/);
    const isWider = (before: number) =>
      waitFor("a wider bar", async () => (await width()) > before);
    const whole = await width();
    await timeline.row(/^Task research/).click();
    await page.keyboard.press("+");
    await isWider(whole);
    const zoomed = await width();
    await page.getByRole("button", { name: "Zoom In" }).click();
    await isWider(zoomed);
    await page.getByRole("button", { name: "Fit" }).click();
    await waitFor("everything", async () => (await width()) === whole);
    const axis = await page.locator(".axis").boundingBox();
    assert.ok(axis !== null);
    await page.mouse.move(axis.x + 2, axis.y + 10);
    await page.mouse.down();
    await page.mouse.move(axis.x + axis.width / 4, axis.y + 10, { steps: 4 });
    await page.mouse.up();
    await isWider(whole);
    await timeline.look(({ zoom }) => zoom !== undefined && zoom.from < 2_000 && zoom.to < 60_000);
    await timeline.tree.focus();
    await page.keyboard.press("0");
    await waitFor("everything", async () => (await width()) === whole);
    await page.mouse.move(axis.x + 50, axis.y + 60);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await isWider(whole);
    assert.equal(await page.evaluate(() => window.scrollX), 0);
  });

  it("zooms into a task that waits, not into its wait or the time to come", async () => {
    const now = Date.now();
    const ago = (now - start) / 1000;
    const events = new Events();
    const task = events.add("task", ago - 900, undefined, { taskName: "outline" });
    events.add("agent_execution", ago - 900, ago - 890, { parentId: task, agent: "Editor" });
    events.add("human_feedback", ago - 890, undefined, { taskName: "outline", attempt: 1 });
    const { execution } = runningExecution(now);
    await timeline.open({ now, execution, events: events.all });
    await timeline.row(/^Task outline/).click();
    await timeline.page.keyboard.press("+");
    const { zoom } = await timeline.look((look) => look.zoom !== undefined);
    assert.ok(zoom !== undefined && zoom.from > 0 && zoom.to < 10_000, JSON.stringify(zoom));
    await timeline.page.keyboard.press("0");
    await timeline.look((look) => look.zoom === undefined && look.active !== undefined);
    const width = await widthOf(/^Agent Editor/);
    assert.ok(width > 50, `${width}`);
  });

  it("lets what runs grow without touching the rest", async () => {
    const now = Date.now();
    // After 31 s, the axis changes only 4 s later.
    await timeline.open({ ...runningExecution(now - 23_000), now });
    const tool = bar(/web_search/);
    const width = () => tool.evaluate((element) => element.getBoundingClientRect().width);
    await timeline.page.evaluate(() => {
      const touched = new Set<string>();
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          const row = element?.closest(".row");
          const place = row?.querySelector(".label")?.textContent ?? element?.className ?? "";
          touched.add(`${place}${row === null || row === undefined ? "" : ` ${row.className}`}`);
        }
      }).observe(document.body, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
      Object.defineProperty(window, "touched", { get: () => [...touched] });
    });
    const before = await width();
    await waitFor("a longer bar", async () => (await width()) > before + 10);
    const touched = await timeline.page.evaluate(() => window.touched);
    const grows = touched.some((row) => row.startsWith("web_search"));
    assert.ok(grows, touched.join());
    const others = touched.filter((row) => !/ running\b/.test(row));
    assert.deepEqual(others, []);
  });

  it("follows the end unless it is scrolled away", async () => {
    const now = Date.now();
    const growing = (calls: number): Shown => {
      const { execution } = runningExecution(now);
      const events = new Events();
      const ago = (now - start) / 1000;
      for (let call = 0; call < calls; call++)
        events.add("tool_usage", ago - 8 + call / 50, ago - 8 + call / 50 + 0.01, {
          tool: `tool_${call}`,
        });
      return { execution, events: events.all, now };
    };
    const top = () => timeline.page.locator(".scroller").evaluate((place) => place.scrollTop);
    await timeline.open(growing(60));
    await timeline.row(/tool_59/).waitFor();
    assert.equal((await top()) % 22, 0, "its first row isn't cut");
    await timeline.show(growing(80));
    await timeline.row(/tool_79/).waitFor();
    await timeline.row(/tool_79/).hover();
    const scrolled = (await top()) - 600;
    await timeline.page.mouse.wheel(0, -600);
    await waitFor("it scrolled", async () => (await top()) === scrolled);
    await timeline.show(growing(100));
    await timeline.page.locator(".toolbar").waitFor();
    assert.equal(await top(), scrolled, "it stays where it is read");
    await timeline.tree.press("End");
    await timeline.row(/tool_99/).waitFor();
    await timeline.show(growing(120));
    await timeline.row(/tool_119/).waitFor();
    await timeline.page.setViewportSize({ width: 300, height: 420 });
    await waitFor("rows of two lines", async () => (await top()) > 120 * 22);
    assert.equal((await top()) % 38, 0, "as in a narrower panel");
  });

  it("keeps filter, zoom, closed rows and the active row while it is hidden", async () => {
    await timeline.open(variedExecution());
    await timeline.tree.focus();
    await press("ArrowDown", "ArrowDown", "ArrowLeft", "+");
    await timeline.look(({ closed, zoom }) => closed.length === 1 && zoom !== undefined);
    const rows = await timeline.rows();
    const width = await widthOf(/^Task research/);
    await timeline.hideAndShow();
    assert.deepEqual(await timeline.rows(), rows);
    assert.equal(await timeline.active(), "research");
    assert.equal(await widthOf(/^Task research/), width);
  });

  it("puts the bar below the name where there is little room, and nothing is cut off", async () => {
    await timeline.open(variedExecution(), { size: narrow });
    const row = timeline.row(/^Task research/);
    const [name, track] = await boxesOf(row.locator(".name"), row.locator(".track"));
    assert.ok(name && track && track.y >= name.y + name.height - 1, "it is below");
    assert.ok(track.width > 240);
    assert.equal(await overflowOf(timeline.page), 0);
    for (const name of ["Zoom In", "Fit", "Show Tool Calls Only"])
      assert.ok(await timeline.page.getByRole("button", { name }).isVisible());
  });

  it("has no accessibility problem that axe finds in any theme, wide and narrow, with its tooltip", async () => {
    for (const size of [{ width: 1100, height: 800 }, narrow]) {
      await timeline.open(variedExecution(), { size });
      await timeline.page.evaluate(() => {
        // VS Code gives a view the colour of the panel.
        document.body.style.background = "var(--vscode-editor-background)";
      });
      await timeline.tree.focus();
      await press("ArrowDown", " ");
      await timeline.page.getByRole("tooltip").waitFor();
      assert.deepEqual(await violationsIn(timeline), []);
      if (size !== narrow) await timeline.close();
    }
  });

  it("scrolls 5,000 spans smoothly, with only the rows in view in the page", async function () {
    const { page } = await timeline.open(longExecution(2_500)).then(() => timeline);
    assert.match(await page.locator("header").innerText(), /Completed/);
    const measured = await page.evaluate(async () => {
      const scroller = document.querySelector(".scroller");
      if (scroller === null) throw new Error("There is no list.");
      const times: number[] = [];
      let most = 0;
      let last = performance.now();
      for (let frame = 0; frame < 180; frame++) {
        scroller.scrollTop += frame % 60 === 59 ? 20_000 : 120;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = performance.now();
        times.push(now - last);
        last = now;
        most = Math.max(most, document.querySelectorAll("[role=treeitem]").length);
      }
      return { times, most, height: scroller.scrollHeight };
    });
    const times = measured.times.toSorted((one, other) => one - other);
    const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
    console.log(
      `      180 frames over 5,011 rows: median ${at(0.5).toFixed(1)} ms, 95 % under ${at(0.95).toFixed(1)} ms, longest ${at(1).toFixed(1)} ms; at most ${measured.most} rows in the page`,
    );
    assert.ok(measured.height >= 5_000 * 22, `all rows have room: ${measured.height} px`);
    assert.ok(measured.most < 60, `${measured.most} rows`);
    assert.ok(at(0.5) < 500);
  });
});
