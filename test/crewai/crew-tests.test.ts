import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asObject, parseJson } from "../../src/base/json.ts";
import { crewaiEnv, crewaiProject, needsCrewai } from "../support/crewai.ts";
import { startModel } from "../support/crewai-service.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { atEndOfTest } from "../support/ends.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";
import { openWindow } from "../support/window.ts";

const testOfWeather = '{"inputs": {"city": "oslo", "readers": ""}, "expect": [{"contains": "x"}]}';

/** The command, in a folder. */
async function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = path.join(projectFolder, "dist", "service.mjs");
  const python = await warmPython();
  return await new Promise<{ status: unknown; printed: string }>((resolve) => {
    execFile(
      process.execPath,
      [program, "test", ...args, "--python", python],
      { cwd, env: { PATH: process.env["PATH"], ...env } },
      (error, stdout, stderr) => resolve({ status: error?.code ?? 0, printed: stdout + stderr }),
    );
  });
}

describe("crewdeck test", () => {
  needsCrewai();

  it("records runs, then repeats them without a model or a key, and fails with the difference of a changed prompt", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    mkdirSync(path.join(project, "tests"));
    const write = (name: string, test: object) => {
      const text = JSON.stringify({ inputs: { city: "oslo", readers: "" }, ...test }, undefined, 1);
      writeFileSync(path.join(project, "tests", `${name}.kickoff.json`), text);
    };
    write("met", {
      answers: { headline: [{ reject: "Shorter, please." }, { approve: "Good." }] },
      expect: [
        { contains: "report" },
        { task: "headline", equals: "Mild." },
        { task: "headline", attempt: 1, contains: "in Oslo today" },
        { task: "measure", calls: [{ tool: "thermometer", arguments: { city: "Oslo" } }] },
        { maxTokens: 550 },
      ],
    });
    const none = await run(project, [], {});
    assert.equal(none.status, 2);
    assert.match(
      none.printed,
      /^! tests\/met\.kickoff\.json .*\n {4}There is no recording tests\/met\.recording\.jsonl\. Make one with --record/,
    );
    write("unmet", { expect: [{ contains: "snow" }] });
    const recorded = await run(project, ["--record"], crewaiEnv(model));
    assert.equal(
      recorded.printed.replace(/\([\d.]+ s/g, "(1 s"),
      `✓ tests/met.kickoff.json (1 s, 550 tokens)
✗ tests/unmet.kickoff.json (1 s, 440 tokens)
    tests/unmet.kickoff.json:7: The result has no "snow".
    Actual: A report. (signed)

1 passed, 1 failed, 0 could not run; 990 tokens\n`,
    );
    const asked = model.requests.length;
    await model.stop();

    const junit = path.join(project, "junit.xml");
    const replayed = await run(project, ["tests", "--junit", junit, "--json"], {});
    assert.equal(replayed.status, 1, replayed.printed);
    const results = replayed.printed
      .trim()
      .split("\n")
      .map((line) => asObject(parseJson(line)))
      .filter(({ type }) => type === "test");
    const at = { file: path.join(project, "tests/unmet.kickoff.json"), line: 7 };
    const failure = { message: 'The result has no "snow".', actual: "A report. (signed)", at };
    assert.deepEqual(
      results.map(({ state, tokens, failures }) => [state, tokens, failures]),
      [
        ["passed", 550, []],
        ["failed", 440, [failure]],
      ],
    );
    assert.match(
      readFileSync(junit, "utf8"),
      /tests="2" failures="1" errors="0">\n {2}<testcase classname="tests\/met.kickoff.json" name="test" time="[\d.]+"><\/testcase>\n.*<failure message="The result has no &quot;snow&quot;\."/,
    );

    const tasks = path.join(project, "src/weather/config/tasks.yaml");
    writeFileSync(tasks, readFileSync(tasks, "utf8").replace("Write a headline", "Write a title"));
    const changed = await run(project, ["tests/met.kickoff.json"], {});
    assert.equal(changed.status, 1);
    assert.match(
      changed.printed,
      /Record again.*\n {4}-Current Task: Write a headline.*\n {4}\+Current Task: Write a title/s,
    );
    assert.equal(model.requests.length, asked);
  });

  it("runs a test with each model, knows what it cost, and lets the project's model grade outputs", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) =>
      request.prompt.includes("You grade a text")
        ? `{"grade": ${request.prompt.includes("short") ? 6 : 8}, "reason": "It is mild."}`
        : weatherAnswer(request, "A report."),
    );
    mkdirSync(path.join(project, "tests"));
    mkdirSync(path.join(project, ".vscode"));
    const prices = { "crewdeck.prices": { "gpt-4o*": { input: 1, output: 10 } } };
    writeFileSync(path.join(project, ".vscode", "settings.json"), JSON.stringify(prices));
    const expect = [
      { judge: "Is it about the weather?" },
      { task: "headline", judge: "Is it short?" },
      { maxTokens: 440, maxCost: 0.0001 },
    ];
    const text = JSON.stringify({ inputs: { city: "oslo", readers: "" }, expect }, undefined, 1);
    writeFileSync(path.join(project, "tests", "graded.kickoff.json"), text);
    const models = ["--models", "gpt-4o,gpt-4o-mini"];
    const recorded = await run(project, [...models, "--record"], crewaiEnv(model));
    const printed = ["gpt-4o", "gpt-4o-mini"]
      .map(
        (name) => `✗ tests/graded.kickoff.json › ${name} (1 s, 440 tokens, $0.0012)
    tests/graded.kickoff.json:10: The model gives 6 of 10, and at least 7 is expected: It is mild.
    tests/graded.kickoff.json:14: It cost $0.0012, and at most $0.0001 are expected.\n`,
      )
      .join("");
    const inSeconds = (text: string) => text.replace(/\([\d.]+ s/g, "(1 s");
    const whole = `${printed}\n0 passed, 2 failed, 0 could not run; 880 tokens\n`;
    assert.equal(inSeconds(recorded.printed), whole);
    assert.deepEqual(
      [...new Set(model.requests.map(({ model: name }) => name))],
      ["gpt-4o", "gpt-4o-mini"],
    );
    const asked = model.requests.length;
    const replayed = await run(project, models, {});
    assert.equal(inSeconds(replayed.printed), whole);
    assert.equal(model.requests.length, asked);
  });
});

