import type { TokenUsage } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { Span } from "./activity.ts";
import type { ExecutionSummary, ModelTokens, TaskSummary } from "./model.ts";

/** What an execution, a task or a span used. */
export interface TokenUse {
  readonly tokens: TokenUsage;
  /** Add up to `tokens`. Without a name: the rest, of which the model isn't known. */
  readonly models: readonly ModelTokens[];
}

/** As the crew reports it, or as its model calls add up to, whichever is more. Undefined if unknown. */
export function tokenUse({ usage, models = [] }: ExecutionSummary): TokenUse | undefined {
  return useOf(usage, models);
}

/** Of all attempts at a task. Undefined if unknown. */
export function taskTokenUse({ times }: TaskSummary): TokenUse | undefined {
  return useOf(times?.tokens, times?.models ?? []);
}

/** Of each span with all that is below it, by ID. @param spans each after its parent */
export function spanTokenUses(spans: readonly Span[]): ReadonlyMap<string, TokenUse> {
  const models = new Map<string, readonly ModelTokens[]>();
  const uses = new Map<string, TokenUse>();
  for (const span of spans.toReversed()) {
    const own = addUp([...modelTokens([span]), ...(models.get(span.id) ?? [])]);
    const use = useOf(span.tokens, own);
    if (use !== undefined) uses.set(span.id, use);
    if (span.parentId !== undefined)
      models.set(span.parentId, addUp([...own, ...(models.get(span.parentId) ?? [])]));
  }
  return uses;
}

/** Of the calls among these spans, by model. */
export function modelTokens(spans: readonly Span[]): readonly ModelTokens[] {
  return addUp(
    spans.flatMap(({ kind, name, tokens }) =>
      kind === "model" && tokens !== undefined ? [{ model: name, tokens }] : [],
    ),
  );
}

export function largerUsage(one: TokenUsage | undefined, other: TokenUsage | undefined) {
  return (one?.total ?? 0) >= (other?.total ?? 0) ? one : other;
}

export function sumOfTokens(one: TokenUsage | undefined, other: TokenUsage): TokenUsage {
  return one === undefined ? other : combined(one, other, (a, b) => a + b);
}

function addUp(all: readonly ModelTokens[]): readonly ModelTokens[] {
  const sums = new Map<string | undefined, ModelTokens>();
  for (const { model, tokens } of all)
    sums.set(model, {
      ...defined({ model }),
      tokens: sumOfTokens(sums.get(model)?.tokens, tokens),
    });
  return [...sums.values()];
}

function useOf(
  reported: TokenUsage | undefined,
  models: readonly ModelTokens[],
): TokenUse | undefined {
  const known = models.reduce<TokenUsage | undefined>(
    (sum, { tokens }) => sumOfTokens(sum, tokens),
    undefined,
  );
  const tokens = largerUsage(reported, known);
  if (tokens === undefined) return undefined;
  if (known === undefined) return { tokens, models: [{ tokens }] };
  const [first, ...others] = models;
  if (first !== undefined && others.length === 0) return { tokens, models: [{ ...first, tokens }] };
  if (tokens.total === known.total) return { tokens, models };
  const rest = combined(tokens, known, (all, part) => Math.max(0, all - part));
  return { tokens, models: [...models, { tokens: rest }] };
}

function combined(
  one: TokenUsage,
  other: TokenUsage,
  combine: (one: number, other: number) => number,
): TokenUsage {
  const of = (name: "prompt" | "completion" | "cached") =>
    one[name] === undefined && other[name] === undefined
      ? undefined
      : combine(one[name] ?? 0, other[name] ?? 0);
  return {
    total: combine(one.total, other.total),
    ...defined({ prompt: of("prompt"), completion: of("completion"), cached: of("cached") }),
  };
}
