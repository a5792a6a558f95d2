import type { FormField } from "../kickoff/form/fields.ts";
import { keptDraft } from "../kickoff/form/secrets.ts";
import type { Draft, FormCrew, FromForm, SavedState } from "../kickoff/form/messages.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: FromForm): void;
  /** VS Code keeps the state while the page is hidden or moved, and when the window reloads. */
  setState(state: SavedState): void;
  getState(): SavedState | undefined;
};

export class Host {
  readonly #api = acquireVsCodeApi();

  readonly post = (message: FromForm): void => this.#api.postMessage(message);

  /** The draft of an earlier page of this panel. The extension host validates it. */
  get keptDraft(): Draft | undefined {
    return this.#api.getState()?.draft;
  }

  keepCrew({ id, name }: FormCrew): void {
    this.#api.setState({ ...this.#api.getState(), crew: id, name });
  }

  /** Keeps the form without its secrets, because VS Code writes the state to disk. No draft: nothing was typed. */
  keep({ id, name }: FormCrew, fields: readonly FormField[], draft?: Draft): void {
    this.#api.setState({ crew: id, name, fields, ...(draft && { draft: keptDraft(draft) }) });
  }
}
