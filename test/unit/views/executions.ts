import { without, type Execution, type SentResume } from "../../../src/executions/model.ts";

type Task = Execution["tasks"][number];
type Attempt = Task["attempts"][number];

/** An execution of three tasks, of which the second waits. */
export function anExecution(changes: Partial<Execution> = {}): Execution {
  return {
    localId: "local-1",
    crew: { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" },
    kickoffIds: ["11111111-aaaa"],
    origin: "kickoff",
    request: { inputs: { topic: "Sea otters" }, callbacks: {} },
    state: "waiting",
    startedAt: "2026-10-21T12:00:00.000Z",
    progress: { completed: 1, total: 3, unit: "task", current: "review" },
    tasks: [
      {
        taskId: "research",
        agent: "Researcher",
        state: "completed",
        attempts: [{ number: 1, output: "Found a lot." }],
      },
      {
        taskId: "review",
        agent: "Editor",
        state: "waiting",
        attempts: [{ number: 1, output: "# Draft\n\nText." }],
      },
    ],
    waiting: {
      taskId: "review",
      output: "# Draft\n\nText.",
      attempt: 1,
      since: "2026-10-21T12:01:00.000Z",
    },
    resumes: [],
    ...changes,
  };
}

/** A task with these attempts, which get their numbers. */
export const aTask = (
  taskId: string,
  state: Task["state"],
  ...attempts: readonly Omit<Attempt, "number">[]
): Task => ({
  ...{ taskId, state },
  attempts: attempts.map((attempt, index) => ({ number: index + 1, ...attempt })),
});

/** An approval of its waiting output. */
export function anApproval(outcome: SentResume["outcome"]): SentResume {
  return {
    taskId: "review",
    attempt: 1,
    feedback: { isApprove: true, text: "Approved.", at: "2026-10-21T12:02:00.000Z" },
    outcome,
  };
}

/** The same execution, running. */
export function notWaiting(changes: Partial<Execution> = {}): Execution {
  return { ...without(anExecution(), "waiting"), state: "running", ...changes };
}
