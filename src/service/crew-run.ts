import type { CrewProject, ProjectTask } from "../projects/types.ts";
import { stopEvent, subjectOf, type Reporter, type Subject } from "./callbacks.ts";
import { crewOutput, type Engine, type Note, type TaskAttempt, type TokenUsage } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { fingerprintsOf, fitOutputs, UnfitOutputs } from "./run-again.ts";
import type { AttemptKey, Execution } from "./model.ts";
import type { ExecutionStore } from "./store.ts";

const taskTries = 3;

/** A finished step never runs again after a crash, and a wait outlasts the process. */
export interface Steps {
  /** Repeats `action` until it resolves, and stores the result, which should be small. */
  run<T extends string | null>(name: string, action: () => Promise<T>): Promise<T>;
  wait(signal: string): Promise<void>;
}

export function signalOf(key: AttemptKey): string {
  return `decision ${key.executionId} ${key.taskIndex} ${key.attempt}`;
}

/** Runs from the beginning, also after a crash: `steps` skips what was finished. */
export async function runCrew(
  id: string,
  steps: Steps,
  store: ExecutionStore,
  engine: Engine,
  reporterOf: (execution: Execution) => Reporter,
): Promise<void> {
  const reporter = reporterOf(found());
  const outputs: TaskAttempt["earlier"][number][] = [];
  const notes: Note[] = [];

  await runTasks();
  // The only end that comes from outside.
  if (found().state === "stopped")
    await steps.run("stopped", async () => {
      engine.rest?.(id, true);
      await reporter.report(stopEvent(found()));
      return null;
    });

  /** Returns early when the execution has failed or was stopped. */
  async function runTasks(): Promise<void> {
    // Each step costs two writes that wait for the disk.
    const isPrepared = engine.prepare === undefined && found().kept === null;
    if (!isPrepared && (await steps.run("prepare", prepare)) === "failed") return;
    const execution = found();
    const { project } = execution;
    for (const [taskIndex, task] of project.tasks.entries()) {
      if (taskIndex < firstIndex(execution)) {
        const output = store.outputOf({ executionId: id, taskIndex, attempt: 1 });
        outputs.push({ taskId: task.id, output });
        continue;
      }
      for (let attempt = 1, done = false; !done; attempt += 1) {
        const key = { executionId: id, taskIndex, attempt };
        const result = await steps.run(`task ${taskIndex} attempt ${attempt}`, async () => {
          try {
            return await runAttempt(key, project, task);
          } catch (error) {
            // Until it is repeated, others may work. Those that wait for their turn would leave it no place to be repeated.
            engine.rest?.(id, false);
            throw error;
          }
        });
        if (result === "failed") return;
        // Version 0.1.0 stored the same result for tasks that wait and those that don't.
        const isDone = result === "done" || !task.humanInput;
        const isApproved = isDone || (await decision(key, task));
        if (isApproved === undefined) return;
        done = isApproved;
        if (done) outputs.push({ taskId: task.id, output: store.outputOf(key) });
      }
    }
    await steps.run("complete", async () => {
      store.end(id, null);
      engine.rest?.(id, true);
      if (found().state === "completed")
        await reporter.crewCompleted(crewOutput(outputs), store.usageOf(id));
      return null;
    });
  }

  function found(): Execution {
    const execution = store.find(id);
    if (!execution) throw new Error(`The execution ${id} is not in the database.`);
    return execution;
  }

  /** Lets the engine read the crew as it will run, and fits the kept outputs to it. */
  async function prepare(): Promise<"failed" | null> {
    const execution = found();
    for (let tries = 1; !store.hasEnded(id); tries += 1) {
      try {
        const read = execution.project;
        const project = await engine.prepare?.(id, read);
        const asRead = read.asRead ?? fingerprintsOf(read);
        if (project) store.setProject(id, { ...project, asRead });
        if (execution.kept) store.keep(id, fitOutputs(found().project, execution.kept));
        break;
      } catch (error) {
        const isFinal = error instanceof UnfitOutputs || engine.isFinal?.(error) === true;
        if (store.hasEnded(id) || (!isFinal && tries < taskTries)) continue;
        const next =
          error instanceof UnfitOutputs && error.canKeep
            ? ' To keep them anyway, edit them with “Edit First…”, or send "keep_changed".'
            : "";
        return await fail([id], `The crew can't run: ${messageOf(error)}${next}`);
      }
    }
    return store.hasEnded(id) ? "failed" : null;
  }

  async function fail(subject: Subject, error: string): Promise<"failed"> {
    const crew_name = found().project.name;
    await reporter.event("crew_kickoff_failed", subject, { crew_name, error });
    store.end(id, error);
    engine.rest?.(id, true);
    return "failed";
  }

  /** One attempt with its callbacks. */
  async function runAttempt(
    key: AttemptKey,
    project: CrewProject,
    task: ProjectTask,
  ): Promise<"failed" | "waiting" | "done"> {
    // An output stored before a crash is kept: somebody may have read it.
    const begun = store.begin(key, task.id);
    if (begun === undefined) return "failed";
    let { output, state } = begun;
    let usage: TokenUsage | undefined;
    const agent = project.agents.find(({ name }) => name === task.agent);
    const execution = found();
    const { inputs } = execution;
    const isFirst = key.taskIndex === firstIndex(execution) && key.attempt === 1;
    const earlier = [...outputs];
    const work = { ...key, project, task, agent, inputs, earlier, notes: [...notes], isFirst };
    if (isFirst) await reporter.event("crew_kickoff_started", [id], { crew_name: project.name });
    const data = { task_id: task.id, task_name: task.id, attempt: key.attempt };
    await reporter.event("task_started", subjectOf(key), data);
    // Stopped since: an engine that costs money must not begin.
    if (store.hasEnded(id)) return "failed";
    if (output === null) {
      let count = 0;
      try {
        const result = await engine.run(work, {
          step: (step) => reporter.step(key, (count += 1), step),
          event: reporter.engineEvents(key, work),
        });
        usage = result.usage;
        state = task.humanInput && result.isSkipped !== true ? "waiting" : "done";
        output = result.output;
        if (!store.finish(key, state, output, result)) return "failed";
      } catch (error) {
        if (store.hasEnded(id)) return "failed";
        if (!engine.isFinal?.(error) && store.countFailure(key) < taskTries) throw error;
        const problem = messageOf(error);
        const subject = subjectOf(key);
        await reporter.event("task_failed", subject, { ...data, error: problem });
        store.finish(key, "failed", null);
        return await fail(subject, `Task execution failed: ${problem}`);
      }
    }
    const isWaiting = state !== "done";
    const { finishedAt } = store.timesOf(key);
    await reporter.taskCompleted(key, work, output, isWaiting, usage, finishedAt);
    if (isWaiting) engine.rest?.(id, false);
    return isWaiting ? "waiting" : "done";
  }

  /** Waits for a person. Resolves to whether the output is approved; undefined if the execution was stopped. */
  async function decision(key: AttemptKey, task: ProjectTask): Promise<boolean | undefined> {
    await steps.wait(signalOf(key));
    const decision = store.readDecision(key);
    if (!decision && store.hasEnded(id)) return undefined;
    if (!decision) throw new Error(`The run of ${id} was woken without a decision.`);
    const { isApprove, feedback } = decision;
    const { attempt } = key;
    reporter.replaceCallbacks(decision.callbacks);
    notes.push({ taskId: task.id, attempt, isApprove, feedback, output: store.outputOf(key) });
    const data = {
      task_id: task.id,
      task_name: task.id,
      attempt,
      is_approve: isApprove,
      feedback,
    };
    const { decidedAt } = store.timesOf(key);
    await reporter.event("human_feedback_received", subjectOf(key), data, decidedAt);
    return isApprove;
  }
}

/** Of the task with which it begins. */
function firstIndex({ project, kept }: Execution): number {
  return kept === null ? 0 : project.tasks.findIndex(({ id }) => id === kept.taskId);
}
