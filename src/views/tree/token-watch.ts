import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { TokenState } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";

/** Milliseconds after the start before tokens are looked for: activation reads no secret. */
const tokensAfter = 5_000;

/** What {@link TokenWatch} needs. */
export interface TokenWatchOptions {
  readonly crews: Pick<Crews, "list" | "tokenState">;
  readonly clock: Clock;
  /** Whether the rows can be seen; nothing is read otherwise. */
  readonly isSeen: () => boolean;
  /** The ids of crews of whose tokens something else is known now. */
  readonly changed: (crewIds: readonly string[]) => void;
}

/** Knows for the rows which tokens each crew has, and never a token. */
export class TokenWatch {
  readonly #options: TokenWatchOptions;
  readonly #known = new Map<string, TokenState>();
  readonly #mayReadAt: number;
  #stop: (() => void) | undefined;

  constructor(options: TokenWatchOptions) {
    this.#options = options;
    this.#mayReadAt = options.clock.now() + tokensAfter;
  }

  /** What was last read of a crew; nothing before that. */
  of(crewId: string): TokenState | undefined {
    return this.#known.get(crewId);
  }

  /** Something may have changed: looks again soon, and not more than once at a time. */
  look(): void {
    const { clock, isSeen } = this.#options;
    if (!isSeen() || this.#stop !== undefined) return;
    this.#stop = clock.after(Math.max(0, this.#mayReadAt - clock.now()), () => {
      this.#stop = undefined;
      this.#read().catch((error: unknown) => logProblem("Looking for tokens", error));
    });
  }

  dispose(): void {
    this.#stop?.();
  }

  async #read(): Promise<void> {
    const { crews, changed } = this.#options;
    const changes: string[] = [];
    for (const { id } of crews.list()) {
      const state = await crews.tokenState(id);
      if (JSON.stringify(state) === JSON.stringify(this.#known.get(id))) continue;
      this.#known.set(id, state);
      changes.push(id);
    }
    if (changes.length > 0) changed(changes);
  }
}
