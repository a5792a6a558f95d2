import { batchType } from "../../editor/manifest.ts";
import { PageTabs } from "../../editor/page-tabs.ts";
import type { BatchParts, OpenBatch } from "./open-batch.ts";

const load = () => import("./open-batch.ts");

export class BatchTables extends PageTabs<OpenBatch> {
  readonly #parts: BatchParts;

  constructor(parts: BatchParts) {
    super(batchType, async (tab, state) => {
      const { OpenBatch, savedBatches } = await load();
      const ids = savedBatches(state);
      return ids.length === 0 ? undefined : new OpenBatch(tab, ids, parts);
    });
    this.#parts = parts;
  }

  /** In the tab that shows only these batches, or in a new one. */
  async openBatches(batches: readonly string[], name: string): Promise<void> {
    const { OpenBatch } = await load();
    const known = this.find(({ ids }) => ids.join() === batches.join());
    if (known !== undefined) known.tab.reveal();
    else this.open(name, (tab) => new OpenBatch(tab, batches, this.#parts));
  }
}
