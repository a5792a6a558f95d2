import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { asArray, asObject } from "../../src/base/json.ts";
import { crewaiProject, needsCrewai, newestCrewai, pythonWith, uv } from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { DapClient } from "../support/dap-client.ts";
import { atEndOfTest } from "../support/ends.ts";
import { installOnce } from "../support/install-once.ts";
import { weatherAnswer } from "../support/model-server.ts";

const run = promisify(execFile);
const inputs = { city: "oslo", readers: "" };

describe("a crew under a debugger", () => {
  needsCrewai();

  it("stops at a breakpoint in a tool for as long as a person looks at it, and goes on", async () => {
    const packages = await installOnce("debugpy-1.8.22", async (target) => {
      await run(await uv(), ["pip", "install", "--quiet", "--target", target, "debugpy==1.8.22"]);
    });
    const project = realpathSync(crewaiProject("weather"));
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    // Not a warm one, whose packages are those that it began with.
    const python = await pythonWith(newestCrewai);
    const env = { PYTHONPATH: packages };
    const { api } = await serveProject(project, model, { python, env });
    const { client, end } = await DapClient.open(python, packages);
    atEndOfTest(end);
    await client.ask("initialize", { adapterID: "debugpy", clientID: "test" });
    client.send("attach", { listen: { host: "127.0.0.1", port: 0 }, justMyCode: true });
    const { port } = await client.event("debugpyWaitingForServer");

    const id = await api.kickoff({ inputs, debug_port: port });
    await client.event("initialized");
    const file = path.join(project, "src/weather/tools/thermometer.py");
    const breakpoints = [{ line: 9 }];
    await client.ask("setBreakpoints", { source: { path: file }, breakpoints });
    await client.ask("configurationDone");
    const { threadId, reason } = await client.event("stopped");
    assert.equal(reason, "breakpoint");
    const { stackFrames } = await client.ask("stackTrace", { threadId });
    const [frame] = asArray(stackFrames).map(asObject);
    assert.deepEqual([asObject(frame?.["source"])["path"], frame?.["line"]], [file, 9]);
    const { result } = await client.ask("evaluate", { expression: "city", frameId: frame?.["id"] });
    assert.equal(result, "'Oslo'");
    client.send("disconnect");
    await api.untilWaiting(id);
    await api.resume(id, "headline", true);
    assert.equal((await api.untilEnded(id)).status, "completed");
  });

  it("says what to install where its Python has no debugger", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    const { api } = await serveProject(project, model);
    const id = await api.kickoff({ inputs, debug_port: 9 });
    const { error } = await api.untilEnded(id);
    assert.match(
      String(error),
      /has no debugpy\. Install it in the project: "uv add --dev debugpy"/,
    );
  });
});
