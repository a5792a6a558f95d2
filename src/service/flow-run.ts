import { randomUUID } from "node:crypto";
import { textAt } from "../base/json.ts";
import { integer } from "../base/sqlite.ts";
import { subjectOf } from "./callbacks.ts";
import { change, row, type Work } from "./database/database.ts";
import { stableId } from "./deliveries.ts";
import type { EngineEvent, FlowPause, MethodReport } from "./engine.ts";
import { questionOf } from "./flow-answers.ts";
import { flowIndex, type AttemptKey } from "./model.ts";
import type { Run } from "./run.ts";

/**
 * Runs a flow up to its next pause for a person, or its end: this part is an attempt. After a kill in its middle, its methods run
 * again from the last pause, or from the flow's start.
 */
export async function flowStep(run: Run): Promise<boolean> {
  const { execution, attempts } = run;
  const { id, project, inputs, rules } = execution;
  const { store, engine } = run.parts;
  const answered = attempts
    .filter(({ review }) => review?.answer)
    .sort((one, other) => one.part - other.part)
    .at(-1);
  const number = (answered?.part ?? 0) + 1;
  const part = attempts.find((one) => one.taskIndex === flowIndex && one.attempt === number);
  if (!part) {
    const key = { executionId: id, taskIndex: flowIndex, attempt: number };
    await run.change(() => store.beginAttempt(key, ""));
    return true;
  }
  const { pause: question, answer } = answered?.review ?? {};
  const methods = methodsOf(run, number);
  const end = await run.attempt(part, async (reports) => {
    if (!engine.runFlow) throw new Error(`The engine "${engine.name}" can't run flows.`);
    await run.change(() => methods.forget());
    return await engine.runFlow(
      {
        ...{ executionId: id, project, inputs, rules, part: number },
        ...(question &&
          answer && {
            answer: {
              requestedAt: question.requestedAt,
              feedback: answer.feedback,
              outcomes: answer.outcomes,
            },
          }),
      },
      {
        ...reports,
        event: (event, method) => {
          // Once, because the change may be made again.
          const identified = { event_id: randomUUID(), ...event };
          return run.report(() => methods.report(identified, method));
        },
      },
    );
  });
  if ("problem" in end) {
    await run.end({ error: `The flow failed: ${end.problem}` });
    return false;
  }
  const { output, pause, usage } = end.made;
  const finish = function* () {
    yield* store.finish(part, "done", pause ? null : output, usage ? { usage } : {});
    if (pause) yield* methods.pause(pause);
    // A method that ran at the same time was cut off.
    yield* change("DELETE FROM attempts WHERE execution_id = ? AND state = 'running'", id);
  };
  await (pause ? run.change(finish) : run.end({ output }, finish));
  return false;
}

/** Stores each run of a method as an attempt. A change may be repeated, and then has the same attempts. */
function methodsOf(run: Run, part: number) {
  const keys = new Map<string, AttemptKey>();
  let paused: AttemptKey | undefined;

  return { forget, report, pause };

  /** Those of a part that was interrupted run again. */
  function* forget(): Work<void> {
    yield* change(
      `DELETE FROM attempts WHERE execution_id = ? AND part = ? AND task_index <> ${flowIndex}`,
      run.execution.id,
      part,
    );
  }

  function* report(
    event: EngineEvent & { readonly event_id: string },
    method?: MethodReport,
  ): Work<void> {
    const { event_id } = event;
    const key = method && (yield* storeRun(event, method));
    const names = method && key ? namesOf(method.name, key) : {};
    yield* run.reporter.report({ ...event, event_id, ...names });
  }

  function* pause(asked: FlowPause): Work<void> {
    const { reporter, execution } = run;
    const { store, deliveries, webhook, database } = run.parts;
    const { method, output, message, options, defaultOption, requestedAt } = asked;
    const last = yield* lastOf(method);
    const key = yield* begin(method, paused ?? (last.isRunning ? last : undefined));
    paused = key;
    const question = { method, message, options, defaultOption, requestedAt };
    yield* store.finish(key, "waiting", output, {}, { pause: question });
    const [started] =
      [...keys].find(
        ([, { taskIndex, attempt }]) => taskIndex === key.taskIndex && attempt === key.attempt,
      ) ?? [];
    yield* reporter.report({
      event_id: stableId("event", "method_execution_paused", ...subjectOf(key)),
      type: "method_execution_paused",
      timestamp: new Date(database.now()).toISOString(),
      ...(started !== undefined && { started_event_id: started }),
      ...namesOf(method, key),
    });
    const data = {
      ...namesOf(method, key),
      output,
      message,
      ...(options && { emit: [...options] }),
    };
    yield* reporter.waits(key, output, data, questionOf(question));
    if (webhook) yield* webhook.request(execution, key, asked, deliveries);
  }

  function* storeRun(
    event: EngineEvent & { readonly event_id: string },
    { name, output }: MethodReport,
  ): Work<AttemptKey | undefined> {
    if (event.type === "method_execution_started") {
      const key = yield* begin(name, keys.get(event.event_id));
      keys.set(event.event_id, key);
      return key;
    }
    const key = keys.get(textAt(event, "started_event_id") ?? "");
    if (!key) return undefined;
    const isDone = event.type === "method_execution_finished";
    yield* run.parts.store.finish(key, isDone ? "done" : "failed", isDone ? output : null);
    return key;
  }

  /** @param known of an attempt that may be stored already */
  function* begin(method: string, known: AttemptKey | undefined): Work<AttemptKey> {
    const last = yield* lastOf(method);
    const { executionId, taskIndex } = last;
    const key = known ?? { executionId, taskIndex, attempt: last.attempt + 1 };
    yield* run.parts.store.beginAttempt(key, method, part);
    return key;
  }

  function* lastOf(method: string): Work<AttemptKey & { readonly isRunning: boolean }> {
    const { id: executionId, project } = run.execution;
    const taskIndex = project.tasks.findIndex(({ id }) => id === method);
    const last = yield* row(
      "SELECT attempt, state FROM attempts WHERE execution_id = ? AND task_index = ? ORDER BY attempt DESC LIMIT 1",
      executionId,
      taskIndex,
    );
    const attempt = last ? integer(last, "attempt") : 0;
    return { executionId, taskIndex, attempt, isRunning: last?.["state"] === "running" };
  }
}

function namesOf(method: string, { attempt }: AttemptKey) {
  return { task_id: method, task_name: method, method_name: method, attempt };
}
