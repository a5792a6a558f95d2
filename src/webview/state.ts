import type { FormField } from "../kickoff/fields.ts";
import { keptDraft } from "../kickoff/kept-values.ts";
import type { Draft, FormCrew, FromForm, SavedState } from "../kickoff/messages.ts";

/** VS Code's side of a webview, as it is given to its script. */
interface Host {
  postMessage(message: FromForm): void;
  /** Kept by VS Code while the page is hidden, moved, or the window is reloaded. */
  setState(state: SavedState): void;
  getState(): SavedState | undefined;
}

declare function acquireVsCodeApi(): Host;

/** The page's way to the extension host, and what it keeps for the case that it is thrown away. */
export class Outside {
  readonly #host = acquireVsCodeApi();

  post(message: FromForm): void {
    this.#host.postMessage(message);
  }

  /** What an earlier page of this panel kept. The extension host checks it. */
  get keptDraft(): Draft | undefined {
    return this.#host.getState()?.draft;
  }

  /** Keeps whose form this is; what was kept of it before stays. */
  keepCrew({ id, name }: FormCrew): void {
    this.#host.setState({ ...this.#host.getState(), crew: id, name });
  }

  /** Keeps a whole form but for its secrets, since VS Code writes it to disk; without a draft, that nobody typed anything. */
  keep({ id, name }: FormCrew, fields: readonly FormField[], draft?: Draft): void {
    this.#host.setState({ crew: id, name, fields, ...(draft && { draft: keptDraft(draft) }) });
  }
}
