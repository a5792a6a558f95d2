import * as vscode from "vscode";
import { firstOfEach } from "../../base/json.ts";
import { oneLine } from "../../base/text.ts";
import { plainLabel } from "../../editor/messages.ts";
import { Panel } from "../../editor/panel.ts";
import { type ExecutionSummary, hasEnded, targetOf } from "../../executions/model.ts";
import type { Batches } from "../../sending/batches.ts";
import { formatTime } from "../../view/words.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import type { ComparisonParts } from "../comparison/open-comparison.ts";
import { fromBatch, type FromBatch, type ToBatch } from "./messages.ts";
import { batchCsv, batchView } from "./model.ts";

export { savedBatches } from "./messages.ts";

export interface BatchParts extends ComparisonParts {
  readonly batches: Batches;
  readonly circumstances: Pick<CurrentCircumstances, "of" | "prices" | "onDidChange">;
}

export class OpenBatch {
  readonly tab: vscode.WebviewPanel;
  readonly #panel: Panel<FromBatch, ToBatch>;
  readonly #parts: BatchParts;
  #ids: readonly string[];
  /** Beginnings of the outputs of ended executions, by local ID. */
  readonly #outputs = new Map<string, string>();

  constructor(tab: vscode.WebviewPanel, ids: readonly string[], parts: BatchParts) {
    this.tab = tab;
    this.#ids = ids;
    this.#parts = parts;
    const { clock, extension, ready, store, circumstances, batches, act } = parts;
    this.#panel = new Panel(tab, {
      ...{ part: "batch", title: tab.title, clock, extension, ready },
      messages: fromBatch,
      on: {
        ready: () => this.#panel.begin(),
        open: async ({ localId }) => {
          const execution = store.summary(localId);
          if (execution) await act("openExecution", targetOf(execution));
        },
        stop: ({ id }) => batches.stop(id),
        goOn: ({ id }) => batches.goOn(id),
        compare: () => this.#compare(),
        export: () => this.#export(),
      },
      view: () => this.#view(),
    });
    const isOurs = ({ batch }: ExecutionSummary) => batch && this.#ids.includes(batch.id);
    this.#panel.own(
      store.onDidChange(({ added, changed, removed }) => {
        if ([...added, ...changed, ...removed].some(isOurs)) this.#panel.changed();
      }),
    );
    this.#panel.own(batches.onDidChange(() => this.#panel.changed()));
    this.#panel.own(circumstances.onDidChange(() => this.#panel.changed()));
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  get localIds(): readonly string[] {
    return this.#ids.flatMap((id) => this.#of(id).map(({ localId }) => localId));
  }

  #view(): ToBatch {
    const { batches, circumstances, clock } = this.#parts;
    const view = batchView({
      batches: this.#ids.map((id) => ({ id, executions: this.#of(id), left: batches.find(id) })),
      hasOthers: this.#others().length > 0,
      circumstancesOf: (execution) => circumstances.of(execution),
      outputOf: (execution) => this.#outputOf(execution),
    });
    return { type: "show", view, ids: this.#ids, now: clock.now() };
  }

  #of(id: string): readonly ExecutionSummary[] {
    return this.#parts.store.list().filter(({ batch }) => batch?.id === id);
  }

  #outputOf(execution: ExecutionSummary): string {
    const { localId, error = "" } = execution;
    if (!hasEnded(execution)) return "";
    const known = this.#outputs.get(localId);
    if (known !== undefined) return known;
    const output = oneLine(this.#parts.store.find(localId)?.output ?? error, 200);
    this.#outputs.set(localId, output);
    return output;
  }

  #others(): readonly ExecutionSummary[] {
    const all = this.#parts.store
      .list()
      .filter(({ batch }) => batch && !this.#ids.includes(batch.id));
    return firstOfEach(all, ({ batch }) => batch?.id ?? "");
  }

  async #compare(): Promise<void> {
    const items = this.#others().flatMap(({ batch, crew, startedAt }) =>
      batch
        ? [
            {
              label: plainLabel(batch.name),
              description: plainLabel(crew.name),
              detail: formatTime(startedAt),
              batch,
            },
          ]
        : [],
    );
    const placeHolder = vscode.l10n.t("Compare with which batch?");
    const chosen = await vscode.window.showQuickPick(items, { placeHolder });
    if (!chosen) return;
    this.#ids = [...this.#ids, chosen.batch.id];
    this.#panel.show();
  }

  async #export(): Promise<void> {
    const { store, circumstances } = this.#parts;
    const all = this.#ids.flatMap((id) =>
      this.#of(id).flatMap(({ localId }) => store.find(localId) ?? []),
    );
    const content = batchCsv(all, circumstances.prices);
    const document = await vscode.workspace.openTextDocument({ content, language: "csv" });
    await vscode.window.showTextDocument(document);
  }
}
