import { randomUUID } from "node:crypto";
import type { CrewProject, ProjectTask } from "../projects/types.ts";
import { endEvent, subjectOf, type Reporter } from "./callbacks.ts";
import { crewOutput, type Engine, type Note, type TaskAttempt, type TokenUsage } from "./engine.ts";
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
      for (let attempt = 1, done = false; !done; attempt += 1) {
        const key = { executionId: id, taskIndex, attempt };
        const result = await steps.run(`task ${taskIndex} attempt ${attempt}`, () =>
          runAttempt(key, project, task),
        );
        if (result === "failed") return;
        // Version 0.1.0 stored the same result for tasks that wait and those that don't.
        const isDone = result === "done" || !task.humanInput;
        const isApproved = isDone || (await decision(key, task));
        if (isApproved === undefined) return;
        done = isApproved;
        if (done) outputs.push({ taskId: task.id, output: await store.outputOf(key) });
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

  /** One attempt with its callbacks. */
  async function runAttempt(
    key: AttemptKey,
    project: CrewProject,
    task: ProjectTask,
  ): Promise<"failed" | "waiting" | "done"> {
    // An output stored before a crash is kept: somebody may have read it.
    const begun = await store.begin(key, task.id);
    if (begun === undefined) return "failed";
    let { output, state } = begun;
    let usage: TokenUsage | undefined;
    const agent = project.agents.find(({ name }) => name === task.agent);
    const execution = await found();
    const { inputs } = execution;
    const isFirst = key.taskIndex === firstIndex(execution) && key.attempt === 1;
    const earlier = [...outputs];
    const work = { ...key, project, task, agent, inputs, earlier, notes: [...notes], isFirst };
    if (isFirst) await reporter.event("crew_kickoff_started", [id], { crew_name: project.name });
    const data = { task_id: task.id, task_name: task.id, attempt: key.attempt };
    await reporter.event("task_started", subjectOf(key), data);
    // If it was stopped meanwhile, an engine that costs money must not begin.
    if (await store.hasEnded(id)) return "failed";
    if (output === null) {
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
        usage = result.usage;
        state = task.humanInput && result.isSkipped !== true ? "waiting" : "done";
        output = result.output;
        if (!(await store.finish(key, state, output, result))) {
          // It was stopped. Or this worker was so slow that another one took the attempt over, and has finished it.
          const finished = await store.begin(key, task.id);
          if (typeof finished?.output !== "string") return "failed";
          output = finished.output;
          state = finished.state;
        }
      } catch (error) {
        if (await store.hasEnded(id)) return "failed";
        if (!isFinal(engine, error) && (await store.count("failures", key)) < taskTries)
          throw error;
        const problem = messageOf(error);
        await reporter.event("task_failed", subjectOf(key), { ...data, error: problem });
        return await fail(`Task execution failed: ${problem}`);
      }
    }
    const isWaiting = state !== "done";
    const { finishedAt } = await store.timesOf(key);
    await reporter.taskCompleted(key, work, output, isWaiting, usage, finishedAt);
    return isWaiting ? "waiting" : "done";
  }

  /** Waits for a person. Resolves to whether the output is approved; undefined if the execution was stopped. */
  async function decision(key: AttemptKey, task: ProjectTask): Promise<boolean | undefined> {
    await steps.wait(signalOf(key));
    const decision = await store.readDecision(key);
    if (!decision && (await store.hasEnded(id))) return undefined;
    if (!decision) throw new Error(`The run of ${id} was woken without a decision.`);
    const { isApprove, feedback } = decision;
    const { attempt } = key;
    reporter.replaceCallbacks(decision.callbacks);
    const output = await store.outputOf(key);
    notes.push({ taskId: task.id, attempt, isApprove, feedback, output });
    const data = {
      task_id: task.id,
      task_name: task.id,
      attempt,
      is_approve: isApprove,
      feedback,
    };
    const { decidedAt } = await store.timesOf(key);
    await reporter.event("human_feedback_received", subjectOf(key), data, decidedAt);
    return isApprove;
  }
}

/** The index of the task with which an execution begins. */
function firstIndex({ project, kept }: Execution): number {
  return kept === null ? 0 : project.tasks.findIndex(({ id }) => id === kept.taskId);
}
