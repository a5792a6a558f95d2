import type { FromComparison, Sides } from "../../views/comparison/messages.ts";
import type { FromPage } from "../../views/page/messages.ts";
import type { Period } from "../../views/timeline/axis.ts";
import type { Look } from "../../views/timeline/messages.ts";

/** What VS Code keeps of a page or a comparison while it is hidden, and when the window reloads. */
interface Kept {
  /** Folds that a person opened or closed. */
  readonly folds: Readonly<Record<string, boolean>>;
  readonly scroll: number;
  /** How the timeline is looked at. */
  readonly look?: Look;
  /** Of a comparison: local IDs, and how both timelines are looked at. */
  readonly pair?: Sides<string>;
  readonly looks?: Partial<Sides<Look>>;
  readonly zoom?: Period | undefined;
  /** The last keystroke, until it is known to be stored: the extension may have crashed. */
  readonly unsaved?: Extract<FromPage, { readonly type: "draft" }> | undefined;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage | FromComparison): void;
  setState(state: Kept): void;
  getState(): Kept | undefined;
};

const api = acquireVsCodeApi();
let kept: Kept = api.getState() ?? { folds: {}, scroll: 0 };

export const host = {
  post: (message: FromPage | FromComparison): void => api.postMessage(message),
  get kept(): Kept {
    return kept;
  },
  keep(change: Partial<Kept>): void {
    kept = { ...kept, ...change };
    api.setState(kept);
  },
};
