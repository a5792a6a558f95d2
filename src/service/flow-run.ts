import { randomUUID } from "node:crypto";
import { textAt } from "../base/json.ts";
import type { CrewProject } from "../projects/types.ts";
import { subjectOf, type Reporter } from "./callbacks.ts";
import { stableId } from "./deliveries.ts";
import type {
  Engine,
  EngineEvent,
  FlowAnswer,
  FlowPause,
  FlowResult,
  MethodReport,
} from "./engine.ts";
import { messageOf } from "./errors.ts";
import { questionOf } from "./flow-answers.ts";
import type { FeedbackWebhook } from "./feedback-webhook.ts";
import type { Counts, FlowStore } from "./flow-store.ts";
import type { AttemptKey, Execution } from "./model.ts";
import { checkBegins, isFinal, signalOf, taskTries, type Steps } from "./steps.ts";
import type { ExecutionStore } from "./store.ts";

/** What a service has for its flows. */
export interface FlowParts {
  readonly flows: FlowStore;
  /** Undefined where no address for requests is configured. */
  readonly webhook: FeedbackWebhook | undefined;
}

interface FlowRun extends FlowParts {
  readonly id: string;
  readonly steps: Steps;
  readonly store: ExecutionStore;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly found: () => Promise<Execution>;
  readonly fail: (error: string) => Promise<"failed">;
}

/**
 * Runs a flow in parts, each up to a pause for a person or the end: the durable unit is the part. After a kill in its middle, its
 * methods run again from the last pause, or from the flow's start.
 */
export async function runFlow(run: FlowRun): Promise<void> {
  const { id, steps, store, flows, engine, reporter, webhook } = run;
  let answer: FlowAnswer | undefined;
  for (let part = 1; ; part += 1) {
    const before =
      part === 1
        ? "{}"
        : await steps.run(`part ${part} begins`, async () =>
            JSON.stringify(await flows.counts(id)),
          );
    const end = await steps.run(`part ${part}`, () => runPart(run, part, before, answer));
    if (end === "failed") return;
    if (end === "ended") break;
    const key = keyFrom(id, end);
    if (webhook)
      await steps.run(`feedback request ${part}`, async () => {
        await webhook.request(await run.found(), key, await pauseOf(flows, key));
        return null;
      });
    await steps.wait(signalOf(key));
    const decision = await store.readDecision(key);
    if (!decision && (await store.hasEnded(id))) return;
    const given = await flows.answerOf(key);
    if (!decision || !given) throw new Error(`The run of ${id} was woken without an answer.`);
    reporter.replaceCallbacks(decision.callbacks);
    const { feedback, outcomes, isApprove } = given;
    const { requestedAt, method } = await pauseOf(flows, key);
    answer = { requestedAt, feedback, outcomes };
    const data = {
      ...namesOf(method, key),
      feedback,
      ...(isApprove !== undefined && { is_approve: isApprove }),
      ...(outcomes?.length === 1 && { outcome: outcomes[0] ?? "" }),
    };
    const { decidedAt } = await store.timesOf(key);
    await reporter.event("human_feedback_received", subjectOf(key), data, decidedAt);
  }
  await steps.run("complete", async () => {
    const output = (await flows.outputOf(id)) ?? "";
    const usage = await store.usageOf(id);
    await store.end(id, null, (ended) => reporter.addCompletion(ended, output, usage));
    engine.rest?.(id, true);
    const ended = await run.found();
    if (ended.state === "completed") await reporter.completed(ended, output);
    return null;
  });
}

/** Reads where an execution waits from the result of a step. */
function keyFrom(executionId: string, text: string): AttemptKey {
  const [taskIndex = 0, attempt = 1] = text.split(" ").map(Number);
  return { executionId, taskIndex, attempt };
}

async function pauseOf(flows: FlowStore, key: AttemptKey): Promise<FlowPause> {
  const pause = await flows.pauseOf(key);
  if (!pause) throw new Error(`The pause of ${key.executionId} is not in the database.`);
  return pause;
}

function namesOf(method: string, { attempt }: AttemptKey) {
  return { task_id: method, task_name: method, method_name: method, attempt };
}

