import type { ProjectTask } from "../projects/types.ts";
import { subjectOf, type Reporter } from "./callbacks.ts";
import type { Engine, Note, TaskAttempt } from "./engine.ts";
import { messageOf } from "./errors.ts";
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
  { id, project, inputs }: Execution,
  steps: Steps,
  store: ExecutionStore,
  engine: Engine,
  reporter: Reporter,
): Promise<void> {
  const outputs: TaskAttempt["earlier"][number][] = [];
  const notes: Note[] = [];

  for (const [taskIndex, task] of project.tasks.entries()) {
    for (let attempt = 1, done = false; !done; attempt += 1) {
      const key = { executionId: id, taskIndex, attempt };
      const error = await steps.run(`task ${taskIndex} attempt ${attempt}`, () =>
        runAttempt(key, task),
      );
      if (error !== null) return;
      done = await isAccepted(key, task);
    }
  }
  await steps.run("complete", async () => {
    store.end(id, null);
    await reporter.crewCompleted(outputs.at(-1)?.output ?? "");
    return null;
  });

  /** Resolves to the error if the execution failed. */
  async function runAttempt(key: AttemptKey, task: ProjectTask): Promise<string | null> {
    const agent = project.agents.find(({ name }) => name === task.agent);
    const earlier = outputs.filter(({ taskId }) => task.context?.includes(taskId) ?? true);
    const work = { task, agent, inputs, earlier, notes: [...notes], attempt: key.attempt };
    if (key.taskIndex === 0 && key.attempt === 1)
      await reporter.event("crew_kickoff_started", [id], { crew_name: project.name });
    const data = { task_id: task.id, task_name: task.id, attempt: key.attempt };
    await reporter.event("task_started", subjectOf(key), data);
    let output = store.begin(key, task.id);
    // Somebody may have read an output stored before a crash.
    if (output === null) {
      let count = 0;
      try {
        output = await engine.run(work, (step) => reporter.step(key, (count += 1), step));
      } catch (error) {
        if (store.countFailure(key) < taskTries) throw error;
        const problem = messageOf(error);
        const failure = `Task execution failed: ${problem}`;
        const subject = subjectOf(key);
        await reporter.event("task_failed", subject, { task_id: task.id, error: problem });
        const failed = { crew_name: project.name, error: failure };
        await reporter.event("crew_kickoff_failed", subject, failed);
        store.finish(key, "failed", null);
        store.end(id, failure);
        return failure;
      }
      store.finish(key, task.humanInput ? "waiting" : "done", output);
    }
    await reporter.taskCompleted(key, work, output);
    return null;
  }

  /** Whether the run continues with the next task. Waits for a person if the task needs one. */
  async function isAccepted(key: AttemptKey, task: ProjectTask): Promise<boolean> {
    if (task.humanInput) {
      await steps.wait(signalOf(key));
      const decision = store.readDecision(key);
      if (!decision) throw new Error(`The run of ${id} was woken without a decision.`);
      const { isApprove, feedback } = decision;
      const { attempt } = key;
      reporter.replaceCallbacks(decision.callbacks);
      notes.push({ taskId: task.id, attempt, isApprove, feedback });
      const data = { task_id: task.id, attempt, is_approve: isApprove, feedback };
      await reporter.event("human_feedback_received", subjectOf(key), data);
      if (!isApprove) return false;
    }
    outputs.push({ taskId: task.id, output: store.outputOf(key) });
    return true;
  }
}
