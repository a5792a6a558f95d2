import { asArray } from "../base/json.ts";
import { crewValues } from "../store/crew-values.ts";
import type { Database } from "../store/database.ts";

/** The hosts to which a person allowed to send answers to a crew's flows. */
export class AnswerHosts {
  readonly #hosts;

  constructor(database: Database) {
    // If they can't be read, the person is asked again.
    this.#hosts = crewValues(database, "answer hosts", asArray, () => undefined);
  }

  has(crewId: string, host: string): boolean {
    return this.#hosts.get(crewId)?.includes(host) ?? false;
  }

  add(crewId: string, host: string): void {
    this.#hosts.change(crewId, (before = []) => [...new Set([...before, host])]);
  }
}
