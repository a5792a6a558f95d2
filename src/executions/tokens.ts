import type { TokenUsage } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { type Price, priceOf } from "../base/prices.ts";
import type { Span } from "./activity.ts";
import type { ExecutionSummary, ModelTokens, TaskSummary } from "./model.ts";

export { type Price, priceOf, readPrices } from "../base/prices.ts";

export interface TokenUse {
  readonly tokens: TokenUsage;
  /** Add up to `tokens`. Without a name: the rest, of which the model isn't known. */
  readonly models: readonly ModelTokens[];
}

/** As the crew reports it, or as its model calls add up to, whichever is more. Undefined if unknown. */
export function tokenUse({ usage, models = [] }: ExecutionSummary): TokenUse | undefined {
  return useOf(usage, models);
}

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

export function sumOfTokens(all: readonly (TokenUsage | undefined)[]): TokenUsage | undefined {
  const [first, ...others] = all.filter((each) => each !== undefined);
  return first && others.reduce((sum, each) => combined(sum, each, (a, b) => a + b), first);
}

function addUp(all: readonly ModelTokens[]): readonly ModelTokens[] {
  return [...Map.groupBy(all, ({ model }) => model)].flatMap(([model, own]) => {
    const tokens = sumOfTokens(own.map((each) => each.tokens));
    return tokens === undefined ? [] : { ...defined({ model }), tokens };
  });
}

function useOf(reported: TokenUsage | undefined, models: readonly ModelTokens[]) {
  const known = sumOfTokens(models.map(({ tokens }) => tokens));
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

/** An estimate: providers also have discounts, and prices of their own for cached and other tokens. */
export interface Cost {
  readonly amount: number;
  /** Tokens that are not in it, because they have no price. */
  readonly unpriced: number;
}

export function costOf(use: TokenUse | undefined, prices: readonly Price[]): Cost | undefined {
  if (use === undefined || prices.length === 0) return undefined;
  const parts = use.models.map(({ model, tokens: { total, prompt, completion } }) => {
    const price = priceOf(model, prices);
    const isSplit = prompt !== undefined || completion !== undefined;
    if (price === undefined || (!isSplit && price.input !== price.output))
      return { amount: undefined, unpriced: total };
    const [input, output] = isSplit ? [prompt ?? 0, completion ?? 0] : [total, 0];
    return { amount: (input * price.input + output * price.output) / 1e6, unpriced: 0 };
  });
  if (parts.every(({ amount }) => amount === undefined)) return undefined;
  return {
    amount: parts.reduce((sum, { amount = 0 }) => sum + amount, 0),
    unpriced: parts.reduce((sum, { unpriced }) => sum + unpriced, 0),
  };
}
