import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CrewRef, Execution } from "../../src/executions/model.ts";
import { writeRecord } from "../../src/executions/record.ts";

/** Where the extension keeps its executions in a window's data folder. */
export function executionsFolder(dataFolder: string): string {
  const folder = path.join(dataFolder, "data/User/globalStorage/crewdeck.crewdeck/executions");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes executions as the store keeps them, before anybody has opened it. */
export function writeExecutions(folder: string, executions: readonly Execution[]): void {
  for (const execution of executions)
    writeFileSync(path.join(folder, `${execution.localId}.1.json`), writeRecord(execution));
}

/** So many ended executions of a crew, one every ten minutes before `now` (milliseconds since 1970), with inputs, tasks and outputs as usual. */
export function endedExecutions(crew: CrewRef, count: number, now: number): Execution[] {
  return Array.from({ length: count }, (_, index): Execution => {
    const startedAt = new Date(now - (index + 1) * 600_000);
    const state = index % 50 === 7 ? "failed" : "completed";
    return {
      version: 1,
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
