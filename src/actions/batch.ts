import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import type { CaseLine } from "../tests/command.ts";
import type { Crews } from "../crews/crews.ts";
import { costsMoney, type Crew } from "../crews/types.ts";
import { logProblem } from "../editor/log.ts";
import { hasEnded } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { checkFile, nameOf } from "../kickoff/request-files/files.ts";
import { readRows } from "../kickoff/rows.ts";
import type { ModelChoice } from "../models/models.ts";
import { isRequestFile } from "../kickoff/request-files/name.ts";
import { type BatchRow, type Batches, mostAtOnce } from "../sending/batches.ts";
import { useSum } from "../views/batch/model.ts";
import type { BatchTables } from "../views/batch/register.ts";
import type { Pages } from "../views/page/register.ts";
import type { CurrentCircumstances } from "../views/circumstances.ts";
import { flag, list, read, text, wholeNumber } from "../editor/arguments.ts";
import type { Targets } from "./targets.ts";

export interface BatchVerbParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "inputs" | "ready">;
  readonly store: Pick<ExecutionStore, "list">;
  readonly circumstances: Pick<CurrentCircumstances, "prices">;
  readonly batches: Pick<Batches, "start" | "whenSent">;
  readonly page: Pick<Pages, "open">;
  readonly tables: Pick<BatchTables, "openBatches">;
  readonly tests: {
    cases(file: string, numbers: readonly number[] | undefined): Promise<readonly CaseLine[]>;
  };
  readonly models: () => Promise<{ choice(crewId: string): ModelChoice }>;
}

const members = { file: text, cases: list(wholeNumber), models: list(text), isReplay: flag };

/** How many of a crew's last executions say what one is likely to cost. */
const mostLooked = 20;

export function batchVerbs({
  targets,
  crews,
  store,
  circumstances,
  batches,
  page,
  tables,
  tests,
  models,
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

  async function rowsIn(uri: vscode.Uri, crew: Crew): Promise<readonly BatchRow[]> {
    await checkFile(uri);
    const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const inputs = await crews.inputs(crew, { fresh: true }).catch((error: unknown) => {
      logProblem("Requesting a crew's inputs", error, crew.name);
      return undefined;
    });
    return readRows(nameOf(uri), content, inputs?.fields);
  }

  return {
    /**
     * A kickoff for each row of the `file`, or for each case of a test, with each of the `models`. Returns the IDs of the batches, one for each model.
     * @param argument `cases`: their numbers; `isReplay`: calls are answered from the test's recordings
     */
    kickoffRows: targets.onCrew(async (crew, argument, by) => {
      const { file, cases, isReplay = false, ...given } = read(members, argument);
      if (file === undefined && !by.isPerson)
        throw new UserError(vscode.l10n.t("“{0}” is missing.", "file"));
      const uri = file === undefined ? await chooseFile() : vscode.Uri.file(file);
      if (uri === undefined) return undefined;
      const ready = await crews.ready(crew);
      const isTest = isRequestFile(uri);
      const rows = isTest
        ? (await tests.cases(uri.fsPath, cases)).map((test) => rowOf(test, isReplay))
        : await rowsIn(uri, ready);
      const canChoose = by.isPerson && ready.local?.engine === "crewai" && !isReplay;
      const names = given.models ?? (canChoose ? await chooseModels(models, ready) : []);
      if (names === undefined) return undefined;
      const count = rows.length * Math.max(1, names.length);
      // A replay costs nothing.
      const agrees =
        (isTest && isReplay) ||
        (await by.agrees({
          title: vscode.l10n.t("Kick off “{0}” {1} times?", crew.name, count),
          parts: [
            names.length > 1
              ? vscode.l10n.t(
                  "One for each row of {0} and each of {1} models, at most {2} of a model at a time.",
                  nameOf(uri),
                  names.length,
                  mostAtOnce,
                )
              : vscode.l10n.t(
                  "One for each row of {0}, at most {1} at a time.",
                  nameOf(uri),
                  mostAtOnce,
                ),
            ...(isTest
              ? [vscode.l10n.t("Outputs that wait for a person are answered as the test says.")]
              : []),
            ...(costsMoney(crew) ? [likely(crew, count)] : []),
          ],
          allow: vscode.l10n.t("Kick Off {0}", count),
        }));
      if (!agrees) return undefined;
      const name = nameOf(uri);
      const ids =
        names.length === 0
          ? [batches.start(ready, name, rows)]
          : names.map((model) =>
              batches.start(
                ready,
                `${name}, ${model}`,
                rows.map(({ request, ...row }) => ({
                  ...row,
                  request: { ...request, rules: { ...request.rules, model } },
                })),
              ),
            );
      const [only = ""] = ids;
      if (count > 1) await tables.openBatches(ids, `${crew.name}: ${name}`);
      else {
        await batches.whenSent(only);
        const execution = store.list().find(({ batch }) => batch?.id === only);
        if (execution) await page.open(execution);
      }
      return ids;
    }),
    openBatch: targets.onExecution(
      async ({ batch, crew }) => {
        if (batch === undefined)
          throw new NothingToDo(vscode.l10n.t("This execution isn't one of a batch."));
        await tables.openBatches([batch.id], `${crew.name}: ${batch.name}`);
      },
      ({ batch }) => batch !== undefined,
    ),
  };
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const filters = { [vscode.l10n.t("Rows of inputs, or a test")]: ["csv", "jsonl", "json"] };
  const title = vscode.l10n.t("A test, or a CSV file whose first line names the inputs");
  return (await vscode.window.showOpenDialog({ filters, title }))?.[0];
}

function rowOf({ file, name, answers, replay, ...test }: CaseLine, isReplay: boolean): BatchRow {
  const { inputs, meta, approveTools, limits, expect } = test;
  const rules = defined({ approveTools, limits, expect, replay: isReplay ? replay : undefined });
  // A test without cases has no name.
  const label = name === "" ? nameOf(vscode.Uri.file(file)) : name;
  return { label, request: { inputs, rules, ...defined({ meta }) }, answers };
}

/** Empty for the crew's own. Undefined if the person cancels. @throws UserError */
async function chooseModels(
  models: BatchVerbParts["models"],
  { id, name }: Crew,
): Promise<readonly string[] | undefined> {
  // A window answers only for the one that it offers.
  if ((await models()).choice(id).use === "vscode") return [];
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t("Kick off “{0}” with which models?", name),
    prompt: vscode.l10n.t(
      "Names separated by commas, which are compared side by side. Leave it empty for the crew's own model. A name becomes the variable MODEL, which agents without a model of their own use.",
    ),
    placeHolder: vscode.l10n.t("such as {0}", "openai/gpt-4o-mini, anthropic/claude-haiku-4-5"),
  });
  const names = given?.split(",").map((each) => each.trim());
  return names && [...new Set(names)].filter((each) => each !== "");
}
