import assert from "node:assert/strict";
import { rehearsalMark } from "../../../src/service/engine.ts";
import { waitFor } from "../../support/wait.ts";
import { crew, errorBody, harness, messageOf, serve, valuesOf } from "./support.ts";

describe("service: an execution", () => {
  beforeEach(() => serve());

  it("pauses, repeats the task with the feedback, continues and completes", async () => {
    const id = await harness.kickoff();
    const first = await harness.untilWaiting(id);
    assert.deepEqual(
      [first.current_task, first.progress],
      ["draft", { completed_tasks: 1, total_tasks: 3 }],
    );
    assert.equal(first.pending_human_input?.task_id, "draft");
    assert.ok(first.pending_human_input.task_output.startsWith(rehearsalMark));

    const second = await harness.reject(id, 2, "Shorter, please.");
    assert.match(
      second.pending_human_input?.task_output ?? "",
      /draft, attempt 1, rejected: Shorter, please\./,
    );

    const end = await harness.approve(id, "Good now.");
    assert.equal(end.status, "completed");
    const tasks = end.result?.tasks ?? [];
    assert.deepEqual(
      tasks.map(({ task_id, agent }) => [task_id, agent]),
      [
        ["research", "Researcher of tides"],
        ["draft", "Writer"],
        ["polish", "Writer"],
      ],
    );
    assert.match(
      tasks[0]?.output ?? "",
      /Task: Research tides\nExpected output: Notes for sailors/,
    );
    assert.equal(end.result?.output, tasks[2]?.output);
    assert.match(
      end.result?.output ?? "",
      /Earlier outputs: 2\nFeedback:\n- draft, attempt 1, rejected: Shorter, please\.\n- draft, attempt 2, approved: Good now\./,
    );
  });

  it("took as long as its tasks: the time before its turn doesn't count", async () => {
    const id = await harness.kickoff();
    await harness.untilWaiting(id);
    const change = "UPDATE attempts SET started_at = started_at - 3600000 WHERE task_index = 0";
    await harness.sql(`${change} RETURNING task_id`);
    const { execution_time = 0 } = await harness.approve(id, "Good.");
    assert.equal(Math.floor(execution_time / 3600), 1);
  });

  it("never shows a task as waiting after the decision", async () => {
    const id = await harness.kickoffUntilWaiting();
    await harness.resume(id, false, "again");
    const status = await harness.status(id);
    assert.notEqual(status.pending_human_input?.attempt, 1);
    assert.equal(status.current_task, "draft");
  });

  it("accepts exactly one of many concurrent resumes", async () => {
    const id = await harness.kickoffUntilWaiting();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => harness.resume(id, false, `reason ${n}`)),
    );
    assert.deepEqual(answers.filter(({ status }) => status === 200).length, 1);
    for (const { status, body } of answers.filter(({ status }) => status !== 200)) {
      assert.equal(status, 400);
      const message = "Execution is not in pending human input state";
      assert.deepEqual(body, errorBody("Invalid Request", message));
    }
    const winner = answers.findIndex(({ status }) => status === 200);
    const second = await harness.untilWaiting(id, 2);
    assert.match(
      second.pending_human_input?.task_output ?? "",
      new RegExp(`rejected: reason ${winner}$`),
    );
  });

  it("refuses a resume of a task that doesn't wait: unknown, another task, too early, ended", async () => {
    const unknown = await harness.resume("00000000-0000-4000-8000-000000000000", true, "x");
    assert.deepEqual([unknown.status, messageOf(unknown)], [404, "Execution ID not found"]);
    const id = await harness.kickoff();
    const early = await harness.resume(id, true, "x");
    assert.equal(early.status, 400);
    await harness.untilWaiting(id);
    const noTask = await harness.resume(id, true, "x", { task_id: "nothing" });
    assert.deepEqual([noTask.status, messageOf(noTask)], [404, "Task ID not found"]);
    assert.equal((await harness.resume(id, true, "x", { task_id: "polish" })).status, 400);
    assert.equal((await harness.resume(id, true, "x", { task_id: "research" })).status, 400);
    await harness.approve(id, "x");
    assert.equal((await harness.resume(id, true, "x")).status, 400);
  });

  it("continues with the crew as it was at kickoff, even if its files change or become invalid", async () => {
    let readProject = () => Promise.resolve(crew);
    await serve({ readProject: () => readProject() });
    const id = await harness.kickoffUntilWaiting();
    readProject = () => Promise.reject(new Error("broken"));
    const { result } = await harness.approve(id, "go on");
    assert.deepEqual(valuesOf(result?.tasks, "task_id"), ["research", "draft", "polish"]);
  });

  it("ends with the error of a task that fails three times", async () => {
    let tries = 0;
    await serve({
      engine: {
        name: "failing",
        run: () => ((tries += 1), Promise.reject(new Error("No such model."))),
      },
    });
    const id = await harness.kickoff();
    const end = await harness.untilEnded(id);
    assert.deepEqual(
      [end.status, end.error, tries],
      ["error", "Task execution failed: No such model.", 3],
    );
    assert.equal((await harness.resume(id, true, "x")).status, 400);
  });

  it("gives a task only the outputs that its context names", async () => {
    const tasks = crew.tasks.map((task) => ({
      ...task,
      humanInput: false,
      ...(task.id === "polish" ? { context: ["draft"] } : {}),
    }));
    await serve({ project: { ...crew, tasks } });
    const end = await harness.untilEnded(await harness.kickoff());
    assert.match(end.result?.output ?? "", /Earlier outputs: 1/);
  });
});

describe("service: two resumes sent at once", () => {
  beforeEach(() => serve());

  const finishedAt = async (id: string) => {
    const [row] = await harness.sql(
      "SELECT finished_at AS time FROM attempts WHERE execution_id = ? AND attempt = 2 AND state = 'waiting'",
      id,
    );
    return row && Number(row["time"]);
  };
  /** Rejects the first output and resolves when the next one waits, which nothing has reported. */
  const rejectUnseen = async () => {
    const id = await harness.kickoffUntilWaiting();
    assert.equal((await harness.resume(id, false, "first")).status, 200);
    await waitFor("the second output", () => finishedAt(id));
    return id;
  };

  it("the second one doesn't decide about the next output, which nobody has seen", async () => {
    const id = await waitFor("an output that has waited for less than five seconds", async () => {
      const fresh = await rejectUnseen();
      const since = (await finishedAt(fresh)) ?? 0;
      const { status } = await harness.resume(fresh, true, "about the first output");
      // On a slow machine more may have passed.
      if (Date.now() - since >= 5000) return false;
      assert.equal(status, 400);
      return fresh;
    });
    assert.equal((await harness.untilWaiting(id, 2)).pending_human_input?.attempt, 2);
    assert.equal((await harness.resume(id, true, "about the second output")).status, 200);
  });

  it("an output that has waited for five seconds can be decided about unseen", async () => {
    const begun = performance.now();
    const id = await rejectUnseen();
    await waitFor(
      "a resume to be accepted",
      async () => (await harness.resume(id, true, "typed")).status === 200,
    );
    assert.ok(performance.now() - begun >= 5000);
  });
});
