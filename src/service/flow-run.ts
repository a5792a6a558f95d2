import { randomUUID } from "node:crypto";
import { textAt } from "../base/json.ts";
import { subjectOf } from "./callbacks.ts";
import type { Work } from "./database/database.ts";
import { stableId } from "./deliveries.ts";
import type { EngineEvent, FlowPause, MethodReport, TokenUsage } from "./engine.ts";
import { questionOf } from "./flow-answers.ts";
import type { AttemptKey } from "./model.ts";
import type { Run } from "./run.ts";
import { addUsage } from "./store.ts";

/**
 * Runs a flow up to its next pause for a person, or its end: the durable unit is this part. After a kill in its middle, its
 * methods run again from the last pause, or from the flow's start.
 */
export async function flowStep(run: Run): Promise<boolean> {
  const { id, project, inputs } = run.execution;
  const { flows, engine } = run.parts;
  const answers = await flows.answers(id);
  const part = answers.length + 1;
  const answer = answers.at(-1);
  const methods = new Methods(run, part);
  const counts = {
    ...(await flows.countsOf(id, part)),
    store: (what: "begins" | "failures", count: number) => flows.setCount(what, id, part, count),
  };
  const end = await run.attempt(counts, async ({ begin, step }) => {
    if (!engine.runFlow) throw new Error(`The engine "${engine.name}" can't run flows.`);
    // Those of a part that was interrupted run again.
    await run.change(() => flows.rewind(id, part));
    return await engine.runFlow(
      { executionId: id, project, inputs, ...(answer && { answer }) },
      {
        begin,
        step: (reported) => step({ executionId: id, taskIndex: 0, attempt: part }, reported),
        event: (event, method) => run.report(() => methods.report(event, method)),
      },
    );
  });
  if ("problem" in end) await run.fail(`The flow failed: ${end.problem}`);
  else {
    const { output, pause, usage } = end.made;
    if (pause) await run.change(() => methods.pause(pause, usage));
    else
      await run.complete(output, function* () {
        yield* flows.dropRunning(id);
        yield* flows.setOutput(id, output);
        if (usage) yield* addUsage(id, usage);
      });
  }
  return false;
}

/** Stores each run of a method as an attempt. A change may be repeated, and then has the same attempts. */
class Methods {
  readonly #run: Run;
  readonly #part: number;
  readonly #names: readonly string[];
  /** By the event that began it. */
  readonly #keys = new Map<string, AttemptKey>();
  #paused: AttemptKey | undefined;

  constructor(run: Run, part: number) {
    this.#run = run;
    this.#part = part;
    this.#names = run.execution.project.tasks.map(({ id }) => id);
  }

  *report(event: EngineEvent, method?: MethodReport): Work<void> {
    const event_id = textAt(event, "event_id") ?? randomUUID();
    const key = method && (yield* this.#store({ ...event, event_id }, method));
    const names = method && key ? namesOf(method.name, key) : {};
    yield* this.#run.reporter.report({ ...event, event_id, ...names });
  }

  /** The flow waits for a person. */
  *pause(pause: FlowPause, usage: TokenUsage | undefined): Work<void> {
    const { reporter, execution } = this.#run;
    const { store, flows, deliveries, webhook } = this.#run.parts;
    const { method } = pause;
    const running = yield* flows.running(execution.id, this.#names.indexOf(method));
    const key = yield* this.#begin(method, this.#paused ?? running);
    this.#paused = key;
    yield* store.finish(key, "waiting", pause.output, usage ? { usage } : {});
    // A method that ran at the same time was cut off by the pause.
    yield* flows.dropRunning(execution.id);
    yield* flows.setPause(key, pause);
    const [started] = [...this.#keys].find(([, each]) => isSame(each, key)) ?? [];
    yield* reporter.report({
      event_id: stableId("event", "method_execution_paused", ...subjectOf(key)),
      type: "method_execution_paused",
      timestamp: new Date(this.#run.parts.database.now()).toISOString(),
      ...(started !== undefined && { started_event_id: started }),
      ...namesOf(method, key),
    });
    const data = {
      ...namesOf(method, key),
      output: pause.output,
      message: pause.message,
      ...(pause.options && { emit: [...pause.options] }),
    };
    yield* reporter.waits(key, pause.output, data, questionOf(pause));
    if (webhook) yield* webhook.request(execution, key, pause, deliveries);
  }

  *#store(
    event: EngineEvent & { readonly event_id: string },
    { name, output }: MethodReport,
  ): Work<AttemptKey | undefined> {
    if (event.type === "method_execution_started") {
      const key = yield* this.#begin(name, this.#keys.get(event.event_id));
      this.#keys.set(event.event_id, key);
      return key;
    }
    const key = this.#keys.get(textAt(event, "started_event_id") ?? "");
    if (!key) return undefined;
    const state = event.type === "method_execution_finished" ? "done" : "failed";
    yield* this.#run.parts.store.finish(key, state, state === "done" ? output : null);
    return key;
  }

  /** @param known of an attempt that may be stored already */
  *#begin(method: string, known: AttemptKey | undefined): Work<AttemptKey> {
    const { execution } = this.#run;
    const { flows, store } = this.#run.parts;
    const taskIndex = this.#names.indexOf(method);
    const next = (yield* flows.attemptsOf(execution.id, taskIndex)) + 1;
    const key = known ?? { executionId: execution.id, taskIndex, attempt: next };
    yield* store.beginAttempt(key, method, this.#part);
    return key;
  }
}

export function namesOf(method: string, { attempt }: AttemptKey) {
  return { task_id: method, task_name: method, method_name: method, attempt };
}

function isSame(one: AttemptKey, other: AttemptKey): boolean {
  return one.taskIndex === other.taskIndex && one.attempt === other.attempt;
}
