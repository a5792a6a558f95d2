import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { asObject, type UnknownObject } from "../../src/base/json.ts";
import { CrewApi } from "../support/crew-api.ts";
import { crewaiEnv, crewFile, needsCrewai, writeProject } from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

const crew = crewFile({
  head: `import pathlib
from crewai.tools import tool

@tool("send_mail")
def send_mail(to: str) -> str:
    """Sends a mail."""
    sent = pathlib.Path("sent")
    sent.write_text((sent.read_text() if sent.exists() else "") + to + "\\n")
    return "Sent."`,
  agent: "tools=[send_mail]",
  tasks: { first: "" },
});
const inputs = { topic: "tea" };

async function untilAsked(api: CrewApi, id: string, callId: string): Promise<UnknownObject> {
  return await waitFor(`the call ${callId}`, async () => {
    const { status, pending_tool_call, pending_budget, error } = asObject(await api.status(id));
    assert.equal(status, "running", String(error));
    const pending = asObject(pending_tool_call ?? pending_budget);
    return pending["call_id"] === callId ? pending : undefined;
  });
}

describe("calls that wait for a person", () => {
  needsCrewai();

  it("wait over a restart of the service, and a tool runs only as a person allows", async () => {
    const [folder, data] = [writeProject({ "crew.py": crew }), temporaryFolder("held")];
    const sent = path.join(folder, "sent");
    const call = { tool: "send_mail", arguments: { to: "Ada" } };
    const model = await startModel(({ hasToolResult }) => (hasToolResult ? "Done." : call));
    const args = ["--engine", "crewai", "--python", await warmPython(), "--data", data];
    const start = async () => {
      const service = await startService({
        folder,
        args: [...args, "--token", "T", "--on-restart", "continue"],
        env: crewaiEnv(model),
      });
      atEndOfTest(() => service.stop());
      return { service, api: new CrewApi(service) };
    };
    const first = await start();
    const id = await first.api.kickoff({ inputs, approve_tools: ["*"] });
    const { arguments: given } = await untilAsked(first.api, id, "first: send_mail #1");
    assert.deepEqual(given, { to: "Ada" });
    await first.service.kill();
    const { api } = await start();
    await untilAsked(api, id, "first: send_mail #2");
    assert.ok(!existsSync(sent));
    assert.equal((await api.resume(id, "first: send_mail #1", true)).status, 400);
    await api.resume(id, "first: send_mail #2", true);
    assert.equal((await api.untilEnded(id)).status, "completed");
    assert.equal(readFileSync(sent, "utf8"), "Ada\n");
  });

  it("are refused with words that the agent reads, or allowed for the whole execution", async () => {
    const folder = writeProject({ "crew.py": crew });
    const sent = path.join(folder, "sent");
    let to = 0;
    const model = await startModel(({ prompt }) =>
      (prompt.match(/Sent\./g) ?? []).length === 2
        ? "Done."
        : { tool: "send_mail", arguments: { to: `number ${(to += 1)}` } },
    );
    const { api } = await serveProject(folder, model);
    const id = await api.kickoff({ inputs, approve_tools: ["send_mail"] });
    await untilAsked(api, id, "first: send_mail #1");
    await api.resume(id, "first: send_mail #1", false, "Not on Sundays.");
    await untilAsked(api, id, "first: send_mail #2");
    assert.match(
      model.requests.at(-1)?.prompt ?? "",
      /A person refused this call\. They say: Not on Sundays\./,
    );
    await api.resume(id, "first: send_mail #2", true, "", { for_run: true });
    assert.equal((await api.untilEnded(id)).status, "completed");
    assert.equal(readFileSync(sent, "utf8"), "number 2\nnumber 3\n");
  });

  it("hold a budget of 1,000 tokens within one call, until there is more", async () => {
    const folder = writeProject({ "crew.py": crew });
    let to = 0;
    const model = await startModel(() =>
      model.requests.length === 12
        ? "Done."
        : { tool: "send_mail", arguments: { to: `number ${(to += 1)}` } },
    );
    const { api } = await serveProject(folder, model);
    const id = await api.kickoff({ inputs, limits: { tokens: 1_000 } });
    // A call has 110.
    const { tokens } = await untilAsked(api, id, "first: budget #1");
    assert.deepEqual([tokens, model.requests.length], [1_100, 10]);
    await api.resume(id, "first: budget #1", true);
    const { status, usage_metrics } = await api.untilEnded(id);
    assert.deepEqual([status, usage_metrics?.total_tokens], ["completed", 1_320]);
  });
});
