import { comparisonType } from "../../editor/manifest.ts";
import { PageTabs } from "../../editor/page-tabs.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { Sides } from "./messages.ts";
import type { ComparisonParts, OpenComparison } from "./open-comparison.ts";

const load = () => import("./open-comparison.ts");

export class Comparisons extends PageTabs<OpenComparison> {
  readonly #parts: ComparisonParts;

  constructor(parts: ComparisonParts) {
    super(comparisonType, async (tab, state) => {
      const { OpenComparison, savedPair } = await load();
      const pair = savedPair(state);
      return pair && new OpenComparison(tab, pair, parts);
    });
    this.#parts = parts;
  }

  async openPair(executions: Sides<ExecutionSummary>): Promise<void> {
    const { comparisonTitle, OpenComparison } = await load();
    const pair = { left: executions.left.localId, right: executions.right.localId };
    const known = this.find(
      ({ localIds }) => localIds.includes(pair.left) && localIds.includes(pair.right),
    );
    if (known !== undefined) known.show(pair);
    else
      this.open(comparisonTitle(executions), (tab) => new OpenComparison(tab, pair, this.#parts));
  }
}
