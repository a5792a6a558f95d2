import type { Work } from "./database/database.ts";
import {
  crewOutput,
  type Note,
  type TaskAttempt,
  type TaskResult,
  type TokenUsage,
} from "./engine.ts";
import { messageOf } from "./errors.ts";
import { flowStep } from "./flow-run.ts";
import { isAccepted, type AttemptKey, type Execution, type Attempt } from "./model.ts";
import { fingerprintsOf, fitOutputs, UnfitOutputs } from "./run-again.ts";
import { readRun, tries, type Run, type RunParts } from "./run.ts";
import type { Turn } from "./store.ts";

/**
 * Does what an execution has to do, until it waits for a person, has ended, or the process ends. Each step follows from what
 * is stored, so it makes no difference which process does it, and after which crash.
 * Resolves to whether there is nothing left to do.
 * @throws {TurnLost}
 */
export async function runExecution(turn: Turn, parts: RunParts): Promise<boolean> {
  let goesOn = true;
  while (goesOn && !parts.isStopping()) {
    const run = await readRun(turn, parts);
    goesOn = run !== undefined && (await nextStep(run));
  }
  return !goesOn;
}

/** Resolves to whether there may be something left to do. */
async function nextStep(run: Run): Promise<boolean> {
  const { execution, attempts } = run;
  if (attempts.some(({ state }) => state === "waiting")) return false;
  const { engine } = run.parts;
  if (!execution.isPrepared && (engine.prepare || execution.kept)) return await prepare(run);
  return await (execution.project.kind === "flow" ? flowStep(run) : crewStep(run));
}

async function crewStep(run: Run): Promise<boolean> {
  const { execution, attempts, reporter } = run;
  const { store } = run.parts;
  const { tasks } = execution.project;
  const last = attempts.at(-1);
  if (last?.state === "running" || last?.state === "finishing") return await attemptTask(run, last);
  const isAgain = last?.state === "rejected" || last?.state === "refused";
  const taskIndex = last === undefined ? 0 : isAgain ? last.taskIndex : last.taskIndex + 1;
  const task = tasks[taskIndex];
  if (!task) {
    await run.end({ output: crewOutput(outputsBefore(run, tasks.length)) });
    return false;
  }
  const key = { executionId: execution.id, taskIndex, attempt: isAgain ? last.attempt + 1 : 1 };
  const begun = await run.change(function* () {
    const attempt = yield* store.beginAttempt(key, task.id);
    yield* reporter.taskStarted(key, isFirst(execution, key));
    return attempt;
  });
  return begun ? await attemptTask(run, begun) : true;
}

/** Lets the engine read the crew as it will run, and fits the kept outputs to it. */
async function prepare(run: Run): Promise<boolean> {
  const { execution } = run;
  const { engine, store } = run.parts;
  const { id, project: read, kept, rules } = execution;
  for (let tried = 1; ; tried += 1)
    try {
      const built = await engine.prepare?.(id, read, rules);
      const project = built ? { ...built, asRead: read.asRead ?? fingerprintsOf(read) } : read;
      const outputs = kept ? fitOutputs(project, kept) : [];
      await run.change(() => store.prepared(id, project, outputs));
      return true;
    } catch (error) {
      await run.check(error);
      const isLast = error instanceof UnfitOutputs || engine.isFinal?.(error) === true;
      if (!isLast && tried < tries) continue;
      const next =
        error instanceof UnfitOutputs && error.canKeep
          ? ' To keep them anyway, edit them with “Edit First…”, or send "keep_changed".'
          : "";
      const what = read.kind === "flow" ? "flow" : "crew";
      await run.end({ error: `The ${what} can't run: ${messageOf(error)}${next}` });
      return false;
    }
}

/** One attempt, up to its review if it has one; or what follows its approval. */
async function attemptTask(run: Run, key: Attempt): Promise<boolean> {
  const work = workOf(run, key);
  const end = await run.attempt(key, async (reports) => {
    const toEvent = run.reporter.engineEvents(key);
    return await run.parts.engine.run(work, {
      ...reports,
      event: (event) => run.report(toEvent(event)),
    });
  });
  if ("problem" in end) {
    const { problem } = end;
    const error = `Task execution failed: ${problem}`;
    await run.end({ error }, () => run.reporter.taskFailed(key, problem));
    return false;
  }
  const { made } = end;
  const isFinishing = key.state === "finishing";
  const waits = !isFinishing && work.task.humanInput && made.isSkipped !== true;
  await run.change(() => (isFinishing ? settle(run, key, made) : finish(run, key, made, waits)));
  return !waits;
}

function* finish(run: Run, key: AttemptKey, result: TaskResult, waits: boolean): Work<void> {
  const { output, usage, draft } = result;
  const review = waits && draft ? { draft, ...(usage && { usage }) } : undefined;
  yield* run.parts.store.finish(key, waits ? "waiting" : "done", output, result, review);
  if (waits) yield* run.reporter.taskPaused(key, output, usage);
  else yield* run.reporter.taskCompleted(key, output, usage);
}

function* settle(run: Run, key: Attempt, result: TaskResult): Work<void> {
  const { output, usage, refusal } = result;
  yield* run.parts.store.settle(key, result);
  if (!refusal) yield* run.reporter.taskCompleted(key, output, sumOf(key.review?.usage, usage));
}

function workOf(run: Run, key: Attempt): TaskAttempt {
  const { execution, attempts } = run;
  const { project, inputs, rules } = execution;
  const { executionId, taskIndex, attempt } = key;
  const task = project.tasks[taskIndex];
  if (!task) throw new Error(`The execution ${executionId} has no task ${taskIndex}.`);
  const refused = attempts.findLast(
    (one) => one.taskIndex === taskIndex && one.state === "refused",
  );
  const refusal = refused?.review?.refusal;
  const isApproved = key.state === "finishing";
  return {
    ...{ executionId, taskIndex, attempt, project, task, inputs, rules },
    agent: project.agents.find(({ name }) => name === task.agent),
    isFirst: !isApproved && isFirst(execution, key),
    earlier: outputsBefore(run, taskIndex),
    notes: attempts.flatMap(noteOf),
    ...(refusal && { refusal }),
    ...(isApproved && { draft: key.review?.draft ?? {} }),
  };
}

function noteOf({ taskId, attempt, state, feedback, output }: Attempt): readonly Note[] {
  if (feedback === null) return [];
  return [{ taskId, attempt, isApprove: state !== "rejected", feedback, output: output ?? "" }];
}

function outputsBefore({ attempts }: Run, taskIndex: number): TaskAttempt["earlier"] {
  return attempts
    .filter((one) => one.taskIndex < taskIndex && isAccepted(one))
    .map(({ taskId, output }) => ({ taskId, output: output ?? "" }));
}

/** Whether it is the first attempt that the execution itself makes. */
function isFirst({ project, kept }: Execution, { taskIndex, attempt }: AttemptKey): boolean {
  const first = kept ? project.tasks.findIndex(({ id }) => id === kept.taskId) : 0;
  return taskIndex === first && attempt === 1;
}

function sumOf(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (!one || !other) return one ?? other;
  return {
    total_tokens: one.total_tokens + other.total_tokens,
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
  };
}
