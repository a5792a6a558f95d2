import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { TokenState } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import type { CurrentCircumstances } from "../circumstances.ts";

/** Delay, since activation reads no secret (ms). */
const tokenDelay = 5_000;

/** Which tokens the crews have on this machine, read soon while their rows are visible. */
export class CrewTokenStates implements vscode.Disposable {
  readonly #crews: Pick<Crews, "tokenState" | "onDidChangeToken">;
  readonly #circumstances: Pick<CurrentCircumstances, "connected">;
  readonly #clock: Clock;
  readonly #isVisible: () => boolean;
  readonly #states = new Map<string, TokenState>();
  readonly #readFrom: number;
  readonly #changed = new vscode.EventEmitter<readonly string[]>();
  readonly #subscription: vscode.Disposable;
  #cancel: (() => void) | undefined;
  /** Fires with crews' IDs. */
  readonly onDidChange = this.#changed.event;

  constructor(
    crews: Pick<Crews, "tokenState" | "onDidChangeToken">,
    circumstances: Pick<CurrentCircumstances, "connected">,
    clock: Clock,
    isVisible: () => boolean,
  ) {
    this.#crews = crews;
    this.#circumstances = circumstances;
    this.#clock = clock;
    this.#isVisible = isVisible;
    this.#readFrom = clock.now() + tokenDelay;
    this.#subscription = crews.onDidChangeToken(() => this.look());
  }

  /** Undefined until tokens are read. */
  of(crewId: string): TokenState | undefined {
    return this.#states.get(crewId);
  }

  /** Reads tokens soon, if the rows are visible. */
  look(): void {
    if (!this.#isVisible() || this.#cancel !== undefined) return;
    const delay = Math.max(0, this.#readFrom - this.#clock.now());
    this.#cancel = this.#clock.after(delay, () => {
      this.#cancel = undefined;
      this.#read().catch((error: unknown) => logProblem("Checking tokens", error));
    });
  }

  dispose(): void {
    this.#cancel?.();
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async #read(): Promise<void> {
    const changed: string[] = [];
    for (const id of this.#circumstances.connected.keys()) {
      const state = await this.#crews.tokenState(id);
      if (JSON.stringify(state) === JSON.stringify(this.#states.get(id))) continue;
      this.#states.set(id, state);
      changed.push(id);
    }
    if (changed.length > 0) this.#changed.fire(changed);
  }
}
