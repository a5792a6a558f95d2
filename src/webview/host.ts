import { config } from "@vscode/l10n";
import { type ComponentChild, render } from "preact";
import { handle, type Handlers, type Message } from "../base/protocol.ts";
import type { FromForm, SavedState } from "../kickoff/form/messages.ts";
import type { FromBatch } from "../views/batch/messages.ts";
import type { FromComparison, Sides } from "../views/comparison/messages.ts";
import type { FromPage } from "../views/page/messages.ts";
import type { FromTimeline, Look } from "../views/timeline/messages.ts";

/** What VS Code keeps of a part while it is hidden, and when the window reloads. */
interface Kept extends Partial<SavedState> {
  readonly folds: Readonly<Record<string, boolean>>;
  readonly scroll: number;
  readonly look?: Look;
  /** Of a comparison: local IDs. */
  readonly pair?: Sides<string>;
  /** Of the batches in a table: IDs. */
  readonly batches?: readonly string[];
  /** The last keystroke, until it is known to be stored: the extension may have crashed. */
  readonly unsaved?: Extract<FromPage, { readonly type: "draft" }> | undefined;
}

export type Sent = FromForm | FromPage | FromComparison | FromBatch | FromTimeline;

declare function acquireVsCodeApi(): {
  postMessage(message: Sent): void;
  setState(state: Kept): void;
  getState(): Kept | undefined;
};

const api = acquireVsCodeApi();
const place = document.querySelector("main") ?? document.body;
let kept: Kept = { folds: {}, scroll: 0, ...api.getState() };

// What is shown is translated by what the extension host wrote into the page.
const translations = place.dataset["l10n"];
if (translations !== undefined) config({ contents: translations });

export const host = {
  post: (message: Sent): void => api.postMessage(message),
  get kept(): Kept {
    return kept;
  },
  keep(change: Partial<Kept>): void {
    kept = { ...kept, ...change };
    api.setState(kept);
  },
  listen<To extends Message>(handlers: Handlers<To>): void {
    window.addEventListener("message", ({ data }: MessageEvent<To>) => handle(handlers, data));
    window.addEventListener("scroll", () => host.keep({ scroll: window.scrollY }), {
      passive: true,
    });
    host.post({ type: "ready" });
  },
};

/** Draws the part; the first time at the place to which it was scrolled. */
export function draw(content: ComponentChild): void {
  const isFirst = place.childElementCount === 0;
  render(content, place);
  if (isFirst) document.scrollingElement?.scrollTo({ top: kept.scroll });
}
