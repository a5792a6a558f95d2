import type { ProjectTask } from "../projects/types.ts";
import type { EarlierOutput, Engine, Note, TaskAttempt } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { AttemptKey, Execution } from "./model.ts";
import { subjectOf, type Reporter } from "./reporter.ts";
import type { ExecutionStore } from "./store.ts";

/** Attempts to run a failing task. */
const taskTries = 3;

/** Makes a run durable: a finished step never runs again after a crash, and a wait outlasts the process. */
export interface Steps {
  /** Repeats `action` later until it resolves, and stores the result. Outputs are in the store, so results are small. */
  run<T extends string | null>(name: string, action: () => Promise<T>): Promise<T>;
  wait(signal: string): Promise<void>;
}

/** The signal that wakes a run when a person decided about an attempt. */
export function signalOf(key: AttemptKey): string {
  return `decision ${key.executionId} ${key.taskIndex} ${key.attempt}`;
}

/** Runs an execution from its beginning; after a crash, `steps` skips the finished steps. */
export class CrewRun {
  readonly #execution: Execution;
  readonly #steps: Steps;
  readonly #store: ExecutionStore;
  readonly #engine: Engine;
  readonly #reporter: Reporter;
  readonly #outputs: EarlierOutput[] = [];
  readonly #notes: Note[] = [];

  constructor(
    executionId: string,
    steps: Steps,
    store: ExecutionStore,
    engine: Engine,
    reporterOf: (execution: Execution) => Reporter,
  ) {
    const execution = store.find(executionId);
    if (!execution) throw new Error(`The execution ${executionId} is not in the database.`);
    this.#execution = execution;
    this.#steps = steps;
    this.#store = store;
    this.#engine = engine;
    this.#reporter = reporterOf(execution);
  }

  async run(): Promise<void> {
    for (const [taskIndex, task] of this.#execution.project.tasks.entries()) {
      for (let attempt = 1, done = false; !done; attempt += 1) {
        const key = { executionId: this.#execution.id, taskIndex, attempt };
        const error = await this.#steps.run(`task ${taskIndex} attempt ${attempt}`, () =>
          this.#attempt(key, task),
        );
        if (error !== null) return;
        done = await this.#isAccepted(key, task);
      }
    }
    await this.#steps.run("complete", async () => {
      this.#store.end(this.#execution.id, null);
      await this.#reporter.crewCompleted(this.#outputs.at(-1)?.output ?? "");
      return null;
    });
  }

  /** One attempt with its callbacks. Resolves to null, or to the error of the failed execution. */
  async #attempt(key: AttemptKey, task: ProjectTask): Promise<string | null> {
    const work = this.#workOf(key, task);
    await this.#reportStart(key, task);
    let { output } = this.#store.begin(key, task.id);
    // An output stored before a crash is kept: somebody may have read it.
    if (output === null) {
      let count = 0;
      try {
        output = await this.#engine.run(work, (step) =>
          this.#reporter.step(key, (count += 1), step),
        );
      } catch (error) {
        if (this.#store.countFailure(key) < taskTries) throw error;
        return this.#fail(key, task, messageOf(error));
      }
      this.#store.finish(key, output, task.humanInput);
    }
    await this.#reporter.taskCompleted(key, work, output);
    return null;
  }

  async #reportStart(key: AttemptKey, task: ProjectTask): Promise<void> {
    const { id, project } = this.#execution;
    if (key.taskIndex === 0 && key.attempt === 1)
      await this.#reporter.event("crew_kickoff_started", [id], { crew_name: project.name });
    const data = { task_id: task.id, task_name: task.id, attempt: key.attempt };
    await this.#reporter.event("task_started", subjectOf(key), data);
  }

  /** Whether the run continues with the next task. Waits for a person if the task needs one. */
  async #isAccepted(key: AttemptKey, task: ProjectTask): Promise<boolean> {
    if (task.humanInput) {
      await this.#steps.wait(signalOf(key));
      const decision = this.#store.takeDecision(key);
      if (!decision) throw new Error(`The run of ${key.executionId} was woken without a decision.`);
      const { isApprove, feedback } = decision;
      const { attempt } = key;
      this.#reporter.callbacks = decision.callbacks;
      this.#notes.push({ taskId: task.id, attempt, isApprove, feedback });
      const data = { task_id: task.id, attempt, is_approve: isApprove, feedback };
      await this.#reporter.event("human_feedback_received", subjectOf(key), data);
      if (!isApprove) return false;
    }
    this.#outputs.push({ taskId: task.id, output: this.#store.attempt(key)?.output ?? "" });
    return true;
  }

  async #fail(key: AttemptKey, task: ProjectTask, problem: string): Promise<string> {
    const error = `Task execution failed: ${problem}`;
    const crew_name = this.#execution.project.name;
    const subject = subjectOf(key);
    await this.#reporter.event("task_failed", subject, { task_id: task.id, error: problem });
    await this.#reporter.event("crew_kickoff_failed", subject, { crew_name, error });
    this.#store.fail(key);
    this.#store.end(this.#execution.id, error);
    return error;
  }

  #workOf(key: AttemptKey, task: ProjectTask): TaskAttempt {
    const { project, inputs } = this.#execution;
    const { context } = task;
    return {
      task,
      agent: project.agents.find((agent) => agent.name === task.agent),
      inputs,
      earlier: context
        ? this.#outputs.filter((earlier) => context.includes(earlier.taskId))
        : [...this.#outputs],
      notes: [...this.#notes],
      attempt: key.attempt,
    };
  }
}
