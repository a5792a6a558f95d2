import * as l10n from "@vscode/l10n";
import type { ExecutionSummary } from "../../executions/model.ts";
import { costOf, type Price } from "../../executions/prices.ts";
import { taskTokenUse, tokenUse, type TokenUse } from "../../executions/tokens.ts";
import { formatAmount, formatCount, present, useLabels } from "../labels.ts";
import { cellText, tableLines } from "./markdown.ts";
import type { Part } from "./sections.ts";

type Row = readonly [name: string, use: TokenUse];

/** Undefined if unknown. */
export function tokensPart(
  execution: ExecutionSummary,
  prices: readonly Price[],
): Part | undefined {
  const use = tokenUse(execution);
  if (use === undefined) return undefined;
  const tasks = execution.tasks.flatMap((task): Row[] => {
    const own = taskTokenUse(task);
    return own === undefined ? [] : [[cellText(task.taskId), own]];
  });
  const hasModel = use.models.some(({ model }) => model !== undefined);
  const models = use.models.map(({ model, tokens }): Row => [
    model === undefined ? `*${l10n.t("not known")}*` : cellText(model),
    { tokens, models: [{ ...(model !== undefined && { model }), tokens }] },
  ]);
  return {
    id: "tokens",
    lines: [`## ${l10n.t("Tokens")}`, "", useLabels(use, prices).join(" · ")],
    parts: present<Part>(
      tasks.length > 1 && {
        id: "tokens by task",
        lines: tokenTable(l10n.t("Task"), tasks, prices),
      },
      hasModel && { id: "tokens by model", lines: tokenTable(l10n.t("Model"), models, prices) },
    ),
  };
}

function tokenTable(of: string, rows: readonly Row[], prices: readonly Price[]): string[] {
  const isPriced = prices.length > 0;
  const count = (tokens?: number) => (tokens === undefined ? "" : formatCount(tokens));
  return tableLines([
    present(
      of,
      l10n.t("Tokens"),
      l10n.t("In"),
      l10n.t("Out"),
      isPriced && l10n.t("Estimated cost"),
    ),
    ...rows.map(([name, use]) => [
      name,
      ...[use.tokens.total, use.tokens.prompt, use.tokens.completion].map(count),
      ...(isPriced ? [costCell(use, prices)] : []),
    ]),
  ]);
}

function costCell(use: TokenUse, prices: readonly Price[]): string {
  const cost = costOf(use, prices);
  if (cost === undefined) return l10n.t("no price");
  const amount = formatAmount(cost);
  return cost.unpriced === 0 ? amount : l10n.t("more than {0}", amount);
}
