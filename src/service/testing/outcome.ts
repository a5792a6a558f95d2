import { asObject, defined, textAt, type JsonObject, type UnknownObject } from "../../base/json.ts";
import { priceOf, readPrices, type Price } from "../../base/prices.ts";
import { callOf, callsOf } from "../calls.ts";
import type { Work } from "../database/database.ts";
import { outputOf } from "../dialects.ts";
import type { TestFailure } from "../../base/window-protocol.ts";
import type { TokenUsage } from "../engine.ts";
import { tookSeconds, type ExecutionView } from "../model.ts";
import type { Rules } from "../questions.ts";
import { failureOf, mismatchesOf, type Outcome } from "./expectations.ts";

/** As which the worker reports a grade, like the call of a tool (crewdeck_worker/judge.py). */
const verdict = "crewdeck:judge";

export function* resultOf(
  view: ExecutionView,
  { expect, prices }: NonNullable<Rules["test"]>,
  usage: TokenUsage,
): Work<JsonObject> {
  const outcome = yield* outcomeOf(view, readPrices(prices), usage);
  const { state, error } = view.execution;
  const unmet: readonly TestFailure[] = expect.flatMap((expected, expectation) =>
    mismatchesOf(expected, outcome).map((mismatch) => ({ ...mismatch, expectation })),
  );
  const failures = state === "completed" ? unmet : [failureOf(error ?? "It was stopped.")];
  const { dollars, grades } = outcome;
  return {
    state: failures.length === 0 ? "passed" : "failed",
    ...defined({ dollars }),
    grades: grades.map(({ task, question, grade, reason }) => ({ task, question, grade, reason })),
    failures: failures.map(({ isUnrecorded, ...failure }) => ({
      ...failure,
      ...(isUnrecorded && { is_unrecorded: true }),
    })),
  };
}

function* outcomeOf(
  view: ExecutionView,
  prices: readonly Price[],
  usage: TokenUsage,
): Work<Outcome> {
  const { id } = view.execution;
  const made = yield* callsOf(id);
  const tools: (Outcome["calls"][number] & { readonly response: unknown })[] = [];
  for (const summary of made) {
    const { number, attempt, task_id: task } = summary;
    if (summary["kind"] !== "tool") continue;
    // Beyond the limit of an execution, texts aren't kept.
    const call = yield* callOf(id, number);
    const [given, response] = [call?.request, call?.["response"]];
    tools.push({ task, attempt, tool: textAt(summary, "name") ?? "", arguments: given, response });
  }
  return {
    output: outputOf(view),
    outputs: view.attempts.flatMap(({ taskId: task, attempt, output }) =>
      task === "" || output === null ? [] : [{ task, attempt, output }],
    ),
    seconds: tookSeconds(view),
    tokens: usage.total_tokens,
    dollars: dollarsOf(made, prices),
    calls: tools.filter(({ tool }) => tool !== verdict),
    grades: tools
      .filter(({ tool }) => tool === verdict)
      .map(({ task, attempt, arguments: given, response }) => {
        const [{ question }, { grade, reason }] = [asObject(given), asObject(response)];
        const said = { question: String(question), reason: String(reason) };
        return { task, attempt, grade: Number(grade), ...said };
      }),
  };
}

/** Of all calls of models. Undefined if one of them has no price. */
function dollarsOf(calls: readonly UnknownObject[], prices: readonly Price[]): number | undefined {
  const parts = calls.flatMap((call) => {
    const { prompt_tokens, completion_tokens } = asObject(call["usage"]);
    if (call["usage"] === undefined) return [];
    const price = priceOf(textAt(call, "model"), prices);
    return [
      price && Number(prompt_tokens) * price.input + Number(completion_tokens) * price.output,
    ];
  });
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  const sum = parts.reduce<number>((all, part = 0) => all + part, 0);
  // Prices are for a million tokens.
  return Math.round(sum) / 1e6;
}
