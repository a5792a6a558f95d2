import type { Picture } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { Activity, Span } from "./activity.ts";

/** A call of a model; one of a tool, with the thought before it; a thought that led to none; or a picture. */
export interface Step extends Pick<
  Span,
  "id" | "taskId" | "attempt" | "start" | "end" | "tokens" | "arguments" | "error"
> {
  readonly isInterrupted?: true;
  readonly tool?: string;
  readonly model?: string;
  readonly thought?: string;
  readonly result?: string;
  readonly picture?: Picture["type"];
}

/** By time. Texts have at most 2,000 characters. */
export function stepsOf({ spans, marks }: Activity): readonly Step[] {
  const tools = spans.filter(({ kind }) => kind === "tool");
  const byId = new Map(spans.map((span) => [span.id, span]));
  const byParent = Map.groupBy(tools, ({ parentId }) => parentId);
  const thoughts = new Map<string, string>();
  // From the last one: of several thoughts, the one right before a call led to it.
  const others = marks.toReversed().flatMap((mark): Step[] => {
    const { id, parentId, at, name, thought, text, error, picture } = mark;
    const { taskId, attempt } = byId.get(parentId) ?? {};
    if (picture !== undefined)
      return [{ id, start: at, end: at, picture, ...defined({ taskId, attempt }) }];
    if (thought === undefined || thought.trim() === "") return [];
    // With a result, it is a whole step, as a callback reports it.
    const isWhole = text !== undefined || error !== undefined;
    const own = byParent.get(parentId) ?? [];
    while ((own.at(-2)?.start ?? -Infinity) >= at) own.pop();
    const next = own.at(-1);
    if (!isWhole && next !== undefined && next.start >= at && !thoughts.has(next.id)) {
      thoughts.set(next.id, thought);
      return [];
    }
    return [
      {
        ...{ id, start: at, end: at, thought },
        ...defined({ taskId, attempt, tool: name, arguments: mark.arguments, result: text, error }),
      },
    ];
  });
  const models = spans.filter(({ kind }) => kind === "model");
  const calls = [...tools, ...models].map((span): Step => {
    const { id, kind, name, taskId, attempt, start, end, text: result, error, state } = span;
    const thought = thoughts.get(id);
    const more = { taskId, attempt, end, thought, arguments: span.arguments, result, error };
    const interrupted = state === "interrupted" && { isInterrupted: true as const };
    const called = kind === "tool" ? { tool: name } : { model: name, tokens: span.tokens };
    return { id, start, ...interrupted, ...defined({ ...called, ...more }) };
  });
  return [...calls, ...others].sort((one, other) => one.start - other.start);
}
