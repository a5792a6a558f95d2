import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew, TokenState } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";

/** Delay, since activation reads no secret (ms). */
const tokenDelay = 5_000;

export class CrewWatch implements vscode.Disposable {
  readonly #crews: Pick<Crews, "list" | "tokenState">;
  readonly #clock: Clock;
  readonly #isVisible: () => boolean;
  readonly #tokens = new Map<string, TokenState>();
  readonly #tokensFrom: number;
  readonly #changed = new vscode.EventEmitter<readonly string[] | undefined>();
  readonly #subscription: vscode.Disposable;
  /** By ID; cached, since the list reads the settings. */
  #connected: ReadonlyMap<string, Crew> | undefined;
  #cancel: (() => void) | undefined;
  /** Fires with crews' IDs if tokens changed, or undefined if the crews changed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    crews: Pick<Crews, "list" | "tokenState" | "onDidChange" | "onDidChangeToken">,
    clock: Clock,
    isVisible: () => boolean,
  ) {
    this.#crews = crews;
    this.#clock = clock;
    this.#isVisible = isVisible;
    this.#tokensFrom = clock.now() + tokenDelay;
    this.#subscription = vscode.Disposable.from(
      this.#changed,
      crews.onDidChange(() => {
        this.#connected = undefined;
        this.#changed.fire(undefined);
        this.look();
      }),
      crews.onDidChangeToken(() => this.look()),
    );
  }

  get connected(): ReadonlyMap<string, Crew> {
    this.#connected ??= new Map(this.#crews.list().map((crew) => [crew.id, crew]));
    return this.#connected;
  }

  /** Undefined until tokens are read. */
  tokensOf(crewId: string): TokenState | undefined {
    return this.#tokens.get(crewId);
  }

  /** Reads tokens soon, if the rows are visible. */
  look(): void {
    if (!this.#isVisible() || this.#cancel !== undefined) return;
    const delay = Math.max(0, this.#tokensFrom - this.#clock.now());
    this.#cancel = this.#clock.after(delay, () => {
      this.#cancel = undefined;
      this.#readTokens().catch((error: unknown) => logProblem("Checking tokens", error));
    });
  }

  dispose(): void {
    this.#cancel?.();
    this.#subscription.dispose();
  }

  async #readTokens(): Promise<void> {
    const changed: string[] = [];
    for (const id of this.connected.keys()) {
      const state = await this.#crews.tokenState(id);
      if (JSON.stringify(state) === JSON.stringify(this.#tokens.get(id))) continue;
      this.#tokens.set(id, state);
      changed.push(id);
    }
    if (changed.length > 0) this.#changed.fire(changed);
  }
}
