import type * as vscode from "vscode";
import type { StatusPath } from "../api/types.ts";

/** Where they are kept in VS Code's global state. */
export const statusPathsKey = "crewdeck.statusPaths";

/** Which of the two status paths each crew answered, kept over restarts so that a crew is asked by the right one at once. */
export class StatusPaths {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  read(crewId: string): StatusPath | undefined {
    const path = this.#all()[crewId];
    return path === "/{kickoff_id}/status" || path === "/status/{kickoff_id}" ? path : undefined;
  }

  async write(crewId: string, path: StatusPath): Promise<void> {
    if (this.read(crewId) !== path)
      await this.#memento.update(statusPathsKey, { ...this.#all(), [crewId]: path });
  }

  async delete(crewId: string): Promise<void> {
    const { [crewId]: gone, ...others } = this.#all();
    if (gone !== undefined) await this.#memento.update(statusPathsKey, others);
  }

  #all(): Readonly<Partial<Record<string, string>>> {
    const kept: unknown = this.#memento.get(statusPathsKey);
    return typeof kept === "object" && kept !== null ? { ...kept } : {};
  }
}
