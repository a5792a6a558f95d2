import { mkdirSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import type { CrewRef, Execution } from "../../src/executions/model.ts";
import { ExecutionStore } from "../../src/executions/store.ts";
import { Database } from "../../src/store/database.ts";

/** Where the extension keeps its data in a window's data folder. */
export function storageFolder(dataFolder: string): string {
  const folder = path.join(dataFolder, "data/User/globalStorage/crewdeck.crewdeck");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Calls `work` with the database in a folder, and with a store on it that is not open yet. */
function inStore<T>(folder: string, work: (store: ExecutionStore, database: Database) => T): T {
  const onProblem = (message: string, error: unknown) => {
    throw new Error(message, { cause: error });
  };
  const database = new Database({ folder, clock: systemClock, log: { problem: onProblem } });
  const store = new ExecutionStore({ database, clock: systemClock, log: { problem: onProblem } });
  try {
    return work(store, database);
  } finally {
    store.dispose();
    database.dispose();
  }
}

export function writeExecutions(folder: string, executions: readonly Execution[]): void {
  inStore(folder, (store, database) => {
    database.write(() => {
      for (const execution of executions) store.add(execution);
    });
  });
}

/** Opens the database in a folder and lists its executions. @returns how many there are */
export function countExecutions(folder: string): number {
  return inStore(folder, (store) => {
    store.open();
    return store.list().length;
  });
}

/** So many ended executions of a crew, one every ten minutes before `now` (milliseconds since 1970), with inputs, tasks and outputs as usual. */
export function endedExecutions(crew: CrewRef, count: number, now: number): Execution[] {
  return Array.from({ length: count }, (_, index): Execution => {
    const startedAt = new Date(now - (index + 1) * 600_000);
    const state = index % 50 === 7 ? "failed" : "completed";
    return {
      localId: `many-${index}`,
      crew,
      kickoffIds: [`00000000-0000-4000-8000-${String(index).padStart(12, "0")}`],
      origin: "kickoff",
      request: { inputs: { topic: `Topic ${index}`, audience: "colleagues" }, callbacks: {} },
      state,
      startedAt: startedAt.toISOString(),
      endedAt: new Date(startedAt.getTime() + 90_000).toISOString(),
      progress: { completed: state === "failed" ? 1 : 3, total: 3, unit: "task" },
      tasks: ["research", "review", "write"].map((taskId) => ({
        taskId,
        agent: "Writer",
        state: "completed",
        attempts: [{ number: 1, output: `What ${taskId} wrote. `.repeat(20) }],
      })),
      ...(state === "failed"
        ? { error: "The model did not answer." }
        : { output: "The result. ".repeat(50) }),
      resumes: [],
    };
  });
}