describe("crewdeck test, where a call waits for a person", () => {
  needsCrewai();

  it("stops the execution, and runs no tool that is to be asked about", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) => weatherAnswer(request));
    const rules = { approveTools: ["thermometer"] };
    const text = JSON.stringify({ ...rules, ...(parseJson(testOfWeather) as object) });
    writeFileSync(path.join(project, "a.kickoff.json"), text);
    const { status, printed } = await run(project, ["--live"], crewaiEnv(model));
    assert.equal(status, 2, printed);
    assert.match(printed, /The call "measure: thermometer #1" would wait for a person/);
  });
});

describe("crewdeck test, when it is to end", () => {
  needsCrewai();

  it("ends what it started, and leaves no files", async () => {
    const [project, scratch] = [crewaiProject("weather"), temporaryFolder("scratch")];
    const model = await startModel(() => new Promise<string>(() => undefined));
    writeFileSync(path.join(project, "a.kickoff.json"), testOfWeather);
    const program = path.join(projectFolder, "dist", "service.mjs");
    const args = [program, "test", "--live", "--lifeline", "--python", await warmPython()];
    const env = { PATH: process.env["PATH"], TMPDIR: scratch, ...crewaiEnv(model) };
    const child = spawn(process.execPath, args, { cwd: project, env });
    await waitFor("a call of the model", () => model.requests.length > 0, 60_000);
    assert.equal(readdirSync(scratch).length, 1);
    child.stdin.end();
    const [code] = (await once(child, "exit")) as [number];
    assert.deepEqual([code, readdirSync(scratch)], [130, []]);
  });
});

describe("The example crew", () => {
  needsCrewai();

  it("passes its tests without a model", async () => {
    const copy = path.join(temporaryFolder("example"), "example_crew");
    cpSync(path.join(projectFolder, "media", "example-crew"), copy, { recursive: true });
    // It is for another service.
    const env = { CREWDECK_DATABASE: "postgres://127.0.0.1:1/teams" };
    const { status, printed } = await run(copy, [], env);
    assert.equal(status, 0, printed);
    assert.match(printed, /\n4 passed, 0 failed, 0 could not run/);
  });
});

