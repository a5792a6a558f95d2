import { isAlive, type Intents } from "../sending/sends.ts";
import { ofCrew } from "../executions/notified.ts";

/** Sees to it that one window asks for a crew's other token, whichever of them hears that the old one is refused. */
export class TokenPrompts {
  readonly #told: Pick<Intents, "all" | "claim" | "release">;
  /** Crews that refuse their token as far as this window knows, by id. */
  readonly #refusing = new Set<string>();
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(told: Pick<Intents, "all" | "claim" | "release">) {
    this.#told = told;
  }

  /**
   * A crew refuses its token. Whether this window is to ask for another one: not if one that is still open has asked.
   * @throws what the file system throws
   */
  async begin(crewId: string): Promise<boolean> {
    this.#refusing.add(crewId);
    const key = keyOf(crewId);
    return await this.#inTurn(crewId, async () => {
      if (await this.#told.claim(key, {})) return true;
      const earlier = (await this.#told.all()).find((intent) => intent.key === key);
      if (earlier === undefined || isAlive(earlier)) return false;
      // Its question went away with its window.
      await this.#told.release(key);
      return await this.#told.claim(key, {});
    });
  }

  /**
   * Only these crews refuse their token now: a new refusal of the others is to be asked about again.
   * @throws what the file system throws
   */
  async keep(parked: ReadonlyMap<string, unknown>): Promise<void> {
    const ended = [...this.#refusing].filter((crewId) => !parked.has(crewId));
    for (const crewId of ended) this.#refusing.delete(crewId);
    await Promise.all(
      ended.map((crewId) => this.#inTurn(crewId, () => this.#told.release(keyOf(crewId)))),
    );
  }

  /** A question and its end in the order they came in. */
  async #inTurn<T>(crewId: string, action: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(crewId) ?? Promise.resolve()).then(action, action);
    this.#turns.set(crewId, turn);
    return await turn;
  }
}

function keyOf(crewId: string): string {
  return `${ofCrew}token-${crewId}`;
}
