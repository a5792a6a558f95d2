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

  /** Keeps whose form this is, and what is typed in it; without a draft, the one kept before stays. */
  keep(crew: FormCrew, draft: Draft | undefined = this.keptDraft): void {
    this.#host.setState({ crew: crew.id, name: crew.name, ...(draft === undefined ? {} : { draft }) });
  }

  /** Keeps whose form this is, and that nothing is typed. */
  keepNothing(crew: FormCrew): void {
    this.#host.setState({ crew: crew.id, name: crew.name });
  }
}
