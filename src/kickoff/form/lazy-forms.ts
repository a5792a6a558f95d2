import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { formType } from "../../editor/manifest.ts";
import type { Sending } from "../../sending/sending.ts";
import type { KickoffForms, KickoffFormsOptions } from "./forms.ts";
import { LastEditor } from "./last-editor.ts";

export interface LazyFormsOptions extends Omit<KickoffFormsOptions, "crews" | "sender" | "editor"> {
  readonly crews: Crews;
  readonly sending: Sending;
}

/** The kickoff forms, loaded when the first one is opened. */
export class LazyForms implements vscode.Disposable {
  readonly #options: LazyFormsOptions;
  readonly #owned = new Disposables();
  // Not with the forms, which are loaded after the editor lost focus.
  readonly #editor = this.#owned.add(new LastEditor());
  #loading: Promise<KickoffForms> | undefined;

  constructor(options: LazyFormsOptions) {
    this.#options = options;
    const { crews } = options;
    this.#owned.add(
      vscode.window.registerWebviewPanelSerializer(formType, {
        deserializeWebviewPanel: async (panel, state) => (await this.#load()).restore(panel, state),
      }),
    );
    this.#owned.add(
      crews.onDidRemove(({ id }) =>
        this.#leave(
          id,
          this.#load().then((forms) => forms.forget(id)),
        ),
      ),
    );
    this.#owned.add(
      crews.onDidReplace(({ from, to }) => {
        if (from.id === to.id) return;
        this.#leave(
          from.id,
          this.#load().then((forms) => forms.move(from, to)),
        );
      }),
    );
  }

  /** See {@link KickoffForms.open}. */
  async open(...request: Parameters<KickoffForms["open"]>): ReturnType<KickoffForms["open"]> {
    return await (await this.#load()).open(...request);
  }

  /** See {@link KickoffForms.showHint}. */
  async showHint(crew: Crew): Promise<void> {
    await (await this.#load()).showHint(crew);
  }

  /** See {@link KickoffForms.advise}. */
  async advise(): Promise<void> {
    // If they aren't loaded, no form is open.
    (await this.#loading)?.advise();
  }

  async closeAll(): Promise<void> {
    await (await this.#loading)?.closeAll();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #load(): Promise<KickoffForms> {
    return (this.#loading ??= this.#create());
  }

  async #create(): Promise<KickoffForms> {
    const [{ KickoffForms }, sender] = await Promise.all([
      import("./forms.ts"),
      this.#options.sending.kickoffSender(),
    ]);
    return this.#owned.add(new KickoffForms({ ...this.#options, sender, editor: this.#editor }));
  }

  #leave(crewId: string, change: Promise<void>): void {
    for (const done of [change, this.#forgetConsent(crewId)])
      void done.catch((error: unknown) =>
        logProblem("Updating kickoff forms after a crew changed", error),
      );
  }

  async #forgetConsent(crewId: string): Promise<void> {
    const { CallbackConsent } = await import("../callback-consent.ts");
    new CallbackConsent(this.#options.database).forget(crewId);
  }
}
