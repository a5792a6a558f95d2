import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asObject, parseJson } from "../../src/base/json.ts";
import { crewaiEnv, crewaiProject, needsCrewai } from "../support/crewai.ts";
import { startModel } from "../support/crewai-service.ts";
import { projectFolder } from "../support/folders.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { warmPython } from "../support/warm-python.ts";

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

  it("records a run, then repeats it without a model or a key, and fails with the difference of a changed prompt", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    const folder = path.join(project, "tests");
    mkdirSync(folder);
    const file = path.join(folder, "oslo.kickoff.json");
    const test = {
      inputs: { city: "oslo", readers: "" },
      answers: { headline: [{ reject: "Shorter, please." }, { approve: "Good." }] },
      expect: [
        { contains: "report" },
        { task: "headline", equals: "Mild." },
        { task: "headline", attempt: 1, contains: "in Oslo today" },
        {
          task: "measure",
          jsonSchema: { required: ["city", "degrees"] },
          calls: [{ tool: "thermometer", arguments: { city: "Oslo" } }],
        },
        { maxTokens: 550 },
      ],
    };
    writeFileSync(file, JSON.stringify(test, undefined, 2));
    const none = await run(project, [], {});
    assert.equal(none.status, 2);
    assert.match(
      none.printed,
      /^! tests\/oslo\.kickoff\.json .*\n {4}There is no recording tests\/oslo\.recording\.jsonl\. Make one with --record/,
    );
    const recorded = await run(project, ["--record"], crewaiEnv(model));
    assert.equal(
      recorded.printed.replace(/\([\d.]+ s/g, "(1 s"),
      "✓ tests/oslo.kickoff.json (1 s, 550 tokens)\n\n1 passed, 0 failed, 0 could not run; 550 tokens\n",
    );
    const asked = model.requests.length;
    await model.stop();

    const junit = path.join(project, "junit.xml");
    const replayed = await run(project, ["tests", "--junit", junit], {});
    assert.equal(replayed.status, 0, replayed.printed);
    assert.match(
      readFileSync(junit, "utf8"),
      /<testsuite name="crewdeck" tests="1" failures="0" errors="0">\n {2}<testcase classname="tests\/oslo.kickoff.json" name="test" time="[\d.]+"><\/testcase>/,
    );

    writeFileSync(
      file,
      JSON.stringify(
        { ...test, expect: [{ contains: "snow" }, { calls: [{ tool: "thermometer", max: 0 }] }] },
        undefined,
        1,
      ),
    );
    const unmet = await run(project, ["--json"], {});
    assert.equal(unmet.status, 1);
    const { state, failures } = asObject(parseJson(unmet.printed));
    assert.deepEqual(
      [state, failures],
      [
        "failed",
        [
          { message: 'The result has no "snow".', actual: "A report. (signed)", line: 17 },
          {
            message: 'The tool "thermometer" was called 1 times, and at most 0 are expected.',
            line: 20,
          },
        ],
      ],
    );

    const tasks = path.join(project, "src/weather/config/tasks.yaml");
    writeFileSync(tasks, readFileSync(tasks, "utf8").replace("Write a headline", "Write a title"));
    const changed = await run(project, [], {});
    assert.equal(changed.status, 1);
    assert.match(
      changed.printed,
      /Record again.*\n {4}-Current Task: Write a headline.*\n {4}\+Current Task: Write a title/s,
    );
    assert.equal(model.requests.length, asked);
  });
});
