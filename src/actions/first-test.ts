import { asArray, asObject, defined, isObject, parseJson } from "../base/json.ts";
import type { JsonObject, JsonValue } from "../api/types.ts";
import type { Execution } from "../executions/model.ts";
import { approved } from "../executions/resumes.ts";

/** Characters of a text that the result is to have. */
const longestText = 60;
/** How much more than now is allowed: another answer of a model may be longer. */
const room = 1.5;

/** The body of a test of an execution. It expects what should stay true when the models answer in other words. */
export function firstTest(execution: Execution, recording: string): JsonObject {
  const { request, output = "", usage } = execution;
  const { inputs = {}, meta } = request ?? {};
  const most = usage && Math.ceil((usage.total * room) / 100) * 100;
  return defined({
    ...{ inputs, meta },
    answers: answersIn(execution),
    expect: [
      expectedOf(output, inputs),
      ...toolsIn(recording),
      ...(most === undefined ? [] : [{ maxTokens: most }]),
    ],
  });
}

/** Undefined if a person only approved, without words. */
function answersIn({ tasks }: Execution): JsonObject | undefined {
  const given = tasks.flatMap(({ taskId, attempts }) => {
    const answers = attempts.flatMap(({ feedback }): JsonObject[] =>
      feedback === undefined
        ? []
        : [feedback.isApprove ? { approve: feedback.text } : { reject: feedback.text }],
    );
    return answers.some(({ approve }) => approve !== approved) ? [[taskId, answers] as const] : [];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** Of the result: the members of JSON, else an input that it names, or its beginning. */
function expectedOf(output: string, inputs: JsonObject): JsonObject {
  const value = parseJson(output);
  if (isObject(value)) return { jsonSchema: { type: "object", required: Object.keys(value) } };
  if (Array.isArray(value)) return { jsonSchema: { type: "array" } };
  const isNamed = (input: JsonValue): input is string =>
    typeof input === "string" &&
    input.trim() !== "" &&
    input.length <= longestText &&
    output.includes(input);
  const words = output.split(/\s+/).filter(Boolean).length;
  const [line = ""] = /[\p{L}\p{N}].*/u.exec(output) ?? [];
  const beginning = Array.from(line).slice(0, longestText).join("").trimEnd();
  return {
    contains: Object.values(inputs).find(isNamed) ?? beginning,
    maxWords: Math.ceil((words * room) / 10) * 10,
  };
}

function toolsIn(recording: string): readonly JsonObject[] {
  const calls = recording.split("\n").flatMap((line) => {
    const { kind, name, at } = asObject(parseJson(line));
    const [task] = asArray(at);
    return kind === "tool" && typeof task === "string" && typeof name === "string"
      ? [{ task, name }]
      : [];
  });
  return [...Map.groupBy(calls, ({ task }) => task)].map(([task, made]) => ({
    ...(task !== "" && { task }),
    calls: [...new Set(made.map(({ name }) => name))].map((tool) => ({ tool })),
  }));
}
