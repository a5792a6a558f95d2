import * as vscode from "vscode";
import { batchType } from "../../editor/manifest.ts";
import type { BatchParts, OpenBatch } from "./open-batch.ts";

/** All open tables of batches. The code of one is loaded when it is first shown. */
export class BatchTables implements vscode.Disposable {
  readonly #parts: BatchParts;
  readonly #open = new Set<OpenBatch>();
  readonly #registration: vscode.Disposable;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    this.#registration = vscode.window.registerWebviewPanelSerializer(batchType, {
      deserializeWebviewPanel: async (tab, state) => {
        const { OpenBatch, savedBatches } = await import("./open-batch.ts");
        const ids = savedBatches(state);
        if (ids.length === 0) tab.dispose();
        else this.#add(new OpenBatch(tab, ids, this.#parts));
      },
    });
  }

  /** In the tab that shows only this batch, or in a new one. */
  async open(id: string, name: string): Promise<void> {
    const { OpenBatch } = await import("./open-batch.ts");
    const known = [...this.#open].find(({ ids }) => ids.length === 1 && ids[0] === id);
    if (known !== undefined) {
      known.tab.reveal();
      return;
    }
    const tab = vscode.window.createWebviewPanel(batchType, name, vscode.ViewColumn.Active, {
      enableFindWidget: true,
    });
    this.#add(new OpenBatch(tab, [id], this.#parts));
  }

  #add(table: OpenBatch): void {
    this.#open.add(table);
    table.tab.onDidDispose(() => this.#open.delete(table));
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
