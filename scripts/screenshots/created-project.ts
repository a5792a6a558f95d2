import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createdProject } from "../../test/support/crewai.ts";
import { startModelServer } from "../../test/support/model-server.ts";
import { answerOnPage, openForm } from "../../test/ui/person.ts";
import { waitForPage } from "../../test/ui/story.ts";
import { waitFor } from "../../test/support/wait.ts";
import type { VSCodeWindow } from "../../test/support/window.ts";
import { Webview } from "../../test/support/window/webview.ts";
import { largeWindowSize, windowSize } from "./pictures.ts";
import { lookAway, openWhatWaits, untilStarted, type Camera } from "./scenes.ts";

/** What the README's story fills in. */
export const filledIn = { topic: "heat pumps", current_year: "2026" };

const tool = `from crewai.tools import tool


@tool("search_library")
def search_library(words: str) -> str:
    """Searches the library's articles."""
    return "Heat pumps in cold climates: field data of 120 houses, 2025"
`;

/** What `crewai create` makes, and a little more: the researcher has a tool, and a person reads the findings before the report is written. */
export async function makeProject(): Promise<string> {
  const folder = await createdProject("home_energy");
  const source = path.join(folder, "src/home_energy");
  writeFileSync(path.join(source, "tools/library.py"), tool);
  const crew = path.join(source, "crew.py");
  edit(crew, /^/, "from home_energy.tools.library import search_library\n");
  edit(crew, /^( +)verbose=True/m, "$1tools=[search_library],\n$&");
  edit(
    path.join(source, "config/tasks.yaml"),
    /^ {2}agent: researcher$/m,
    "$&\n  human_input: true",
  );
  return folder;
}

