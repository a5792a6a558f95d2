import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  crewaiProject,
  smokedVersions,
  needsCrewai,
  newestCrewai,
  pythonWith,
} from "../support/crewai.ts";
import { serveProject, startModel, type Model } from "../support/crewai-service.ts";
import { temporaryFolder } from "../support/folders.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { isRunning } from "../support/processes.ts";
import type { RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

/** A project whose tool starts two processes, one in a session of its own, writes all IDs to the file `pids`, and hangs. */
function hangingProject() {
  const folder = crewaiProject("weather");
  const pids = path.join(folder, "pids");
  writeFileSync(
    path.join(folder, "src/weather/tools/thermometer.py"),
    `import os, subprocess, time
from crewai.tools import tool

@tool("thermometer")
def thermometer(city: str) -> str:
    """Reads the thermometer of a city."""
    children = [subprocess.Popen(["sleep", "600"], start_new_session=own) for own in (False, True)]
    with open(${JSON.stringify(`${pids}.new`)}, "w") as file:
        file.write(" ".join(str(pid) for pid in [os.getpid(), *[child.pid for child in children]]))
    os.rename(${JSON.stringify(`${pids}.new`)}, ${JSON.stringify(pids)})
    time.sleep(600)
`,
  );
  return { folder, pids };
}

describe("the crewai engine", () => {
  needsCrewai();
  let model: Model;
  let service: RunningService;
  const setModel = async (answer: Parameters<typeof startModel>[0]) => {
    model = await startModel(answer);
  };
  beforeEach(() => setModel(weatherAnswer));

  async function serve(folder: string, python: string, args: readonly string[] = []) {
    const served = await serveProject(folder, model, { python, args });
    ({ service } = served);
    return served.api;
  }
  const atOslo = { inputs: { city: "Oslo", readers: "" } };

  for (const version of smokedVersions)
    describe(`with crewAI ${version}`, () => {
      let python: string;
      before(async () => {
        python = await warmPython(version);
      });

      it("runs a classic project: tool, hooks, condition, output model, guardrail, feedback and retry", async () => {
        const folder = crewaiProject("weather");
        const api = await serve(folder, python);
        const id = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
        const waiting = await api.untilWaiting(id);
        assert.deepEqual(waiting.pending_human_input, {
          task_id: "headline",
          task_output: "It is mild in Oslo today.",
          attempt: 1,
        });
        // The hook before the kickoff changed both inputs.
        const asked = model.requests.at(-1)?.prompt ?? "";
        assert.ok(asked.includes("Write a headline about Oslo for everybody."), asked);
        // The tool read the project's .env.
        if (model.requests[0]?.tools.includes("thermometer") === true)
          assert.ok(model.requests[1]?.prompt.includes("Oslo: 10 degrees at Blindern"));
        await api.resume(id, "headline", false, "Shorter, please.");
        await api.untilWaiting(id, 2);
        const retried = model.requests.at(-1)?.prompt ?? "";
        assert.ok(retried.includes("Shorter, please."), retried);
        assert.ok(retried.includes("It is mild in Oslo today."), retried);
        await api.resume(id, "headline", true, "Good.");
        const ended = await api.untilEnded(id);
        assert.equal(ended.status, "completed", JSON.stringify(ended));
        assert.equal(ended.result?.output, "A text. (signed)");
        assert.deepEqual(
          ended.result.tasks.map(({ task_id, output }) => [task_id, output]),
          [
            ["measure", '{"city": "Oslo", "degrees": 10}'],
            // The condition (frost) isn't met, and nobody is asked about it.
            ["warn", ""],
            ["headline", "Mild."],
            ["report", "A text. (signed)"],
          ],
        );
        const last = model.requests.at(-1)?.prompt ?? "";
        for (const text of ["Mild.", "Good.", "Shorter, please."])
          assert.ok(last.includes(text), last);
        assert.equal(readFileSync(path.join(folder, "report.md"), "utf8"), "A text.");
      });

      it("runs a declarative project, or says which version can", async () => {
        const api = await serve(crewaiProject("declared"), python);
        const id = await api.kickoff({ inputs: { topic: "tides" } });
        if (version === "1.0.0") {
          const { error } = await api.untilEnded(id);
          assert.match(
            error ?? "",
            /crewAI 1\.0\.0 can't read crew\.jsonc: declarative crews need crewAI 1\.15\.0/,
          );
          return;
        }
        assert.equal((await api.untilWaiting(id)).pending_human_input.task_id, "draft");
        await api.resume(id, "draft", true, "");
        assert.equal((await api.untilEnded(id)).result?.output, "A text.");
        assert.deepEqual(model.requests.at(-1)?.tools, ["lookup"]);
      });
    });

  describe("with the newest crewAI", () => {
    let python: string;
    before(async () => {
      python = await warmPython();
    });

    it("fails a task at once when the model refuses, with what it said", async () => {
      await model.stop();
      const api = await serve(crewaiProject("declared"), python);
      const { error } = await api.untilEnded(await api.kickoff({ inputs: { topic: "tides" } }));
      assert.match(error ?? "", /^Task execution failed: .*[Cc]onnect/s);
    });

    it("repeats an attempt whose Python process died, and fails after three with what it printed", async () => {
      const folder = crewaiProject("weather");
      const counter = path.join(folder, "deaths");
      const dying = `
import os
with open(${JSON.stringify(counter)}, "a") as file:
    file.write("x")
if os.path.getsize(${JSON.stringify(counter)}) %s:
    print("the instruments exploded")
    os._exit(7)
`;
      const tool = path.join(folder, "src/weather/tools/thermometer.py");
      const text = readFileSync(tool, "utf8");
      const inTool = (condition: string) =>
        writeFileSync(
          tool,
          text.replace(
            "    return",
            `${dying.replace("%s", condition).replaceAll("\n", "\n    ")}\n    return`,
          ),
        );
      inTool("< 3");
      const api = await serve(folder, python);
      await api.untilWaiting(await api.kickoff(atOslo));
      assert.equal(readFileSync(counter, "utf8"), "xxx");
      inTool("> 0");
      const { error } = await api.untilEnded(await api.kickoff(atOslo));
      assert.match(error ?? "", /Python process ended \(exit code 7\).*the instruments exploded/s);
      const made =
        /\[crew\] The crew's Python process ended \(exit code 7\)\. An attempt is made up to three times/;
      await waitFor("the log", () => made.test(service.log()));
      assert.equal(readFileSync(counter, "utf8").length, 6);
    });

    it("repeats a callback whose Python process died after the approval, and not the approved draft", async () => {
      await setModel(() => `Answer ${model.requests.length}.`);
      const folder = crewaiProject("declared");
      const crew = path.join(folder, "crew.jsonc");
      const text = readFileSync(crew, "utf8");
      const callback = '"callback": { "python": "publishing.publish" }';
      writeFileSync(crew, text.replace('"human_input": true', `$&, ${callback}`));
      writeFileSync(
        path.join(folder, "publishing.py"),
        `import os

def publish(output):
    is_first = not os.path.exists("published")
    with open("published", "a") as file:
        print(output.raw, file=file)
    if is_first:
        os.kill(os.getpid(), 9)
`,
      );
      const published = path.join(folder, "published");
      const api = await serve(folder, python);
      const id = await api.kickoff({ inputs: {} });
      const waiting = await api.untilWaiting(id);
      assert.equal(waiting.pending_human_input.task_output, "Answer 1.");
      assert.ok(!existsSync(published));
      await api.resume(id, "draft", true, "");
      const ended = await api.untilEnded(id);
      assert.equal(ended.status, "completed", ended.error);
      assert.equal(readFileSync(published, "utf8"), "Answer 1.\nAnswer 1.\n");
      assert.deepEqual(
        ended.result?.tasks.map(({ output }) => output),
        ["Answer 1.", "Answer 2."],
      );
      assert.equal(model.requests.length, 2);
    });

    it("ends the worker and what it started when the service is killed, and continues only after a person decides so", async () => {
      const { folder, pids } = hangingProject();
      const cold = await pythonWith(newestCrewai);
      const data = ["--data", temporaryFolder("killed")];
      const id = await (await serve(folder, cold, data)).kickoff(atOslo);
      await waitFor("the tool", () => existsSync(pids), 120_000);
      await service.kill();
      const started = readFileSync(pids, "utf8").split(" ").map(Number);
      assert.equal(started.length, 3);
      await waitFor("all to end", () => started.every((pid) => !isRunning(pid)));
      rmSync(pids);
      const asked = model.requests.length;
      const held = await serve(folder, cold, data);
      const said = `Unfinished executions were interrupted: ${id}. Start the service again with --on-restart continue`;
      await waitFor("the message", () => service.log().includes(said));
      assert.deepEqual([(await held.status(id)).status, model.requests.length], ["running", asked]);
      await service.stop();
      await serve(folder, cold, [...data, "--on-restart", "continue"]);
      await waitFor("the tool again", () => existsSync(pids), 120_000);
      assert.doesNotMatch(service.log(), /Unfinished/);
    });

    it("stops an execution with its worker and what that started, and one in the queue; the next one gets its turn", async () => {
      const { folder, pids } = hangingProject();
      const api = await serve(folder, await pythonWith(newestCrewai));
      const kickoff = () => api.kickoff(atOslo);
      const running = await kickoff();
      await waitFor("the tool", () => existsSync(pids), 120_000);
      const started = readFileSync(pids, "utf8").split(" ").map(Number);
      const queued = await kickoff();
      for (const id of [queued, running]) {
        const { status: code, body } = await api.post(`/stop/${id}`, {});
        assert.deepEqual([code, body], [200, { status: "stopped", kickoffId: id }]);
      }
      await waitFor("all to end", () => started.every((pid) => !isRunning(pid)));
      rmSync(pids);
      const asked = model.requests.length;
      const next = await kickoff();
      await waitFor("the tool of the next one", () => existsSync(pids), 120_000);
      assert.ok(model.requests.length > asked);
      for (const id of [queued, running]) assert.equal((await api.status(id)).status, "stopped");
      assert.equal((await api.post(`/stop/${next}`, {})).status, 200);
    });
  });

  it("says that crewAI is missing, and how to install it", async () => {
    const api = await serve(crewaiProject("declared"), await pythonWith(undefined));
    const { error } = await api.untilEnded(await api.kickoff({ inputs: { topic: "tides" } }));
    assert.match(error ?? "", /has no crewAI.*uv sync/s);
  });
});
