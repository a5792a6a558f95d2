import { randomUUID } from "node:crypto";
import type { JsonObject } from "../api/types.ts";
import type { CrewProject, ProjectTask } from "../projects/types.ts";
import { endEvent, subjectOf, type Reporter } from "./callbacks.ts";
import { crewOutput, type Engine, type Note, type TaskAttempt } from "./engine.ts";
import type { TaskResult, TokenUsage } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { runFlow, type FlowParts } from "./flow-run.ts";
import { fingerprintsOf, fitOutputs, UnfitOutputs } from "./run-again.ts";
import type { AttemptKey, Execution } from "./model.ts";
import { checkBegins, isFinal, signalOf, taskTries, type Steps } from "./steps.ts";
import type { ExecutionStore } from "./store.ts";

/** Runs from the beginning, also after a crash: `steps` skips what was finished. */
export async function runCrew(
  id: string,
  steps: Steps,
  store: ExecutionStore,
  engine: Engine,
  reporterOf: (execution: Execution) => Reporter,
  flow: FlowParts,
): Promise<void> {
  const reporter = reporterOf(await found());
  const outputs: TaskAttempt["earlier"][number][] = [];
  const notes: Note[] = [];

  const isFlow = (await found()).project.kind === "flow";
  if (!isFlow) await runTasks();
  else if ((await steps.run("prepare", prepare)) !== "failed")
    await runFlow({ ...flow, id, steps, store, engine, reporter, fail, found });
  const ended = await found();
  if (ended.state !== "completed")
    await steps.run(ended.state === "stopped" ? "stopped" : "failed", async () => {
      engine.rest?.(id, true);
      await reporter.report(endEvent(ended));
      return null;
    });

  /** Returns early when the execution has failed or was stopped. */
  async function runTasks(): Promise<void> {
    // A step costs two writes that wait for the disk, so one that does nothing is left out.
    const isPrepared = engine.prepare === undefined && (await found()).kept === null;
    if (!isPrepared && (await steps.run("prepare", prepare)) === "failed") return;
    const execution = await found();
    const { project } = execution;
    for (const [taskIndex, task] of project.tasks.entries()) {
      if (taskIndex < firstIndex(execution)) {
        const output = await store.outputOf({ executionId: id, taskIndex, attempt: 1 });
        outputs.push({ taskId: task.id, output });
        continue;
      }
      let refusal: JsonObject | undefined;
      for (let attempt = 1, done = false; !done; attempt += 1) {
        const key = { executionId: id, taskIndex, attempt };
        const name = `task ${taskIndex} attempt ${attempt}`;
        let result = await steps.run(name, () => runAttempt(key, project, task, refusal));
        if (result === "failed") return;
        // Version 0.1.0 stored the same result for tasks that wait and those that don't.
        if (result !== "done" && task.humanInput) {
          const isApproved = await decision(key, task);
          if (isApproved === undefined) return;
          if (!isApproved) continue;
          result = await afterApproval(key, project, task, refusal);
          if (result === "failed") return;
        }
        done = result !== "refused";
        if (done) outputs.push({ taskId: task.id, output: await store.outputOf(key) });
        else ({ refusal } = (await store.reviewOf(key)) ?? {});
      }
    }
    await steps.run("complete", async () => {
      const output = crewOutput(outputs);
      const usage = await store.usageOf(id);
      await store.end(id, null, (ended) => reporter.addCompletion(ended, output, usage));
      engine.rest?.(id, true);
      const ended = await found();
      if (ended.state === "completed") await reporter.completed(ended, output);
      return null;
    });
  }

  async function found(): Promise<Execution> {
    const execution = await store.find(id);
    if (!execution) throw new Error(`The execution ${id} is not in the database.`);
    return execution;
  }

  /** Lets the engine read the crew as it will run, and fits the kept outputs to it. */
  async function prepare(): Promise<"failed" | null> {
    const execution = await found();
    for (let tries = 1; !(await store.hasEnded(id)); tries += 1) {
      try {
        const read = execution.project;
        const project = await engine.prepare?.(id, read);
        const asRead = read.asRead ?? fingerprintsOf(read);
        if (project) await store.setProject(id, { ...project, asRead });
        if (execution.kept)
          await store.keep(id, fitOutputs((await found()).project, execution.kept));
        break;
      } catch (error) {
        const isLast = error instanceof UnfitOutputs || isFinal(engine, error);
        if ((await store.hasEnded(id)) || (!isLast && tries < taskTries)) continue;
        const next =
          error instanceof UnfitOutputs && error.canKeep
            ? ' To keep them anyway, edit them with “Edit First…”, or send "keep_changed".'
            : "";
        const what = isFlow ? "flow" : "crew";
        return await fail(`The ${what} can't run: ${messageOf(error)}${next}`);
      }
    }
    return (await store.hasEnded(id)) ? "failed" : null;
  }

  /** Ends the execution, unless it was stopped meanwhile. */
  async function fail(error: string): Promise<"failed"> {
    await store.end(id, error, (ended) => reporter.addFailure(ended));
    return "failed";
  }

  /** One attempt with its callbacks, up to its review if it has one. */
  async function runAttempt(
    key: AttemptKey,
    project: CrewProject,
    task: ProjectTask,
    refusal: JsonObject | undefined,
  ): Promise<AttemptEnd> {
    // An output stored before a crash is kept: somebody may have read it.
    const begun = await store.begin(key, task.id);
    if (begun === undefined) return "failed";
    let { output, state } = begun;
    let usage: TokenUsage | undefined;
    const work = await workOf(key, project, task, refusal);
    if (work.isFirst)
      await reporter.event("crew_kickoff_started", [id], { crew_name: project.name });
    await reporter.event("task_started", subjectOf(key), namesOf(key, task));
    // If it was stopped meanwhile, an engine that costs money must not begin.
    if (await store.hasEnded(id)) return "failed";
    if (output === null) {
      const ended = await attempted<typeof begun | undefined>(key, work, async (result) => {
        usage = result.usage;
        const next = task.humanInput && result.isSkipped !== true ? "waiting" : "done";
        if (await store.finish(key, next, result.output, result))
          return { output: result.output, state: next };
        // It was stopped. Or this worker was so slow that another one took the attempt over, and has finished it.
        return await store.begin(key, task.id);
      });
      if (ended === "failed" || ended === undefined || ended.output === null) return "failed";
      output = ended.output;
      state = ended.state;
    }
    const { finishedAt } = await store.timesOf(key);
    const report = state === "done" ? "taskCompleted" : "taskPaused";
    await reporter[report](key, work, output, usage, finishedAt);
    return state === "done" ? "done" : "waiting";
  }

  /** What follows the approval of an attempt. It reports again after each restart, which changes nothing. */
  async function afterApproval(
    key: AttemptKey,
    project: CrewProject,
    task: ProjectTask,
    refusal: JsonObject | undefined,
  ): Promise<AttemptEnd> {
    const { draft, usage: before } = (await store.reviewOf(key)) ?? {};
    const work = await workOf(key, project, task, refusal);
    let usage: TokenUsage | undefined;
    if (draft) {
      const approved = { ...work, isFirst: false, draft };
      const step = `task ${key.taskIndex} attempt ${key.attempt} approved`;
      const ended = await steps.run(step, async () => {
        if (await store.hasEnded(id)) return "failed";
        return await attempted(key, approved, async (result) => {
          usage = result.usage;
          await store.settle(key, result);
          return null;
        });
      });
      if (ended === "failed") return "failed";
    }
    if ((await store.reviewOf(key))?.refusal) return "refused";
    const { decidedAt } = await store.timesOf(key);
    const at = draft ? null : decidedAt;
    await reporter.taskCompleted(key, work, await store.outputOf(key), sumOf(before, usage), at);
    return "done";
  }

  async function workOf(
    key: AttemptKey,
    project: CrewProject,
    task: ProjectTask,
    refusal: JsonObject | undefined,
  ): Promise<TaskAttempt> {
    const agent = project.agents.find(({ name }) => name === task.agent);
    const execution = await found();
    const { inputs } = execution;
    const isFirst = key.taskIndex === firstIndex(execution) && key.attempt === 1;
    const earlier = [...outputs];
    const given = { inputs, earlier, notes: [...notes], ...(refusal && { refusal }) };
    return { ...key, project, task, agent, isFirst, ...given };
  }

  /**
   * Lets the engine work, and stores what it did. An error fails the execution, or is thrown to try again. Resolves to what
   * `storeResult` resolves to.
   */
  async function attempted<T>(
    key: AttemptKey,
    work: TaskAttempt,
    storeResult: (result: TaskResult) => Promise<T>,
  ): Promise<T | "failed"> {
    let [beginId, count] = ["", 0];
    try {
      const onEvent = reporter.engineEvents(key, work);
      const result = await engine.run(work, {
        begin: async () => {
          checkBegins(await store.count("begins", key));
          beginId = randomUUID();
        },
        step: (step) => reporter.step(key, `${beginId} ${(count += 1)}`, step),
        event: onEvent,
      });
      return await storeResult(result);
    } catch (error) {
      if (await store.hasEnded(id)) return "failed";
      if (!isFinal(engine, error) && (await store.count("failures", key)) < taskTries) throw error;
      const problem = messageOf(error);
      const data = { ...namesOf(key, work.task), error: problem };
      await reporter.event("task_failed", subjectOf(key), data);
      return await fail(`Task execution failed: ${problem}`);
    }
  }

  /** Waits for a person. Resolves to whether the output is approved; undefined if the execution was stopped. */
  async function decision(key: AttemptKey, task: ProjectTask): Promise<boolean | undefined> {
    await steps.wait(signalOf(key));
    const decision = await store.readDecision(key);
    if (!decision && (await store.hasEnded(id))) return undefined;
    if (!decision) throw new Error(`The run of ${id} was woken without a decision.`);
    const { isApprove, feedback } = decision;
    reporter.replaceCallbacks(decision.callbacks);
    const output = await store.outputOf(key);
    notes.push({ taskId: task.id, attempt: key.attempt, isApprove, feedback, output });
    const data = { ...namesOf(key, task), is_approve: isApprove, feedback };
    const { decidedAt } = await store.timesOf(key);
    await reporter.event("human_feedback_received", subjectOf(key), data, decidedAt);
    return isApprove;
  }
}

type AttemptEnd = "failed" | "waiting" | "refused" | "done";

function namesOf({ attempt }: AttemptKey, { id }: ProjectTask) {
  return { task_id: id, task_name: id, attempt };
}

function sumOf(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (!one || !other) return one ?? other;
  return {
    total_tokens: one.total_tokens + other.total_tokens,
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
  };
}

/** The index of the task with which an execution begins. */
function firstIndex({ project, kept }: Execution): number {
  return kept === null ? 0 : project.tasks.findIndex(({ id }) => id === kept.taskId);
}
