import * as l10n from "@vscode/l10n";
import type { TokenUsage } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { costOf, type Price } from "../executions/prices.ts";
import { taskTokenUse, tokenUse, type TokenUse } from "../executions/tokens.ts";
import { formatAmount } from "./words.ts";

interface TokenShare {
  /** Of a task or a model. Undefined for a model that isn't known. */
  readonly name?: string;
  readonly tokens: TokenUsage;
  /** Undefined without prices. */
  readonly cost?: string;
}

/** Who used how many tokens. */
export interface TokensView {
  readonly byTask: readonly TokenShare[];
  /** Empty if no model is known. */
  readonly byModel: readonly TokenShare[];
}

/** Undefined if unknown. */
export function tokensOf(
  execution: ExecutionSummary,
  prices: readonly Price[],
): TokensView | undefined {
  const use = tokenUse(execution);
  if (use === undefined) return undefined;
  const share = (name: string | undefined, own: TokenUse): TokenShare => ({
    tokens: own.tokens,
    ...defined({ name, cost: prices.length > 0 ? costText(own, prices) : undefined }),
  });
  const hasModel = use.models.some(({ model }) => model !== undefined);
  return {
    byTask: execution.tasks.flatMap((task) => {
      const own = taskTokenUse(task);
      return own === undefined ? [] : [share(task.taskId, own)];
    }),
    byModel: hasModel
      ? use.models.map((each) => share(each.model, { tokens: each.tokens, models: [each] }))
      : [],
  };
}

function costText(use: TokenUse, prices: readonly Price[]): string {
  const cost = costOf(use, prices);
  if (cost === undefined) return l10n.t("no price");
  const amount = formatAmount(cost);
  return cost.unpriced === 0 ? amount : l10n.t("more than {0}", amount);
}
