import assert from "node:assert/strict";
import { textAt } from "../../../src/base/json.ts";
import type { Engine, TaskAttempt } from "../../../src/service/engine.ts";
import type { CrewProject } from "../../../src/projects/types.ts";
import { crew, harness, inputs, openHarness, restart, serve, valuesOf } from "./support.ts";

describe("service: run again from a task", () => {
  let project: CrewProject;
  let attempts: TaskAttempt[];
  /** What Python would make of the tasks. */
  let build: (project: CrewProject) => CrewProject;
  /** The task that fails. */
  let broken: string | undefined;
  const engine: Engine = {
    name: "noting",
    prepare: (_id, project) => Promise.resolve(build(project)),
    run: (attempt) => {
      attempts.push(attempt);
      if (attempt.task.id === broken) return Promise.reject(new Error("No ink."));
      return Promise.resolve({
        output: `${attempt.task.id} of ${textAt(attempt.inputs, "topic")}`,
      });
    },
  };
  beforeEach(async () => {
    attempts = [];
    build = (read) => read;
    broken = undefined;
    project = { ...crew, tasks: crew.tasks.map((task) => ({ ...task, humanInput: false })) };
    await serve({ engine, readProject: () => Promise.resolve(project) });
  });

  const ended = async () => {
    const id = await harness.kickoff();
    await harness.untilEnded(id);
    attempts = [];
    return id;
  };
  const again = (execution_id: string, task_id: string, more: object = {}) =>
    harness.request("POST", "/kickoff", {
      inputs: { ...inputs, topic: "winds" },
      run_again: { execution_id, task_id, ...more },
    });
  const ran = () => attempts.map(({ task }) => task.id);
  const idIn = ({ body }: { readonly body: unknown }) =>
    (body as { readonly kickoff_id: string }).kickoff_id;

  it("keeps the outputs of the earlier tasks, and runs the rest with the new inputs", async () => {
    const id = idIn(await again((await ended()).toUpperCase(), "draft"));
    const { result } = await harness.untilEnded(id);
    assert.deepEqual(
      result?.tasks.map(({ task_id, output }) => [task_id, output]),
      [
        ["research", "research of tides"],
        ["draft", "draft of winds"],
        ["polish", "polish of winds"],
      ],
    );
    assert.deepEqual(
      attempts.map(({ task, isFirst, earlier }) => [task.id, isFirst, earlier[0]?.output]),
      [
        ["draft", true, "research of tides"],
        ["polish", false, "research of tides"],
      ],
    );
  });

  it("matches outputs by the task's name, in any order", async () => {
    const source = await ended();
    const [research, draft, polish] = crew.tasks;
    project = {
      ...project,
      tasks: [draft!, research!, polish!].map((task) => ({ ...task, humanInput: false })),
    };
    await harness.untilEnded(idIn(await again(source, "polish")));
    assert.deepEqual(
      attempts.map(({ earlier }) => earlier.map(({ taskId, output }) => [taskId, output])),
      [
        [
          ["draft", "draft of tides"],
          ["research", "research of tides"],
        ],
      ],
    );
  });

  it("names what no longer fits before anything runs, and takes an output that is given instead", async () => {
    const source = await ended();
    project = {
      ...project,
      tasks: project.tasks.map((task) =>
        task.id === "research" ? { ...task, description: "Research {topic} deeply" } : task,
      ),
    };
    const { status, body } = await again(source, "polish");
    assert.equal(status, 400);
    const { message, details } = body as { readonly message: string; readonly details: unknown };
    assert.equal(message, `The earlier outputs don't fit the crew: "research" changed.`);
    assert.deepEqual(details, { crewdeck: { can_keep_changed: true } });
    assert.equal(attempts.length, 0);
    const outputs = { research: "What I know." };
    const { result } = await harness.untilEnded(idIn(await again(source, "polish", { outputs })));
    assert.equal(result?.output, "polish of winds");
    assert.equal(attempts[0]?.earlier[0]?.output, "What I know.");
    await harness.untilEnded(idIn(await again(source, "polish", { keep_changed: true })));
    assert.equal(attempts[1]?.earlier[0]?.output, "research of tides");
  });

  it("names a task whose tools or output model changed", async () => {
    const source = await ended();
    const [research, ...rest] = project.tasks;
    const unchanged = project;
    const [researcher, ...others] = project.agents;
    for (const changed of [
      { ...project, tasks: [{ ...research!, extras: '[["tools",["search"]]]' }, ...rest] },
      { ...project, agents: [{ ...researcher!, extras: '[["tools",["search"]]]' }, ...others] },
    ]) {
      project = changed;
      const { status, body } = await again(source, "draft");
      assert.deepEqual([status, /"research.* changed/.test(JSON.stringify(body))], [400, true]);
    }
    project = unchanged;
    assert.equal((await again(source, "draft")).status, 200);
  });

  it("names outputs of tasks that are gone, and tasks that came later; leaves out or takes what it is asked to", async () => {
    const source = await ended();
    const [research, draft, polish] = project.tasks;
    project = { ...project, tasks: [draft!, polish!] };
    const { body } = await again(source, "polish");
    assert.match(JSON.stringify(body), /research.* no longer runs before .*polish/);
    await harness.untilEnded(idIn(await again(source, "polish", { keep_changed: true })));
    assert.deepEqual(valuesOf(attempts[0]?.earlier, "taskId"), ["draft"]);
    project = { ...project, tasks: [research!, { ...research!, id: "facts" }, draft!, polish!] };
    const refused = await again(source, "draft", { keep_changed: true });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /no output yet of .*facts.*can_keep_changed":false/);
    await harness.untilEnded(idIn(await again(source, "draft", { outputs: { facts: "Two." } })));
    assert.deepEqual(valuesOf(attempts[1]?.earlier, "output"), ["research of tides", "Two."]);
    project = { ...project, tasks: [research!, draft!] };
    assert.match(
      JSON.stringify((await again(source, "polish")).body),
      /has no task .*polish.* any more/,
    );
  });

  it("ends before any task runs if the crew that Python builds has changed, and names the task", async () => {
    const source = await ended();
    build = (read) => ({
      ...read,
      tasks: read.tasks.map((task) => ({ ...task, expectedOutput: "Something else" })),
    });
    const { error } = await harness.untilEnded(idIn(await again(source, "draft")));
    assert.match(
      error ?? "",
      /^The crew can't run: The earlier outputs.*: "research" changed\. To keep them anyway, /,
    );
    assert.equal(attempts.length, 0);
    await harness.untilEnded(idIn(await again(source, "draft", { keep_changed: true })));
    assert.equal(attempts[0]?.earlier[0]?.output, "research of tides");
  });

  it("doesn't judge by the files a crew whose tasks Python names otherwise", async () => {
    build = (read) => ({
      ...read,
      tasks: read.tasks.map((task) => ({ ...task, id: `built_${task.id}` })),
    });
    const source = await ended();
    await harness.untilEnded(idIn(await again(source, "built_draft")));
    assert.equal(attempts[0]?.earlier[0]?.output, "built_research of tides");
  });

  it("reports the outputs of finished tasks while a later one waits", async () => {
    project = crew;
    const id = await harness.kickoff();
    const { tasks } = await harness.untilWaiting(id);
    assert.deepEqual(
      tasks?.map(({ task_id, output }) => [task_id, output]),
      [["research", "research of tides"]],
    );
  });

  it("runs again from the task that failed, which the status names with the outputs before it", async () => {
    broken = "draft";
    const id = await harness.kickoff();
    const failed = await harness.untilEnded(id);
    assert.equal(failed.status, "error");
    assert.equal(failed.current_task, "draft");
    assert.deepEqual(valuesOf(failed.tasks, "task_id"), ["research"]);
    broken = undefined;
    attempts = [];
    await harness.untilEnded(idIn(await again(id, "draft")));
    assert.deepEqual(ran(), ["draft", "polish"]);
  });

  it("keeps approved outputs of an execution that waits, and refuses tasks without one", async () => {
    project = crew;
    const id = await harness.kickoffUntilWaiting();
    attempts = [];
    await harness.untilWaiting(idIn(await again(id, "draft")));
    assert.deepEqual(ran(), ["draft"]);
    const { status, body } = await again(id, "polish");
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /no output yet of .*draft/);
  });

  it("refuses an unknown execution or task, and outputs of tasks that run", async () => {
    const source = await ended();
    const answers = await Promise.all([
      again("00000000-0000-4000-8000-000000000000", "draft"),
      again(source, "nothing"),
      again(source, "draft", { outputs: { polish: "x" } }),
    ]);
    assert.deepEqual(valuesOf(answers, "status"), [400, 400, 400]);
  });

  it("continues after a restart", async () => {
    const source = await ended();
    await harness.close();
    openHarness({
      engine,
      folder: harness.folder,
      readProject: () => Promise.resolve(project),
    });
    const id = idIn(await again(source, "polish"));
    await restart({ engine });
    assert.equal((await harness.untilEnded(id)).result?.tasks.length, 3);
    assert.deepEqual(ran(), ["polish"]);
  });
});
