import type { ActivityEvent } from "../../../src/api/types.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { anExecution } from "../../unit/executions/samples.ts";
import { aTask } from "../../unit/views/executions.ts";

/** Markdown with all that an output may have, and what the page must not run or load. */
export const richDraft = `# Tea for the newcomers

A briefing of one page &ndash; &nosuch; &notit; &notin; of this. It names **one tea**, says *when* it is served and \`where\`.

| Tea | Minutes | Cost |
|---|---:|:---:|
| Assam | 4 | 3.20 |
| Sencha | 2 | 4.10 |

## How to make it

3. Boil the water.
4. Wait, see [the guide](https://tea.example/guide).
   - not too long
   - not too short

> "There is no trouble so great or grave that cannot be much diminished by a nice cup of tea."

\`\`\`python
def steep(tea: str, minutes: int = 4) -> str:
    # Never longer than five.
    return f"{tea} for {min(minutes, 5)} minutes"
\`\`\`

![A cup of tea](https://tracker.example/cup.png)
`;

const teas =
  '{"teas": [{"name": "Assam", "minutes": 4, "id": 12345678901234567890}, {"name": "Sencha", "minutes": 2}], "checked": true, "source": null}';

/** An execution of two tasks, of which the second was rejected once and waits again. */
export function aRichExecution(changes: Partial<Execution> = {}): Execution {
  const at = "2026-10-21T12:02:00.000Z";
  const feedback = { isApprove: false, text: "Shorter, please.\nName one tea.", at };
  return anExecution({
    state: "waiting",
    progress: { completed: 1, total: 3, unit: "task", current: "outline" },
    request: {
      inputs: { topic: "tea in the office", audience: "new colleagues", options: { depth: 2 } },
      callbacks: {},
    },
    usage: { total: 12_480, prompt: 11_020, completion: 1_460 },
    tasks: [
      {
        ...aTask("research", "completed", { output: teas }),
        ...{ agent: "Researcher on tea", executionTime: 41 },
      },
      {
        ...aTask(
          "outline",
          "waiting",
          { output: richDraft.replace("one page", "three pages"), feedback },
          { output: richDraft },
        ),
        agent: "Editor",
      },
      { ...aTask("briefing", "pending"), agent: "Writer" },
    ],
    waiting: { taskId: "outline", output: richDraft, attempt: 2, since: at },
    resumes: [
      {
        ...{ taskId: "outline", attempt: 1, feedback, outcome: "answered", answer: "retrying" },
        ...{ message: "Task will be retried with your feedback", isFollowed: true },
      },
    ],
    ...changes,
  });
}

const began = Date.parse("2026-10-21T12:00:00.000Z");

const event =
  (all: Partial<ActivityEvent> = {}) =>
  (id: string, seconds: number, type: string, more: Partial<ActivityEvent>): ActivityEvent => ({
    ...{ id, type, at: began + seconds * 1000 },
    ...all,
    ...more,
  });

/** What crewAI's events tell of the first task: a thought, a tool, two model calls. */
export function someEvents(): readonly ActivityEvent[] {
  const task = event({ taskName: "research", agent: "Researcher on tea" });
  const model = { model: "gpt-4o-mini" };
  const tool = { tool: "lookup" };
  const [first, second] = [
    { total: 442, prompt: 410, completion: 32 },
    { total: 1_220, prompt: 980, completion: 240 },
  ];
  const given = '{"topic": "tea", "most": 2}';
  const thought = "I should look up teas first.";
  const found = "Assam: 4 minutes\nSencha: 2 minutes";
  return [
    event()("k1", 0, "crew_kickoff_started", { name: "crew" }),
    task("t1", 1, "task_started", { parentId: "k1" }),
    task("m1", 1, "llm_call_started", { ...model, parentId: "t1" }),
    task("m2", 4, "llm_call_completed", {
      ...model,
      startedId: "m1",
      tokens: first,
      text: thought,
    }),
    task("u1", 4, "tool_usage_started", { ...tool, parentId: "t1", arguments: given }),
    task("u2", 4.4, "tool_usage_finished", { ...tool, startedId: "u1", text: found }),
    task("m3", 5, "llm_call_started", { ...model, parentId: "t1" }),
    task("m4", 41, "llm_call_completed", { ...model, startedId: "m3", tokens: second }),
    task("t2", 42, "task_completed", { startedId: "t1" }),
  ];
}

/** What crewAI's events tell of the second task: an attempt that was rejected, and one that waits. */
export function outlineEvents(): readonly ActivityEvent[] {
  const task = event({ taskName: "outline" });
  return [
    task("o1", 43, "task_started", { parentId: "k1", attempt: 1 }),
    task("o2", 60, "task_completed", { startedId: "o1" }),
    task("w1", 60, "human_feedback_requested", { attempt: 1 }),
    task("w2", 90, "human_feedback_received", { startedId: "w1", isApprove: false }),
    task("o3", 90, "task_started", { parentId: "k1", attempt: 2 }),
    task("o4", 110, "task_completed", { startedId: "o3" }),
    task("w3", 110, "human_feedback_requested", { attempt: 2 }),
  ];
}
