import type { Look } from "../../views/timeline/messages.ts";
import type { FromPage } from "../../views/page/messages.ts";

/** What VS Code keeps of a page while it is hidden, and when the window reloads. */
interface Kept {
  /** Folds that a person opened or closed. */
  readonly folds: Readonly<Record<string, boolean>>;
  readonly scroll: number;
  /** How the timeline is looked at. */
  readonly look?: Look;
  /** The last keystroke, until it is known to be stored: the extension may have crashed. */
  readonly unsaved?: Extract<FromPage, { readonly type: "draft" }> | undefined;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  setState(state: Kept): void;
  getState(): Kept | undefined;
};

const api = acquireVsCodeApi();
let kept: Kept = api.getState() ?? { folds: {}, scroll: 0 };

export const host = {
  post: (message: FromPage): void => api.postMessage(message),
  get kept(): Kept {
    return kept;
  },
  keep(change: Partial<Kept>): void {
    kept = { ...kept, ...change };
    api.setState(kept);
  },
};
