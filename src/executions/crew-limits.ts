import type { CrewApiError } from "../api/errors.ts";

/** Requests under way at once to one crew. */
const AT_ONCE = 4;

/** What holds for all executions of a crew together: requests under way, a wish to be left alone, a refused token. */
export class CrewLimits {
  readonly #underWay = new Map<string, number>();
  readonly #notBefore = new Map<string, number>();
  readonly #parked = new Map<string, CrewApiError>();

  /** The crews that refused their token, by id. */
  get parked(): ReadonlyMap<string, CrewApiError> {
    return this.#parked;
  }

  /** Whether one more request would be too many. */
  isFull(crewId: string): boolean {
    return (this.#underWay.get(crewId) ?? 0) >= AT_ONCE;
  }

  begin(crewId: string): void {
    this.#underWay.set(crewId, (this.#underWay.get(crewId) ?? 0) + 1);
  }

  end(crewId: string): void {
    this.#underWay.set(crewId, Math.max(0, (this.#underWay.get(crewId) ?? 0) - 1));
  }

  /** Until when the crew asked to be left alone, in milliseconds since 1970; 0 if it did not. */
  notBefore(crewId: string): number {
    return this.#notBefore.get(crewId) ?? 0;
  }

  /** The crew asked to be left alone (`Retry-After`). */
  leaveAlone(crewId: string, until: number): void {
    this.#notBefore.set(crewId, Math.max(until, this.notBefore(crewId)));
  }

  /** The crew refused the token. True if it had not before. */
  park(crewId: string, error: CrewApiError): boolean {
    const isNew = !this.#parked.has(crewId);
    if (isNew) {
      this.#parked.set(crewId, error);
    }
    return isNew;
  }

  /** Starts anew with a crew. True if it was parked. */
  release(crewId: string): boolean {
    this.#notBefore.delete(crewId);
    return this.#parked.delete(crewId);
  }
}
