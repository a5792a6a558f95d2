import type { Engine, EarlierOutput, Note, TaskAttempt } from "./engine.ts";
import { messageOf } from "./messages.ts";
import type { AttemptKey, Callbacks, Execution } from "./model.ts";
import type { Reporter } from "./reporter.ts";
import type { ExecutionStore } from "./store.ts";

/** How often a task is tried that fails. */
const taskTries = 3;

/** What makes a run durable: a step that has ended is never run again, whatever crashes; a wait outlasts the process. */
export interface Steps {
  /** Runs `action` until it resolves once; what it resolves to is remembered. When it rejects it is tried again later. */
  run<T extends StepResult>(name: string, action: () => Promise<T>): Promise<T>;
  /** Waits for a signal. */
  wait(signal: string): Promise<void>;
}

/** What a step may resolve to. Outputs are in the store, so little is remembered twice. */
export type StepResult = string | null;

/** What the run of an execution needs. */
export interface CrewRunOptions {
  readonly store: ExecutionStore;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly now: () => number;
}

/** The signal that wakes the run of an execution when a person decided about an attempt. */
export function signalOf(key: AttemptKey): string {
  return `decision ${key.executionId} ${key.taskIndex} ${key.attempt}`;
}

/** Works through an execution from its beginning: after a crash, steps that ended are skipped. */
export async function runCrew(
  executionId: string,
  steps: Steps,
  options: CrewRunOptions,
): Promise<void> {
  const execution = options.store.find(executionId);
  if (!execution) throw new Error(`The execution ${executionId} is not in the database.`);
  await new CrewRun(execution, steps, options).run();
}

class CrewRun {
  readonly #execution: Execution;
  readonly #steps: Steps;
  readonly #options: CrewRunOptions;
  readonly #outputs: EarlierOutput[] = [];
  readonly #notes: Note[] = [];
  /** Those of the kickoff until the first resume, which gives its own. */
  #callbacks: Callbacks;

  constructor(execution: Execution, steps: Steps, options: CrewRunOptions) {
    this.#execution = execution;
    this.#steps = steps;
    this.#options = options;
    this.#callbacks = execution.callbacks;
  }

  async run(): Promise<void> {
    for (const taskIndex of this.#execution.project.tasks.keys()) {
      for (let attempt = 1, done = false; !done; attempt += 1) {
        const key = { executionId: this.#execution.id, taskIndex, attempt };
        const error = await this.#steps.run(`task ${taskIndex} attempt ${attempt}`, () =>
          this.#attempt(key),
        );
        if (error !== null) return;
        done = await this.#isAccepted(key);
      }
    }
    await this.#steps.run("complete", () => this.#complete());
  }

  /** One attempt, from its beginning to its callbacks. Resolves to null, or to why the execution has failed. */
  async #attempt(key: AttemptKey): Promise<string | null> {
    const { store, engine, reporter, now } = this.#options;
    const work = this.#workOf(key);
    await this.#announce(key, work);
    let { output } = store.begin(key, work.task.id, now());
    // An output that was stored before a crash is kept: somebody may have read it.
    if (output === null) {
      let steps = 0;
      try {
        output = await engine.run(work, (step) =>
          reporter.step(this.#execution, this.#callbacks, key, (steps += 1), step),
        );
      } catch (error) {
        if (store.countFailure(key) < taskTries) throw error;
        return this.#fail(key, work, messageOf(error));
      }
      store.finish(key, output, work.task.humanInput, now());
    }
    await reporter.taskCompleted(this.#execution, this.#callbacks, key, work, output);
    return null;
  }

  /** Tells streams what begins with this attempt. */
  async #announce(key: AttemptKey, work: TaskAttempt): Promise<void> {
    const { reporter } = this.#options;
    const { id, project } = this.#execution;
    if (key.taskIndex === 0 && key.attempt === 1) {
      await reporter.event(this.#execution, this.#callbacks, "crew_kickoff_started", [id], {
        crew_name: project.name,
      });
    }
    const data = { task_id: work.task.id, task_name: work.task.id, attempt: key.attempt };
    await reporter.event(
      this.#execution,
      this.#callbacks,
      "task_started",
      [id, key.taskIndex, key.attempt],
      data,
    );
  }

  /** Whether the run goes on after this attempt: at once, or as a person decides. */
  async #isAccepted(key: AttemptKey): Promise<boolean> {
    const { store, reporter } = this.#options;
    const task = this.#taskOf(key);
    if (task.humanInput) {
      await this.#steps.wait(signalOf(key));
      const decision = store.takeDecision(key);
      if (!decision) throw new Error(`The run of ${key.executionId} was woken without a decision.`);
      const { isApprove, feedback } = decision;
      this.#callbacks = decision.callbacks;
      this.#notes.push({ taskId: task.id, attempt: key.attempt, isApprove, feedback });
      const data = { task_id: task.id, attempt: key.attempt, is_approve: isApprove, feedback };
      await reporter.event(
        this.#execution,
        this.#callbacks,
        "human_feedback_received",
        [key.executionId, key.taskIndex, key.attempt],
        data,
      );
      if (!isApprove) return false;
    }
    this.#outputs.push({ taskId: task.id, output: store.attempt(key)?.output ?? "" });
    return true;
  }

  async #complete(): Promise<null> {
    const { store, reporter, now } = this.#options;
    store.end(this.#execution.id, null, now());
    await reporter.crewCompleted(
      this.#execution,
      this.#callbacks,
      this.#outputs.at(-1)?.output ?? "",
    );
    return null;
  }

  async #fail(key: AttemptKey, work: TaskAttempt, problem: string): Promise<string> {
    const { store, reporter, now } = this.#options;
    const error = `Task execution failed: ${problem}`;
    const about = [key.executionId, key.taskIndex, key.attempt];
    await reporter.event(this.#execution, this.#callbacks, "task_failed", about, {
      task_id: work.task.id,
      error: problem,
    });
    await reporter.event(this.#execution, this.#callbacks, "crew_kickoff_failed", about, {
      crew_name: this.#execution.project.name,
      error,
    });
    store.fail(key, now());
    store.end(this.#execution.id, error, now());
    return error;
  }

  #workOf(key: AttemptKey): TaskAttempt {
    const task = this.#taskOf(key);
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

  #taskOf(key: AttemptKey) {
    const task = this.#execution.project.tasks[key.taskIndex];
    if (!task)
      throw new Error(`The execution ${key.executionId} has no task number ${key.taskIndex}.`);
    return task;
  }
}