async function runPart(
  run: FlowRun,
  part: number,
  before: string,
  answer: FlowAnswer | undefined,
): Promise<string> {
  const { id, store, flows, engine, reporter, found, fail } = run;
  if (await store.hasEnded(id)) return "failed";
  const { project, inputs } = await found();
  const counts = JSON.parse(before) as Counts;
  const methods = new Methods(run, project, counts);
  // What was stored before a crash is kept: somebody may have answered it, and its methods must not run twice.
  const known = await flows.pauseSince(id, counts);
  if (known) return await paused(run, methods, known);
  if ((await flows.outputOf(id)) !== undefined) return "ended";
  let [beginId, count] = ["", 0];
  let result: FlowResult | undefined;
  try {
    if (!engine.runFlow) throw new Error(`The engine "${engine.name}" can't run flows.`);
    result = await engine.runFlow(
      { executionId: id, project, inputs, ...(answer && { answer }) },
      {
        begin: async () => {
          checkBegins(await flows.count("begins", id, part));
          beginId = randomUUID();
        },
        step: (step) => {
          const key = { executionId: id, taskIndex: 0, attempt: part };
          return reporter.step(key, `${beginId} ${(count += 1)}`, step);
        },
        event: (event, method) => methods.report(event, method),
      },
    );
  } catch (error) {
    if (await store.hasEnded(id)) return "failed";
    if (!isFinal(engine, error) && (await flows.count("failures", id, part)) < taskTries)
      throw error;
    return await fail(`The flow failed: ${messageOf(error)}`);
  }
  const { pause, output, usage } = result;
  if (!pause) {
    for (const key of await flows.running(id)) await flows.drop(key);
    await flows.setOutput(id, output, usage);
    return "ended";
  }
  const key = await methods.waiting(pause.method);
  // A method that ran at the same time was cut off by the pause.
  for (const other of await flows.running(id)) if (!isSame(other, key)) await flows.drop(other);
  const used = usage ? { usage } : {};
  const also = () => flows.setPause(key, pause);
  if (!(await store.finish(key, "waiting", pause.output, used, also))) {
    if (await store.hasEnded(id)) return "failed";
    throw tooSlow();
  }
  return await paused(run, methods, key);
}

/** Reports a pause that is stored. A repeat reports nothing new. */
async function paused(
  { store, flows, reporter }: FlowRun,
  methods: Methods,
  key: AttemptKey,
): Promise<string> {
  const pause = await pauseOf(flows, key);
  const { finishedAt } = await store.timesOf(key);
  const data = {
    ...namesOf(pause.method, key),
    output: pause.output,
    message: pause.message,
    ...(pause.options && { emit: [...pause.options] }),
  };
  await methods.paused(key, pause, finishedAt);
  await reporter.waits(key, pause.method, pause.output, data, finishedAt, questionOf(pause));
  return `${key.taskIndex} ${key.attempt}`;
}

function tooSlow(): Error {
  return new Error("Another worker continues this flow, because this one was too slow.");
}

function isSame(one: AttemptKey, other: AttemptKey): boolean {
  return one.taskIndex === other.taskIndex && one.attempt === other.attempt;
}

/** Stores each run of a method as an attempt. */
class Methods {
  readonly #run: FlowRun;
  readonly #names: readonly string[];
  readonly #before: Counts;
  readonly #keys = new Map<string, AttemptKey>();
  #hasBegun = false;

  /** @param before the attempts that earlier parts made */
  constructor(run: FlowRun, project: CrewProject, before: Counts) {
    this.#run = run;
    this.#before = before;
    this.#names = project.tasks.map(({ id }) => id);
  }

  async report(event: EngineEvent, method?: MethodReport): Promise<void> {
    const event_id = textAt(event, "event_id") ?? randomUUID();
    const key = method && (await this.#store({ ...event, event_id }, method));
    const names = method && key ? namesOf(method.name, key) : {};
    await this.#run.reporter.report({ ...event, event_id, ...names });
  }

  /** The attempt of a method that waits for a person. */
  async waiting(method: string): Promise<AttemptKey> {
    const [running] = await this.#run.flows.running(this.#run.id, this.#names.indexOf(method));
    return running ?? (await this.#begin(method));
  }

  async paused(key: AttemptKey, { method }: FlowPause, at: number | null): Promise<void> {
    const [started] = [...this.#keys].find(([, each]) => isSame(each, key)) ?? [];
    await this.#run.reporter.report({
      event_id: stableId("event", "method_execution_paused", ...subjectOf(key)),
      type: "method_execution_paused",
      timestamp: new Date(at ?? Date.now()).toISOString(),
      ...(started !== undefined && { started_event_id: started }),
      ...namesOf(method, key),
    });
  }

  async #store(event: EngineEvent & { readonly event_id: string }, { name, output }: MethodReport) {
    const started = textAt(event, "started_event_id") ?? "";
    if (event.type === "method_execution_started") {
      const key = await this.#begin(name);
      this.#keys.set(event.event_id, key);
      return key;
    }
    const key = this.#keys.get(started);
    if (!key) return undefined;
    const state = event.type === "method_execution_finished" ? "done" : "failed";
    await this.#run.store.finish(key, state, state === "done" ? output : null);
    return key;
  }

  async #begin(method: string): Promise<AttemptKey> {
    const { id, flows, store } = this.#run;
    if (!this.#hasBegun) await flows.rewind(id, this.#before);
    this.#hasBegun = true;
    if (await flows.pauseSince(id, this.#before)) throw tooSlow();
    const taskIndex = this.#names.indexOf(method);
    const attempt = ((await flows.counts(id))[taskIndex] ?? 0) + 1;
    const key = { executionId: id, taskIndex, attempt };
    await store.begin(key, method);
    return key;
  }
}