function edit(file: string, from: RegExp, to: string): void {
  const text = readFileSync(file, "utf8");
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${file} has no ${from.source}.`);
  writeFileSync(file, changed);
}

const findings = `- A heat pump moves heat instead of making it: one kilowatt-hour of power gives three to four of heat.
- It works below freezing, too; a house then needs about a third more power.
- Large radiators or floor heating keep the water below 45 °C, which saves most.
- Sound is the neighbours' question: three metres of distance settle it for most models.
- A ground loop costs twice as much and needs a fifth less power.`;

const report = `# Heat pumps in 2026

## How they heat
A heat pump moves heat instead of making it. One kilowatt-hour of power gives three to four of heat.

## What the house needs
Large radiators or floor heating keep the water below 45 °C.

## What the neighbours hear
At three metres, most models are as loud as a fridge.`;

/** A model that takes as long as a fast one does. */
export async function startModel() {
  return await startModelServer(async ({ prompt, tools, hasToolResult, model }) => {
    await delay(3_000);
    if (prompt.includes("You grade a text"))
      return `{"grade": ${model.includes("mini") ? 7 : 9}, "reason": "It has no jargon."}`;
    if (tools.includes("search_library") && !hasToolResult)
      return { tool: "search_library", arguments: { words: "heat pump field data" } };
    return prompt.includes("Conduct a thorough research") ? findings : report;
  });
}

/** From the opened project to its result, in a window whose crewAI asks {@link startModel}. */
export async function playCreatedProject(window: VSCodeWindow, take: Camera): Promise<void> {
  const { tree, editor, page, webview } = window;
  await tree.open("Crewdeck");
  const serve = page.locator(".part.sidebar").getByRole("button", { name: "Serve This Crew" });
  await serve.waitFor();
  await lookAway(window);
  await untilStarted(window);
  await take("serve");
  await serve.click();
  const form = webview.content;
  await form.getByRole("button", { name: "Use Examples" }).waitFor();
  await lookAway(window);
  await take("examples");
  for (const [name, text] of Object.entries(filledIn))
    await form.getByRole("textbox", { name }).fill(text);
  await form.getByRole("button", { name: "Kick Off", exact: true }).click();
  await webview.content.getByRole("button", { name: "Approve", exact: true }).waitFor();
  await openTasks(window);
  await editor.lens("Waiting for You").waitFor();
  await lookAway(window);
  await take("tasks");
  await openWhatWaits(window);
  await webview.content.getByRole("button", { name: "Approve", exact: true }).waitFor();
  await tree.expand(filledIn.topic);
  await lookAway(window);
  await take("findings");
  await playEditors(window, take);
  await answerOnPage(window, "Approve");
  await showReport(window);
  await tree.row({ label: filledIn.topic, description: "Completed" }).waitFor();
  await lookAway(window);
  await take("report");
  await compare(window, take);
  await test(window, take);
  await compareModels(window, take);
}

/** What waits, with the timeline below it, and alone. */
async function playEditors(window: VSCodeWindow, take: Camera): Promise<void> {
  const { page } = window;
  await page.setViewportSize(largeWindowSize);
  await window.runCommand("Crewdeck: Show Timeline");
  const timeline = new Webview(page, "view");
  await timeline.content
    .getByRole("treeitem", { name: /research_task/ })
    .first()
    .waitFor();
  // All rows are in view then.
  await growPanel(window, 110);
  await lookAway(window);
  await take("timeline");
  await growPanel(window, -110);
  await window.runCommand("View: Hide Panel");
  await lookAway(window);
  await take("page");
  await page.setViewportSize(windowSize);
}

/** Drags the panel's upper border. */
async function growPanel({ page }: VSCodeWindow, pixels: number): Promise<void> {
  const panel = page.locator(".part.panel");
  const { y = 0, height = 0 } = (await panel.boundingBox()) ?? {};
  // The border is above it.
  await page.mouse.move(800, y - 3);
  await page.mouse.down();
  await page.mouse.move(800, y - 3 - pixels, { steps: 4 });
  await page.mouse.up();
  await waitFor(
    "the panel's new height",
    async () => (await panel.boundingBox())?.height === height + pixels,
  );
}

/** Another execution of the crew, beside the first. */
async function compare(window: VSCodeWindow, take: Camera): Promise<void> {
  const { page, tree, webview, editor } = window;
  const topic = "solar panels";
  await openForm(window, "home_energy");
  const form = webview.content;
  await form.getByRole("textbox", { name: "topic" }).fill(topic);
  await form.getByRole("button", { name: "Kick Off", exact: true }).click();
  await editor.tab(topic).waitFor();
  await answerOnPage(window, "Approve");
  await waitForPage(window, /2 of 2/);
  await page.setViewportSize(largeWindowSize);
  await window.runCommand("View: Close All Editors");
  await tree.click(filledIn.topic);
  await tree.row(topic).click({ modifiers: ["ControlOrMeta"] });
  await tree.menu(topic, "Compare Executions…");
  await webview.content.getByRole("heading", { name: "Figures" }).waitFor();
  await window.runCommand("Notifications: Clear All Notifications");
  await lookAway(window);
  await take("comparison");
}

/** The execution as a test, which a changed prompt breaks. */
async function test(window: VSCodeWindow, take: Camera): Promise<void> {
  const { tree, page, editor } = window;
  await window.runCommand("View: Close All Editors");
  // Only this row is selected then.
  await tree.click(filledIn.topic);
  await tree.menu(filledIn.topic, "Save as Test");
  await editor.tab(/kickoff\.json/).waitFor();
  const tasks = path.join(window.workspace, "src/home_energy/config/tasks.yaml");
  edit(tasks, /10 bullet points/, "5 bullet points");
  await window.runCommand("Testing: Focus on Test Explorer View");
  await window.runCommand("Test: Run All Tests");
  await page.getByText("Record Again").first().waitFor();
  await lookAway(window);
  await take("testing");
}

/** The cases of a test with two models, in a table. */
async function compareModels(window: VSCodeWindow, take: Camera): Promise<void> {
  const { page, messages, quickInput, webview } = window;
  const file = path.join(window.workspace, "tests", "topics.kickoff.json");
  const cases = [
    { label: "Heat pumps", topic: "heat pumps", "expect.contains": "fridge" },
    { label: "Solar panels", topic: "solar panels", "expect.contains": "solar" },
  ];
  const expect = [{ judge: "Would a home owner understand it?" }];
  const test = { inputs: { current_year: filledIn.current_year }, cases, expect };
  writeFileSync(file, JSON.stringify(test, undefined, 2));
  await window.runCommand("View: Close All Editors");
  await window.runCommand("View: Hide Panel");
  await window.runCommand("View: Show Crewdeck");
  await page.setViewportSize(largeWindowSize);
  await window.runCommand("Crewdeck: Kick Off for Each Row…");
  await quickInput.answer("A test, or a CSV file", file);
  await quickInput.answer("with which models?", "gpt-4o, gpt-4o-mini");
  await messages.confirm("Kick off", "Kick Off 4");
  const grades = webview.content.getByText(/^[79] of 10$/);
  await waitFor("all grades", async () => (await grades.count()) === 4, 240_000);
  await window.runCommand("Notifications: Clear All Notifications");
  await lookAway(window);
  await take("models");
  await page.setViewportSize(windowSize);
}

/** Waits until the page begins with the result. */
export async function showReport(window: VSCodeWindow): Promise<void> {
  await waitForPage(window, /2 of 2/);
  await window.webview.content.locator("html").evaluate((page) => page.scrollTo({ top: 0 }));
  await window.webview.content.getByText("Heat pumps in 2026").first().waitFor();
}

async function openTasks(window: VSCodeWindow): Promise<void> {
  const { quickInput, editor } = window;
  await window.runCommand("Go to File...");
  await quickInput.waitFor("Search files by name");
  await quickInput.input.fill("tasks.yaml");
  await quickInput.choose("Search files by name", "tasks.yaml");
  await editor.tab("tasks.yaml").waitFor();
}
