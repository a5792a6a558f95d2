import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readProject } from "../../src/projects/read.ts";
import type { CrewApi, DocumentedStatus } from "../support/crew-api.ts";
import {
  crewaiEnv,
  crewaiProject,
  crewaiVersions,
  createdProject,
  needsCrewai,
  newestCrewai,
  oldestCrewai,
  openEngine,
  writeProject,
} from "../support/crewai.ts";
import { temporaryFolder } from "../support/folders.ts";
import { serveProject, type Model } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import { startModelServer, type ModelRequest } from "../support/model-server.ts";
import { childrenOf, signal } from "../support/processes.ts";
import { runService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { noReports } from "../support/reports.ts";
import { warmPython } from "../support/warm-python.ts";

const writeFlow = (main: string) =>
  writeProject({ "pyproject.toml": '[tool.crewai]\ntype = "flow"\n', "main.py": main });
const inputs = { topic: "tides", words: 200, tags: ["sea", "moon"] };
const draft = (number: number) => `Draft ${number} on tides.`;

describe("a real flow", () => {
  needsCrewai();
  const atEnd = endsOf(after);
  let model: Model;
  let service: RunningService;
  /** Drafts that the model is asked for, in the order in which it is asked. */
  let drafts: ModelRequest[];
  /** Called before the model answers with a draft. */
  let onDraft: (count: number) => unknown;
  let outcome: string;

  before(async () => {
    model = await startModelServer(async (request) => {
      if (!request.prompt.includes("Write about")) return JSON.stringify({ outcome });
      const count = drafts.push(request);
      await onDraft(count);
      return draft(count);
    });
    atEnd(() => model.stop());
  });
  beforeEach(() => {
    drafts = [];
    onDraft = () => undefined;
    outcome = "request_changes";
    model.requests.length = 0;
  });
  interface Options {
    readonly folder?: string;
    readonly args?: readonly string[];
    readonly version?: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  const start = async ({ folder, args = [], version = newestCrewai, env }: Options = {}) => {
    const python = await warmPython(version);
    const project = folder ?? crewaiProject("review");
    const options = { python, args: ["--token", "T", ...args], ...(env && { env }) };
    const served = await serveProject(project, model, options);
    ({ service } = served);
    return served.api;
  };
  const answer = async (api: CrewApi, id: string, is_approve: boolean, human_feedback: string) => {
    const { status, body } = await api.resume(id, "review", is_approve, human_feedback);
    assert.equal(status, 200, JSON.stringify(body));
  };
  const tasksOf = (tasks: DocumentedStatus["tasks"] = []) =>
    tasks.map(({ task_id, output }) => [task_id, output]);
  const outline = "An outline of tides in 201 words: sea, moon";

  for (const version of crewaiVersions.filter((one) => one !== oldestCrewai))
    it(`runs from @start to its pause and on to its end, with a crew inside, on crewAI ${version}`, async () => {
      const api = await start({ version });
      assert.deepEqual((await api.get("/inputs")).body, {
        inputs: ["topic", "words", "tags", "draft"],
        crewdeck: { kind: "flow" },
      });
      const id = await api.kickoff({ inputs });
      const waiting = await api.untilWaiting(id);
      assert.deepEqual(waiting.pending_human_input, {
        task_id: "review",
        task_output: `Draft: ${draft(1)}`,
        attempt: 1,
        message: "Please review this article.",
        emit_options: ["approved", "rejected", "request_changes"],
      });
      assert.deepEqual(tasksOf(waiting.tasks), [
        ["outline", outline],
        ["write", draft(1)],
      ]);
      await answer(api, id, true, "Well done");
      const { result, events, usage_metrics } = await api.untilEnded(id);
      assert.equal(result?.output, `Published: ${draft(1)} (Well done)`);
      assert.deepEqual(tasksOf(result.tasks), [
        ["outline", outline],
        ["write", draft(1)],
        ["review", `Draft: ${draft(1)}`],
        ["publish", `Published: ${draft(1)} (Well done)`],
      ]);
      // The approval was not classified.
      assert.equal(model.requests.length, 1);
      assert.equal(usage_metrics?.total_tokens, 110);

      // They come on several threads.
      const methods = events
        .filter(({ type }) => String(type).startsWith("method_execution_"))
        .sort((one, other) => (String(one["timestamp"]) < String(other["timestamp"]) ? -1 : 1));
      assert.deepEqual(
        methods.map(({ type, method_name }) => `${String(method_name)} ${String(type).slice(17)}`),
        [
          ...["outline started", "outline finished", "write started", "write finished"],
          ...["review started", "review paused", "publish started", "publish finished"],
        ],
      );
      const idOf = (type: string) => events.find((event) => event["type"] === type)?.["event_id"];
      const write = methods[2]?.["event_id"];
      const crew = events.find(({ type }) => type === "crew_kickoff_started");
      assert.equal(crew?.["parent_event_id"], write);
      const task = events.find(({ type }) => type === "task_started");
      assert.deepEqual(
        [task?.["parent_event_id"], task?.["task_name"]],
        [idOf("crew_kickoff_started"), "draft"],
      );
      assert.ok(idOf("llm_call_completed"));
    });

  it("runs a method again where its listeners say so; crewAI classifies a rejection among the options that are left", async () => {
    const api = await start();
    const id = await api.kickoff({ inputs });
    await api.untilWaiting(id);
    await answer(api, id, false, "Shorter, please");
    const again = await api.untilWaiting(id, 2);
    assert.equal(again.pending_human_input.task_output, `Draft: ${draft(2)}`);
    assert.match(drafts[1]?.prompt ?? "", /Feedback: Shorter, please\./);
    const classified = model.requests.find(({ prompt }) => !prompt.includes("Write about"));
    assert.match(classified?.prompt ?? "", /rejected, request_changes/);
    assert.doesNotMatch(classified?.prompt ?? "", /approved/);
    outcome = "rejected";
    await answer(api, id, false, "I give up");
    const { result } = await api.untilEnded(id);
    assert.equal(result?.output, `Dropped: ${draft(2)} (I give up)`);
  });

  it("asks again if crewAI can't tell which option is meant", async () => {
    const api = await start();
    const id = await api.kickoff({ inputs });
    await api.untilWaiting(id);
    outcome = "who knows";
    await answer(api, id, false, "Hm");
    const { pending_human_input: again } = await api.untilWaiting(id, 2);
    assert.equal(again.task_output, `Draft: ${draft(1)}`);
    const message = "crewAI could not tell which option was meant by: Hm";
    assert.equal(again.message, `Please review this article.\n\n${message}`);
    await answer(api, id, false, "rejected");
    assert.equal((await api.untilEnded(id)).result?.output, `Dropped: ${draft(1)} (rejected)`);
  });

  it("still waits after SIGKILL of service and worker, and continues from the pause, in the live dialect", async () => {
    const data = temporaryFolder("flows");
    const folder = crewaiProject("review");
    const args = ["--data", data, "--dialect", "live"];
    let api = await start({ folder, args });
    const id = await api.kickoff({ inputs });
    const stateOf = async () =>
      (await api.get(`/status/${id}`)).body as { state: string; flow_id?: string; result: string };
    const until = (state: string) =>
      waitFor(state, async () => (await stateOf()).state === state, 120_000);
    await until("PAUSED");
    assert.equal((await stateOf()).flow_id, id);
    await service.kill();
    // It ends as the flow that it began as.
    const main = path.join(folder, "src/review/main.py");
    writeFileSync(main, readFileSync(main, "utf8").replace("Published", "Printed"));
    api = await start({ folder, args });
    await until("PAUSED");
    const { status, body } = await api.post("/resume", {
      executionId: id,
      taskId: "review",
      human_feedback: "approved",
      is_approve: true,
    });
    assert.equal(status, 200, JSON.stringify(body));
    await until("SUCCESS");
    assert.equal((await stateOf()).result, `Published: ${draft(1)} (approved)`);
    assert.equal(drafts.length, 1);
  });

  it("runs its methods again since the last pause, or its start, after SIGKILL in their middle", async () => {
    const data = temporaryFolder("flows");
    const folder = crewaiProject("review");
    const args = ["--data", data, "--on-restart", "continue"];
    let api = await start({ folder, args });
    const kill = (pids: readonly number[]) => pids.forEach((pid) => signal(pid, "SIGKILL"));
    const workers = () => childrenOf(service.child.pid ?? 0);
    const draftAsked = async (count: number) => {
      await waitFor(`draft ${count}`, () => drafts.length === count, 120_000);
    };
    onDraft = (count) => (count === 1 || count === 3 ? new Promise(() => undefined) : undefined);
    const id = await api.kickoff({ inputs });
    await draftAsked(1);
    await service.kill();
    api = await start({ folder, args });
    const waiting = await api.untilWaiting(id);
    assert.deepEqual(tasksOf(waiting.tasks), [
      ["outline", outline],
      ["write", draft(2)],
    ]);
    await answer(api, id, false, "request_changes");
    await draftAsked(3);
    kill(workers());
    const again = await api.untilWaiting(id, 2);
    assert.equal(again.pending_human_input.task_output, `Draft: ${draft(4)}`);
    assert.match(drafts[3]?.prompt ?? "", /Feedback: request_changes\./);
    const repeated = /An attempt is made up to three times in all/;
    await waitFor("the log", () => repeated.test(service.log()));
    await answer(api, id, true, "approved");
    assert.equal((await api.untilEnded(id)).result?.output, `Published: ${draft(4)} (approved)`);
  });

  it("finds a pause again that crewAI had stored when its worker ended, and runs nothing twice", async () => {
    const folder = crewaiProject("review");
    const data = temporaryFolder("flows");
    const python = await warmPython();
    const { project } = await readProject(folder);
    const answer = { feedback: "request_changes", outcomes: ["request_changes"] };
    /** In a process of its own. */
    const run = async (requestedAt?: string) => {
      const { engine } = openEngine({ folder, python, data, env: crewaiEnv(model) });
      const part = {
        ...{ executionId: "one", project, inputs, part: 1 },
        ...(requestedAt !== undefined && { answer: { ...answer, requestedAt } }),
      };
      await engine.prepare?.("one", project);
      const pause = (await engine.runFlow?.(part, noReports))?.pause;
      engine.close?.();
      assert.ok(pause);
      return pause;
    };
    const first = await run();
    assert.deepEqual(
      [first.method, first.metadata, first.state],
      ["review", { desk: "news" }, { id: "one", ...inputs, draft: draft(1) }],
    );
    assert.deepEqual(await run(), first);
    assert.equal(drafts.length, 1);
    const second = await run(first.requestedAt);
    assert.equal(second.output, `Draft: ${draft(2)}`);
    assert.deepEqual(await run(first.requestedAt), second);
    assert.equal(drafts.length, 2);
  });

  it("fails with the place in the project; an input of a wrong type is refused by its state model", async () => {
    const folder = writeFlow(`from crewai.flow import Flow, listen, start
from pydantic import BaseModel

class State(BaseModel):
    count: int = 1

class Broken(Flow[State]):
    @start()
    def begin(self):
        return {"count": self.state.count}

    @listen(begin)
    def fail(self, begun):
        raise ValueError(f"No ink for {begun['count'] + 1}")
`);
    const api = await start({ folder });
    const failed = await api.untilEnded(await api.kickoff({ inputs: { count: 2 } }));
    assert.match(
      failed.error ?? "",
      /^The flow failed: ValueError: No ink for 3\n {2}main\.py:14 in fail/,
    );
    assert.deepEqual(tasksOf(failed.tasks), [["begin", '{"count": 2}']]);
    const refused = await api.untilEnded(await api.kickoff({ inputs: { count: "many" } }));
    assert.match(refused.error ?? "", /Invalid inputs for structured state/);
  });

  it("may have a plain state and a pause for any text; ask() has nobody to ask, and a flow inside can't wait", async () => {
    const folder = writeFlow(`from crewai.flow import Flow, human_feedback, listen, start

class Inner(Flow):
    @start()
    @human_feedback(message="Inside?")
    def inside(self):
        return "inner"

class Outer(Flow):
    @start()
    @human_feedback(message="Any words?")
    def review(self):
        return {"topic": self.state["topic"], "asked": self.ask("Which desk?")}

    @listen(review)
    def end(self, result):
        if result.feedback == "nest":
            Inner().kickoff()
        return f"{result.output['topic']}: {result.feedback}"

def kickoff():
    Outer().kickoff()
`);
    const api = await start({ folder });
    const reviewed = async (feedback: string, isApprove: boolean) => {
      const id = await api.kickoff({ inputs: { topic: "tides" } });
      const { pending_human_input: pending } = await api.untilWaiting(id);
      assert.equal(pending.task_output, '{"topic": "tides", "asked": null}');
      assert.equal(pending.emit_options, null);
      await answer(api, id, isApprove, feedback);
      return await api.untilEnded(id);
    };
    assert.equal((await reviewed("Fine", true)).result?.output, "tides: Fine");
    assert.equal((await reviewed("", false)).result?.output, "tides: Rejected.");
    const { error = "" } = await reviewed("nest", true);
    assert.match(error, /Inner\.inside waits for a person inside another flow/);
    const asked = /ask\(\) gets None here, .*: Which desk\?/;
    await waitFor("the log", () => asked.test(service.log()));
    assert.equal(model.requests.length, 0);
  });

  for (const version of crewaiVersions.filter((one) => one !== oldestCrewai))
    it(`fails where a task of a crew inside has human_input, and says what to do, on crewAI ${version}`, async () => {
      const folder = writeFlow(`from crewai import Agent, Crew, Task
from crewai.flow import Flow, start

class Outer(Flow):
    @start()
    def write(self):
        writer = Agent(role="Writer", goal="Write", backstory="Writes")
        asks = self.state.get("asks", True)
        task = Task(name="draft", description="Write about tides", expected_output="A text", agent=writer, human_input=asks)
        return Crew(agents=[writer], tasks=[task]).kickoff().raw
`);
      const api = await start({ folder, version });
      const { error } = await api.untilEnded(await api.kickoff({ inputs: {} }));
      assert.match(
        error ?? "",
        /The task "draft" has human_input, and nobody reads the console of a crew that a flow, a tool or a callback starts\. Remove human_input\. A method of a flow can ask: @human_feedback\./,
      );
      if (version === newestCrewai) assert.equal(model.requests.length, 0);
      drafts = [];
      const ended = await api.untilEnded(await api.kickoff({ inputs: { asks: false } }));
      assert.equal(ended.result?.output, draft(1));
    });

  for (const version of crewaiVersions.filter((one) => one !== oldestCrewai))
    it(`reports methods that end at once in their order, on crewAI ${version}`, async () => {
      const names = Array.from({ length: 60 }, (_, index) => `method_${index}`);
      const methods = names.map((name, index) => {
        const when = index === 0 ? "@start()" : `@listen(${names[index - 1] ?? ""})`;
        return `    ${when}\n    def ${name}(self):\n        return "${name}"\n`;
      });
      const folder = writeFlow(
        `from crewai.flow import Flow, listen, start\n\nclass Chain(Flow):\n${methods.join("\n")}`,
      );
      const api = await start({ folder, version });
      const ended = await api.untilEnded(await api.kickoff({ inputs: {} }));
      assert.equal(ended.status, "completed", ended.error);
      assert.deepEqual(
        tasksOf(ended.result?.tasks).map(([id]) => id),
        names,
      );
    });

  it("runs as crewai create makes it, next to its crew", async () => {
    const folder = await createdProject("my_flow", "flow");
    const api = await start({ folder });
    assert.deepEqual((await api.get("/inputs")).body, {
      inputs: ["topic", "outline", "draft", "final_post"],
      crewdeck: { kind: "flow" },
    });
    const ended = await api.untilEnded(await api.kickoff({ inputs: {} }));
    assert.equal(ended.status, "completed", ended.error);
    const ran = tasksOf(ended.result?.tasks).map(([id]) => id);
    assert.deepEqual(ran, ["plan_content", "generate_content", "save_content"]);
  });

  it("need a shared folder with a shared database", async () => {
    const args = ["--engine", "crewai", "--database", "postgres://crewdeck@127.0.0.1:1/crewdeck"];
    const { code, stderr } = await runService([crewaiProject("review"), ...args]);
    assert.equal(code, 4);
    assert.match(stderr, /give a folder that all processes share with --data\./);
  });
}).timeout(300_000);
