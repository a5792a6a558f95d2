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
      .map((line) => asObject(parseJson(line)));
    const failure = { message: 'The result has no "snow".', actual: "A report. (signed)", line: 7 };
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
});
