import { asObject, defined, type JsonObject, type JsonValue } from "../base/json.ts";
import { integer, optionalText, text, type Row } from "../base/sqlite.ts";
import { callsOf, type CallPlace } from "./calls.ts";
import { change, insert, row, rows, tell, type Work } from "./database/database.ts";
import type { Expectation } from "./testing/test-file.ts";

/** How an execution runs, and which of its calls are held until a person has answered, in the shape of the API. */
export interface Rules extends JsonObject {
  readonly approve_tools?: readonly string[];
  readonly limits?: JsonObject;
  readonly debug_port?: number;
  readonly replay?: Replay;
  /** In place of the project's, for agents that name none. */
  readonly model?: string;
  readonly test?: JsonObject & {
    readonly expect: readonly (JsonObject & Expectation)[];
    readonly prices?: JsonObject;
  };
}

/** Answers the calls of an execution as they were recorded, so that they cost nothing. */
export interface Replay extends JsonObject {
  /** The recording, as a path in the project's folder. */
  readonly file: string;
  /** Which tools run for real: all, or those with these names. */
  readonly tools?: "live" | readonly string[];
}

/** What a call waits for, as the worker asks it (crewdeck_worker/gate.py). */
export type Question =
  | { readonly kind: "tool"; readonly tool: string; readonly arguments: JsonValue }
  | { readonly kind: "budget"; readonly tokens: number; readonly dollars: number };

export interface Answer extends JsonObject {
  readonly isApprove: boolean;
  /** Also every later call of the tool in this execution. */
  readonly isForRun: boolean;
  readonly words: string;
}

export interface HeldCall {
  /** Names it to a person, too. A resume answers it by this. */
  readonly callId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly question: Question;
  /** Undefined while it waits; null if its attempt ended before. */
  readonly answer: Answer | null | undefined;
}

/** Part of a change. @param id of this question: a repeat stores no second one */
export function* addQuestion(
  id: string,
  { executionId, taskId, attempt }: Pick<CallPlace, "executionId" | "taskId" | "attempt">,
  question: Question,
): Work<HeldCall> {
  const asked = yield* rows("SELECT id FROM questions WHERE execution_id = ?", executionId);
  const number = asked.filter((one) => one["id"] !== id).length + 1;
  const name = question.kind === "tool" ? question.tool : "budget";
  const callId = `${taskId === "" ? "" : `${taskId}: `}${name} #${number}`;
  yield* insert("questions", {
    ...{ execution_id: executionId, id, call_id: callId, task_id: taskId, attempt },
    question: JSON.stringify(question),
  });
  return { callId, taskId, attempt, question, answer: undefined };
}

/** Of attempts that ended while their calls waited: they ask again. */
export function* endQuestions(executionId: string): Work<void> {
  yield* change(
    "UPDATE questions SET answer = 'null' WHERE execution_id = ? AND answer IS NULL",
    executionId,
  );
}

export function* questionsOf(executionId: string): Work<readonly HeldCall[]> {
  const stored = yield* rows(
    "SELECT * FROM questions WHERE execution_id = ? ORDER BY rowid",
    executionId,
  );
  return stored.map(heldCallOf);
}

export function* answerOf(executionId: string, id: string): Work<HeldCall["answer"]> {
  const stored = yield* row(
    "SELECT * FROM questions WHERE execution_id = ? AND id = ?",
    executionId,
    id,
  );
  return stored && heldCallOf(stored).answer;
}

/** Part of a change. Returns false if it was answered before, or waits no longer. */
export function* answerQuestion(
  executionId: string,
  callId: string,
  answer: Answer,
): Work<boolean> {
  const changes = yield* change(
    "UPDATE questions SET answer = ? WHERE execution_id = ? AND call_id = ? AND answer IS NULL",
    JSON.stringify(answer),
    executionId,
    callId,
  );
  yield* tell({ kind: "answered", executionId });
  return changes > 0;
}

export const noRules: JsonObject = {
  ...{ ask: [], allowed: [], limits: {}, since: { tokens: 0, dollars: 0 }, used: [], judge: [] },
};

/** For an attempt that begins, in the shape of the worker (`Rules` in crewdeck_worker/protocol.py). */
export function* currentRules(executionId: string, rules: Rules | null): Work<JsonObject> {
  if (!rules) return noRules;
  const asked = yield* questionsOf(executionId);
  const given = asked.filter(({ answer }) => answer?.isApprove === true);
  const allowed = given.flatMap(({ question, answer }) =>
    question.kind === "tool" && answer?.isForRun === true ? [question.tool] : [],
  );
  const more = given.flatMap(({ question }) => (question.kind === "budget" ? [question] : []));
  const { tokens = 0, dollars = 0 } = more.at(-1) ?? {};
  const calls = rules.limits ? yield* callsOf(executionId) : [];
  return {
    ask: [...(rules.approve_tools ?? [])],
    allowed,
    limits: rules.limits ?? {},
    judge: (rules.test?.expect ?? []).flatMap(({ judge, task }) =>
      judge === undefined
        ? []
        : [{ question: judge, ...(task !== undefined && { task_id: task }) }],
    ),
    since: { tokens, dollars },
    used: calls.flatMap(({ model = "", usage, estimate = usage }) => {
      const { prompt_tokens = 0, completion_tokens = 0 } = asObject(estimate) as JsonObject;
      return estimate === undefined ? [] : [[model, prompt_tokens, completion_tokens]];
    }),
  };
}

export function pendingOf(
  { callId: call_id, taskId: task_id, attempt, question }: HeldCall,
  rules: Rules | null,
): JsonObject {
  const place = { call_id, task_id, attempt };
  if (question.kind === "tool") {
    const { tool, arguments: given } = question;
    return { pending_tool_call: { ...place, tool, arguments: given } };
  }
  const { tokens, dollars } = question;
  const { tokens: most, dollars: mostDollars } = rules?.limits ?? {};
  const limits = defined({ tokens: most, dollars: mostDollars });
  return { pending_budget: { ...place, tokens, dollars, limits } };
}

/** What a person reads of it in a callback, and what their decision is about. */
export function textOf({ question }: HeldCall): string {
  const { kind, ...rest } = question;
  return JSON.stringify(kind === "tool" ? question.arguments : rest);
}

function heldCallOf(stored: Row): HeldCall {
  const answer = optionalText(stored, "answer");
  return {
    callId: text(stored, "call_id"),
    taskId: text(stored, "task_id"),
    attempt: integer(stored, "attempt"),
    question: JSON.parse(text(stored, "question")) as Question,
    answer: answer === undefined ? undefined : (JSON.parse(answer) as Answer | null),
  };
}
