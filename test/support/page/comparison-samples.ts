import { without, type Execution } from "../../../src/executions/model.ts";
import type { Sides } from "../../../src/views/comparison/messages.ts";
import { aTask } from "../../unit/views/executions.ts";
import { Events, start } from "../timeline/samples.ts";
import { aRichExecution, richDraft } from "./samples.ts";
import type { ComparedSample } from "./comparison-window.ts";

/** Of the models of these samples. */
export const prices = [
  { pattern: "gpt-5-mini", input: 0.25, output: 2 },
  { pattern: "gpt-5", input: 1.25, output: 10 },
];

const after = (seconds: number) => new Date(start + seconds * 1000).toISOString();

/** The same crew with another model and another input: its outline is shorter, and a task was added. */
export function comparedSamples(): Sides<ComparedSample> {
  return {
    left: sample("left", { model: "gpt-5-mini", seconds: 40, prompt: 4_100, begin: 0 }, (rich) => ({
      request: { inputs: { ...rich.request?.inputs, style: "dry" }, callbacks: {} },
      title: { text: "tea in the office", number: 1 },
    })),
    right: sample(
      "right",
      { model: "gpt-5", seconds: 55, prompt: 3_200, begin: 3_600 },
      (rich) => ({
        crew: { id: "local:file:///writers", name: "Writers here", url: "http://127.0.0.1:1234" },
        engine: "crewai",
        title: { text: "tea at home", number: 1 },
        request: {
          inputs: { ...rich.request?.inputs, topic: "tea at home, for two" },
          callbacks: {},
        },
        tasks: [
          ...rich.tasks.map((task) =>
            task.taskId === "outline"
              ? { ...task, attempts: [{ number: 1, output: shorter }] }
              : task,
          ),
          { ...aTask("check", "completed", { output: "All facts are right." }), agent: "Checker" },
        ],
      }),
    ),
  };
}

const shorter = richDraft
  .replace("A briefing of one page.", "A briefing of half a page.")
  .replace("2. Wait, see [the guide](https://tea.example/guide).\n", "")
  .replace("Never longer than five.", "Five at most.");

interface Course {
  readonly model: string;
  readonly seconds: number;
  readonly prompt: number;
  /** Seconds after the start of the first one. */
  readonly begin: number;
}

function sample(
  localId: string,
  { model, seconds, prompt, begin }: Course,
  change: (rich: Execution) => Partial<Execution>,
): ComparedSample {
  const events = new Events();
  const task = (taskName: string, from: number, to: number) => {
    const parentId = events.add("task", begin + from, begin + to, { taskName });
    events.add(
      "llm_call",
      begin + from + 1,
      begin + to - 1,
      { parentId, model },
      { tokens: { total: prompt + 640, prompt, completion: 640 } },
    );
  };
  task("research", 1, seconds / 2);
  task("outline", seconds / 2, seconds - 5);
  task("briefing", seconds - 5, seconds);
  const rich = without(aRichExecution(), "waiting");
  const tasks = rich.tasks.map((task) => ({
    ...task,
    state: "completed" as const,
    attempts: task.taskId === "briefing" ? [{ number: 1, output: "Drink tea." }] : task.attempts,
  }));
  const ended: Execution = {
    ...without(rich, "usage"),
    localId,
    kickoffIds: [`kickoff-${localId}`],
    state: "completed",
    startedAt: after(begin),
    endedAt: after(begin + seconds),
    executionTime: seconds,
    tasks,
    resumes: [],
    output: "Drink tea.",
  };
  return { execution: { ...ended, ...change(ended) }, events: events.all };
}