describe("The Test Explorer", () => {
  needsCrewai();

  it("replays tests without a model, shows the difference of a changed prompt, and records again", async () => {
    const project = crewaiProject("weather");
    const model = await startModel(({ prompt, ...request }) =>
      weatherAnswer(
        { ...request, prompt: prompt.replace("Write a title", "Write a headline") },
        "A report.",
      ),
    );
    mkdirSync(path.join(project, "tests"));
    const write = (name: string, text: string) =>
      writeFileSync(path.join(project, "tests", name), text);
    write(
      "oslo.kickoff.json",
      `{
  "inputs": { "city": "oslo" },
  "cases": "readers.csv",
  "expect": [{ "task": "headline", "equals": "It is mild in Oslo today." }]
}`,
    );
    write("readers.csv", 'label,readers,expect.contains\nSailors,sailors,report\nAll,"",snow\n');
    const env = crewaiEnv(model);
    assert.equal((await run(project, ["--record"], env)).status, 1);
    const python = await warmPython();
    const window = await openWindow({
      ...{ workspace: project, env },
      settings: { "crewdeck.python": python, "testing.automaticallyOpenPeekView": "never" },
    });
    atEndOfTest(() => window.close());
    const { page, messages } = window;
    const rows = page.locator(".test-explorer .monaco-list-row");
    const seen = async () => await rows.evaluateAll((all) => all.map((row) => row.ariaLabel ?? ""));
    const untilSeen = (what: RegExp) =>
      waitFor(String(what), async () => what.test((await seen()).join(";")));
    await window.tree.open("Testing");
    await untilSeen(/tests\/oslo \(Not yet run\)/);
    const asked = model.requests.length;
    await window.runCommand("Test: Run All Tests");
    await untilSeen(/tests\/oslo \(Failed\)/);
    await rows.filter({ hasText: "tests/oslo" }).locator(".monaco-tl-twistie").click();
    await untilSeen(/Sailors \(Passed\).*;All \(Failed\)/);
    assert.equal(model.requests.length, asked);
    await window.screenshot("tests");

    const tasks = path.join(project, "src/weather/config/tasks.yaml");
    writeFileSync(
      tasks,
      readFileSync(tasks, "utf8").replace(
        "Write a headline",
        "Write a title, which nobody forgets,",
      ),
    );
    await rows.filter({ hasText: "Sailors" }).click();
    await window.editor.activeTab("readers.csv").waitFor();
    await rows.filter({ hasText: "Sailors" }).hover();
    await rows.filter({ hasText: "Sailors" }).getByRole("button", { name: "Run Test" }).click();
    await untilSeen(/Sailors \(Failed\)/);
    await window.runCommand("Test: Peek Output");
    await window.screenshot("tests-difference");
    const peek = page.locator(".test-output-peek-message-container");
    await peek.locator(".view-line", { hasText: "Write a title" }).waitFor();
    const lines = await peek.locator(".view-line").allInnerTexts();
    assert.ok(
      lines.every(({ length }) => length < 60),
      lines.join("\n"),
    );
    await peek.getByText("Record Again", { exact: true }).click();
    await messages.confirm("Record tests? (1)", "Record");
    await untilSeen(/Sailors \(Passed\)/);
    await window.screenshot("tests-recorded");

    await rows.filter({ hasText: "Sailors" }).hover();
    const onSave = { name: "Turn on Continuous Run" };
    await rows.filter({ hasText: "Sailors" }).getByRole("button", onSave).click();
    await page.locator(".view-line", { hasText: "Sailors,sailors,report" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type("s");
    await page.keyboard.press("Control+s");
    await untilSeen(/Sailors \(Failed\)/);
  });

  it("opens a failed test as an execution, and runs the cases with two models side by side", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) =>
      request.prompt.includes("You grade a text")
        ? '{"grade": 8, "reason": "It is mild."}'
        : weatherAnswer(request, "A report."),
    );
    mkdirSync(path.join(project, "tests"));
    const file = path.join(project, "tests", "oslo.kickoff.json");
    const cases = [
      { label: "Report", "expect.contains": "report" },
      { label: "Snow", "expect.contains": "snow", "expect.judge": "Is it mild?" },
    ];
    const answers = { headline: [{ reject: "Shorter, please." }] };
    const inputs = { city: "oslo", readers: "" };
    writeFileSync(file, JSON.stringify({ inputs, answers, cases }, undefined, 2));
    const env = crewaiEnv(model);
    assert.equal((await run(project, ["--record"], env)).status, 1);
    const window = await openWindow({
      ...{ workspace: project, env },
      settings: {
        "crewdeck.python": await warmPython(),
        "testing.automaticallyOpenPeekView": "never",
      },
    });
    atEndOfTest(() => window.close());
    const { page, messages, quickInput } = window;
    const asked = model.requests.length;
    await window.tree.open("Testing");
    await window.runCommand("Test: Run All Tests");
    const rows = page.locator(".test-explorer .monaco-list-row");
    await rows.filter({ hasText: "tests/oslo" }).locator(".monaco-tl-twistie").click();
    await rows.and(page.locator('[aria-label^="Snow (Failed)"]')).click();
    await window.runCommand("Test: Peek Output");
    await window.screenshot("test-failed");
    await page
      .locator(".test-output-peek-message-container")
      .getByText("Open as Execution", { exact: true })
      .click();
    const shown = window.webview.content;
    await shown.getByText("The test did not pass").waitFor();
    await shown.getByText('The result has no "snow".').waitFor();
    await window.screenshot("test-as-execution");
    assert.equal(model.requests.length, asked);

    await window.runCommand("Crewdeck: Kick Off for Each Row…");
    await quickInput.answer("A test, or a CSV file", file);
    await quickInput.answer("with which models?", "gpt-4o, gpt-4o-mini");
    await messages.confirm("Kick off", "Kick Off 4");
    const table = window.webview.content;
    await waitFor("all results", async () => (await table.getByText("8 of 10").count()) >= 4);
    await window.screenshot("test-table");
    assert.equal(await table.getByRole("button", { name: /^Passed: / }).count(), 2);
    assert.equal(await table.getByRole("button", { name: /^Not passed: / }).count(), 2);
  });
});
