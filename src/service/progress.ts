import { fill } from "../projects/render.ts";
import type { ProjectTask } from "../projects/types.ts";
import type { Attempt, ExecutionView } from "./model.ts";

/** How far an execution is, as both dialects tell it. */
export interface CrewProgress {
  /** Last attempts of the tasks that are finished, in order. */
  readonly finished: readonly Attempt[];
  readonly total: number;
  /** The task under way; the last one when all are finished. */
  readonly current: ProjectTask;
  /** The attempt that waits for a person. */
  readonly waiting: Attempt | undefined;
}

/** Works out how far an execution is. A rejected attempt counts as gone at once: the decision is what counts, not whether the run has seen it. */
export function progressOf({ execution, attempts }: ExecutionView): CrewProgress {
  const { tasks } = execution.project;
  const finished = attempts.filter(({ state }) => state === "done" || state === "approved");
  const current = tasks[Math.min(finished.length, tasks.length - 1)];
  if (!current) throw new Error(`The execution ${execution.id} has no tasks.`);
  return {
    finished,
    total: tasks.length,
    current,
    waiting: attempts.find(({ state }) => state === "waiting"),
  };
}

/** Role of the agent of a task, as text for people; "" where no agent is named. */
export function agentOf({ execution }: ExecutionView, taskIndex: number): string {
  const { agents, tasks } = execution.project;
  const agent = agents.find(({ name }) => name === tasks[taskIndex]?.agent);
  return agent ? fill(agent.role, execution.inputs).trim() : "";
}

/** Seconds between two times in milliseconds. A clock that was set back must not make a time negative. */
export function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
