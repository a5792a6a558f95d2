import * as l10n from "@vscode/l10n";
import { csvOf } from "../../base/csv.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import { wholeTime } from "../../executions/times.ts";
import { costOf, type Price, sumOfTokens, tokenUse } from "../../executions/tokens.ts";
import type { Batch } from "../../sending/batches.ts";
import type { Circumstances } from "../../view/actions.ts";
import { briefOf } from "../../view/brief.ts";
import { formatAmount, formatCount, formatSpan, present, stateName } from "../../view/words.ts";

export type BatchView = ReturnType<typeof batchView>;
export type CellView = ReturnType<typeof cellOf>;
export type ColumnView = ReturnType<typeof columnOf>;

interface KnownBatch {
  readonly id: string;
  readonly executions: readonly ExecutionSummary[];
  readonly left: Batch | undefined;
}

export interface Shown {
  readonly batches: readonly KnownBatch[];
  readonly hasOthers: boolean;
  readonly circumstancesOf: (execution: ExecutionSummary) => Circumstances;
  readonly outputOf: (execution: ExecutionSummary) => string;
}

/** Batches are compared by the labels of their rows. A row has a cell for each batch, null if it has none. */
export function batchView({ batches, hasOthers, circumstancesOf, outputOf }: Shown) {
  const labels = new Map<string, number>();
  const cells = batches.map(({ executions, left }) => {
    const byLabel = new Map<string, CellView | null>();
    const ordered = [
      ...executions.flatMap((execution) =>
        execution.batch ? [{ ...execution.batch, execution }] : [],
      ),
      ...(left?.left ?? []).map((one) => ({ ...one, execution: undefined })),
    ].toSorted((one, other) => one.row - other.row);
    for (const { row, label, execution } of ordered) {
      // Two rows may have the same label.
      let key = label;
      for (let number = 2; byLabel.has(key); number += 1) key = `${label} (${number})`;
      labels.set(key, Math.min(row, labels.get(key) ?? row));
      byLabel.set(
        key,
        execution ? cellOf(execution, circumstancesOf(execution), outputOf(execution)) : null,
      );
    }
    return byLabel;
  });
  const rows = [...labels].toSorted(([, one], [, other]) => one - other);
  return {
    crew: batches[0]?.executions[0]?.crew.name ?? "",
    columns: batches.map((batch) => columnOf(batch, circumstancesOf)),
    rows: rows.map(([label]) => ({ label, cells: cells.map((each) => each.get(label) ?? null) })),
    hasOthers,
  };
}

/** One that has completed, and isn't as its test expects, is shown as failed. */
function cellOf(execution: ExecutionSummary, circumstances: Circumstances, output: string) {
  const { state, label, elapsed } = briefOf(execution, circumstances);
  const { test } = execution;
  const isTested = test !== undefined && state === "completed";
  const isPassed = test?.state === "passed";
  const use = tokenUse(execution);
  const cost = costOf(use, circumstances.prices ?? []);
  return {
    ...{ localId: execution.localId, output },
    state: isTested && !isPassed ? ("failed" as const) : state,
    label: !isTested ? label : isPassed ? l10n.t("Passed") : l10n.t("Not passed"),
    ...(elapsed !== undefined && { elapsed }),
    tokens: use === undefined ? "" : formatCount(use.tokens.total),
    cost: cost === undefined ? "" : formatAmount(cost),
    grade: test?.grade === undefined ? "" : l10n.t("{0} of 10", test.grade),
    failures: test?.failures ?? [],
  };
}

function columnOf({ id, executions, left }: KnownBatch, circumstancesOf: Shown["circumstancesOf"]) {
  const states = Map.groupBy(executions, ({ state }) => state);
  const times = executions.flatMap((each) => wholeTime(each)?.seconds ?? []);
  const mean = times.reduce((sum, seconds) => sum + seconds, 0) / times.length;
  const [first] = executions;
  const tests = executions.flatMap(({ test }) => test ?? []);
  const passed = tests.filter(({ state }) => state === "passed").length;
  const grades = tests.flatMap(({ grade }) => grade ?? []);
  const grade = grades.reduce((sum, each) => sum + each, 0) / grades.length;
  return {
    ...{ id, name: first?.batch?.name ?? left?.name ?? "" },
    sum: present(
      ...[...states].map(([state, all]) => `${stateName(state)}: ${all.length}`),
      tests.length > 0 && l10n.t("{0} of {1} tests passed", passed, tests.length),
      grades.length > 0 && l10n.t("{0} of 10 on average", Math.round(grade * 10) / 10),
      useSum(executions, first ? circumstancesOf(first).prices : undefined),
      times.length > 0 && l10n.t("{0} on average", formatSpan(mean * 1000)),
    ).join(" · "),
    left: left?.left.length ?? 0,
    isSending: left?.isSending === true,
    problem: left?.problem,
  };
}

/** Tokens and cost of all. Undefined if none is known. */
export function useSum(executions: readonly ExecutionSummary[], prices: readonly Price[] = []) {
  const uses = executions.flatMap((each) => tokenUse(each) ?? []);
  const tokens = sumOfTokens(uses.map((use) => use.tokens));
  const cost = costOf(tokens && { tokens, models: uses.flatMap(({ models }) => models) }, prices);
  return (
    tokens &&
    present(l10n.t("{0} tokens", formatCount(tokens.total)), cost && formatAmount(cost)).join(", ")
  );
}

/** A line for each execution in the order of the rows, with its inputs and its whole output. */
export function batchCsv(executions: readonly Execution[], prices: readonly Price[]): string {
  const inputs = [
    ...new Set(executions.flatMap(({ request }) => Object.keys(request?.inputs ?? {}))),
  ];
  const figures = ["seconds", "tokens", "cost", "test", "grade", "failures"];
  const head = ["batch", "label", ...inputs, "state", ...figures, "output"];
  const rowOf = ({ batch }: Execution) => batch?.row ?? 0;
  const ordered = executions.toSorted((one, other) => rowOf(one) - rowOf(other));
  const lines = ordered.map((execution) => {
    const { batch, request, state, test, output = "" } = execution;
    const use = tokenUse(execution);
    const values = inputs.map((name) => {
      const value = request?.inputs[name] ?? "";
      return typeof value === "string" ? value : JSON.stringify(value);
    });
    const known = [
      ...[wholeTime(execution)?.seconds, use?.tokens.total, costOf(use, prices)?.amount],
      ...[test?.state, test?.grade, test?.failures.join("\n")],
    ];
    const named = [batch?.name ?? "", batch?.label ?? ""];
    return [...named, ...values, state, ...known.map((each) => String(each ?? "")), output];
  });
  return csvOf([head, ...lines]);
}
