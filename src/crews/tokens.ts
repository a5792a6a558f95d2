import * as vscode from "vscode";
import { defined } from "../base/json.ts";
import { logProblem } from "../editor/log.ts";
import { stateByCrew, tokenNotesKey } from "./state-by-crew.ts";
import { cleanToken, parseEntry } from "./token-format.ts";
import type { CrewTokens } from "./types.ts";

const prefix = "crewdeck.token.";

/** Not cached: not every change in another window fires an event (observed in VS Code's server). */
export function tokensIn(secrets: vscode.SecretStorage, memento: vscode.Memento) {
  /** For which crews there is one: SecretStorage doesn't list them. */
  const notes = stateByCrew(memento, tokenNotesKey, (note) => note);
  const changed = new vscode.EventEmitter<string>();
  const subscription = secrets.onDidChange(({ key }) => {
    if (key.startsWith(prefix)) changed.fire(key.slice(prefix.length));
  });
  return {
    onDidChange: changed.event,
    crewIds: notes.crewIds,
    async read(crewId: string) {
      try {
        const tokens = parseEntry((await secrets.get(prefix + crewId)) ?? "");
        if (tokens === undefined) return { kind: "none" } as const;
        return { kind: "stored", tokens } as const;
      } catch (error) {
        logProblem("Reading the secret storage", error);
        return { kind: "locked" } as const;
      }
    },
    async write(crewId: string, { inUse, bearer, userBearer }: CrewTokens): Promise<void> {
      const tokens = defined({
        bearer: bearer && cleanToken(bearer),
        userBearer: userBearer && cleanToken(userBearer),
      });
      await secrets.store(prefix + crewId, JSON.stringify({ inUse, ...tokens }));
      await notes.write(crewId, true);
    },
    async delete(crewId: string): Promise<void> {
      await secrets.delete(prefix + crewId);
      await notes.delete(crewId);
    },
    dispose(): void {
      subscription.dispose();
      changed.dispose();
    },
  };
}
