import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { hasEnded } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { checkFile, nameOf } from "../kickoff/request-files/files.ts";
import { readRows } from "../kickoff/rows.ts";
import { type Batches, mostAtOnce } from "../sending/batches.ts";
import { useSum } from "../views/batch/model.ts";
import type { BatchTables } from "../views/batch/register.ts";
import type { CurrentCircumstances } from "../views/circumstances.ts";
import { read, text } from "../editor/arguments.ts";
import type { Targets } from "./targets.ts";

export interface BatchVerbParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "inputs" | "ready">;
  readonly store: Pick<ExecutionStore, "list">;
  readonly circumstances: Pick<CurrentCircumstances, "prices">;
  readonly batches: Pick<Batches, "start">;
  readonly tables: Pick<BatchTables, "openBatch">;
}

/** How many of a crew's last executions say what one is likely to cost. */
const mostLooked = 20;

export function batchVerbs({
  targets,
  crews,
  store,
  circumstances,
  batches,
  tables,
}: BatchVerbParts) {
  /** Of the crew's last executions, for each of them. */
  function likely(crew: Crew, count: number): string {
    const ended = store.list().filter((each) => each.crew.id === crew.id && hasEnded(each));
    const last = ended.slice(0, mostLooked);
    const sum = useSum(last, circumstances.prices);
    return sum === undefined
      ? vscode.l10n.t(
          "What one is likely to cost isn't known: no execution of this crew has reported its tokens here.",
        )
      : vscode.l10n.t(
          "Its last {0} executions used {1}. This starts {2}.",
          last.length,
          sum,
          count,
        );
  }

  return {
    /** A kickoff for each row of the `file`, an absolute path. Returns the batch's ID. */
    kickoffRows: targets.onCrew(async (crew, argument, by) => {
      const { file } = read({ file: text }, argument);
      if (file === undefined && !by.isPerson)
        throw new UserError(vscode.l10n.t("“{0}” is missing.", "file"));
      const uri = file === undefined ? await chooseFile() : vscode.Uri.file(file);
      if (uri === undefined) return undefined;
      await checkFile(uri);
      const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
      const ready = await crews.ready(crew);
      const inputs = await crews.inputs(ready, { fresh: true }).catch((error: unknown) => {
        logProblem("Requesting a crew's inputs", error, crew.name);
        return undefined;
      });
      const rows = readRows(nameOf(uri), content, inputs?.fields);
      const agrees = await by.agrees({
        title: vscode.l10n.t("Kick off “{0}” {1} times?", crew.name, rows.length),
        parts: [
          vscode.l10n.t("One for each row of {0}, at most {1} at a time.", nameOf(uri), mostAtOnce),
          ...(costsMoney(crew) ? [likely(crew, rows.length)] : []),
        ],
        allow: vscode.l10n.t("Kick Off {0}", rows.length),
      });
      if (!agrees) return undefined;
      const name = `${crew.name}: ${nameOf(uri)}`;
      const id = batches.start(ready, name, rows);
      await tables.openBatch(id, name);
      return id;
    }),
    openBatch: targets.onExecution(
      async ({ batch }) => {
        if (batch === undefined)
          throw new NothingToDo(vscode.l10n.t("This execution isn't one of a batch."));
        await tables.openBatch(batch.id, batch.name);
      },
      ({ batch }) => batch !== undefined,
    ),
  };
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const filters = { [vscode.l10n.t("Rows of inputs")]: ["csv", "jsonl", "json"] };
  const title = vscode.l10n.t("The first line of a CSV file names the inputs");
  return (await vscode.window.showOpenDialog({ filters, title }))?.[0];
}
