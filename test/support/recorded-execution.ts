import { readFileSync } from "node:fs";
import path from "node:path";
import { readEvents } from "../../src/api/read-events.ts";
import type { ActivityEvent } from "../../src/api/types.ts";
import type { Execution } from "../../src/executions/model.ts";
import { notWaiting } from "../unit/views/executions.ts";
import { projectFolder } from "./folders.ts";

/** The events that crewAI reported of a run, recorded in a file of test/fixtures/events. */
export function recordedEvents(file: string): readonly ActivityEvent[] {
  const text = readFileSync(path.join(projectFolder, "test/fixtures/events", file), "utf8");
  const lines = text.trim().split("\n");
  return readEvents(lines.map((line): unknown => JSON.parse(line)));
}

/** A crew of two tasks and a tool with the events that crewAI 1.15.30 reported, and its outputs. */
export function recordedExecution(changes: Partial<Execution> = {}): {
  execution: Execution;
  events: readonly ActivityEvent[];
} {
  const task = (taskId: string, agent: string, output: string) => ({
    taskId,
    agent,
    state: "completed" as const,
    attempts: [{ number: 1, output }],
  });
  return {
    events: recordedEvents("recorded.ndjson"),
    execution: notWaiting({
      localId: "recorded",
      kickoffIds: ["33333333-cccc"],
      crew: { id: "local:travel", name: "travel", url: "http://127.0.0.1:1" },
      state: "completed",
      startedAt: "2026-11-22T00:01:23.000Z",
      endedAt: "2026-11-22T00:01:25.000Z",
      tasks: [
        task("research_task", "Oslo researcher", "Oslo: 10 degrees"),
        task("write_task", "Oslo researcher", '{"city": "Oslo"}'),
      ],
      output: "A trip to Oslo.",
      ...changes,
    }),
  };
}
