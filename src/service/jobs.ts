import type { Work } from "./database/database.ts";

/** Hands out the executions that have something to do. A job says only "look at this execution now": what there is to do follows from its rows. */
export interface Jobs {
  /** Part of a change that has locked the executions. If a job waits already, it changes nothing; if somebody has it, there is another one. */
  add(crew: string, ...executionIds: readonly string[]): Work<void>;
  /** Takes the crew's jobs that have waited longest. */
  take(crew: string, most: number): Promise<readonly Job[]>;
}

/** A job that nobody else has. */
export interface Job {
  readonly executionId: string;
  /** Call it every few seconds, so that nobody else takes it. */
  keep(): Promise<void>;
  /** Nothing is left to do. */
  done(): Promise<void>;
  /** Somebody else may take it at once. */
  giveBack(): Promise<void>;
}
