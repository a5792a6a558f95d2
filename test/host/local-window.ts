import * as vscode from "vscode";
import { Crews } from "../../src/crews/crews.ts";
import { LocalCrews } from "../../src/local/local-crews.ts";
import { modelsOf } from "../../src/models/models.ts";
import { testDatabase } from "../support/database.ts";
import { MemoryMemento, type MemorySecrets } from "./memory.ts";

export type LocalWindow = Awaited<ReturnType<typeof localWindow>>;

export async function localWindow(
  storage: string,
  secrets: MemorySecrets,
  hasOpenExecutions: (id: string) => boolean,
) {
  const crews = new Crews({ secrets, globalState: new MemoryMemento() });
  const models = modelsOf({ secrets, globalState: new MemoryMemento() });
  const { database, end } = testDatabase(storage);
  const locals = new LocalCrews({
    ...{ crews, database, hasOpenExecutions },
    storage: vscode.Uri.file(storage),
    extension: vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionUri,
    titleOf: () => undefined,
    models: () => Promise.resolve(models),
  });
  await locals.refresh();
  return {
    crews,
    locals,
    end() {
      for (const part of [locals, models, crews]) part.dispose();
      end();
    },
  };
}
