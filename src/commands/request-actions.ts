import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import type { CallbackSecrets } from "../sending/secrets.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { requestOf, RunAgain } from "../kickoff/again.ts";
import { askAndSave, copyCurl, saveNew } from "../kickoff/export.ts";
import type { KickoffForms } from "../kickoff/form/forms.ts";
import { choosePreset } from "../kickoff/presets/choose.ts";
import type { Presets } from "../kickoff/presets/presets.ts";
import type { RequestFiles } from "../kickoff/request-files/request-files.ts";
import type { Prefill } from "../kickoff/callbacks.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import { isProgram, recordOf, stringOf } from "./arguments.ts";
import { chooseCrew, chooseExecution } from "./choose.ts";
import { chooseRequestFile, requestFileIn, uriOf } from "./choose-file.ts";
import { madeOf } from "./kickoff.ts";

/** What the commands about requests work with. */
export interface RequestParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly secrets: CallbackSecrets;
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open">;
  /** Loads what uses request files. */
  readonly files: () => Promise<RequestFiles>;
  readonly presets: () => Promise<Presets>;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
  readonly show: (execution: ExecutionSummary) => Promise<unknown>;
}

type Action = (argument: unknown) => Promise<unknown>;

/** What each of the commands does. Those that start something return `{crew, kickoffId}`; `saveAsRequestFile` returns `{file}`. */
export interface RequestActions {
  readonly kickoffFile: Action;
  readonly openFileInForm: Action;
  readonly runAgain: Action;
  readonly runAgainInForm: Action;
  readonly copyAsCurl: Action;
  readonly saveAsRequestFile: Action;
  readonly presets: Action;
}

/** What the commands about requests do. */
export function requestActions(parts: RequestParts): RequestActions {
  const { crews, store, files, show } = parts;
  const again = new RunAgain(parts);
  const chooseKnown = (argument: unknown) =>
    chooseExecution(store, crews, argument, ({ request }) => request !== undefined);
  const shown = async (started: Execution | undefined, argument: unknown) => {
    if (started !== undefined && !isProgram(argument)) await show(started);
    return started && madeOf(started);
  };
  return {
    async kickoffFile(argument) {
      const file = await chooseRequestFile(argument);
      return (
        file &&
        (await shown(
          await (await files()).kickOff(file, { isPerson: !isProgram(argument) }),
          argument,
        ))
      );
    },
    async openFileInForm(argument) {
      const file = await chooseRequestFile(argument);
      const started = file && (await (await files()).openInForm(file));
      return started && madeOf(started);
    },
    async runAgain(argument) {
      const execution = await chooseKnown(argument);
      return (
        execution &&
        (await shown(await again.atOnce(execution, { asks: !isProgram(argument) }), argument))
      );
    },
    async runAgainInForm(argument) {
      const execution = await chooseKnown(argument);
      const started = execution && (await again.inForm(execution));
      return started && madeOf(started);
    },
    async copyAsCurl(argument) {
      const file = requestFileIn(argument);
      const execution = file === undefined ? await chooseKnown(argument) : undefined;
      if (file !== undefined) await (await files()).copyCurl(file);
      if (execution !== undefined)
        await copyCurl(crews.find(execution.crew.id) ?? execution.crew, requestOf(execution));
    },
    async saveAsRequestFile(argument) {
      const execution = await chooseKnown(argument);
      if (execution === undefined) return undefined;
      const request = {
        crewName: (crews.find(execution.crew.id) ?? execution.crew).name,
        values: requestOf(execution),
        label: execution.label,
      };
      const file =
        argument instanceof vscode.Uri ? undefined : stringOf(recordOf(argument), "file");
      const saved = await (file === undefined
        ? askAndSave(request)
        : saveNew(uriOf(file), request));
      return saved && { file: saved.toString() };
    },
    presets: (argument) => openPreset(parts, argument),
  };
}

/** Opens a crew's form with a preset: the named one, else one the person chooses. */
async function openPreset(
  { crews, forms, wake, ...parts }: RequestParts,
  argument: unknown,
): Promise<unknown> {
  const presets = await parts.presets();
  const crew = await chooseCrew(crews, argument);
  if (crew === undefined) return undefined;
  const list = presets.list(crew.id);
  if (list.length === 0) {
    const form = {
      title: vscode.l10n.t("Open Form"),
      command: "crewdeck.kickoff",
      arguments: [{ crew: crew.id, form: true }],
    };
    throw new UserError(
      vscode.l10n.t(
        "“{0}” has no presets yet. Fill in its form and choose “Presets…” there to save one.",
        crew.name,
      ),
      [form],
    );
  }
  const name = stringOf(recordOf(argument), "name");
  const values: Prefill | undefined =
    name === undefined
      ? await choosePreset({ presets, crew })
      : list.find((preset) => preset.name === name)?.values;
  if (values === undefined && name !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” has no preset “{1}”. Its presets: {2}.",
        crew.name,
        name,
        list.map((preset) => preset.name).join(", "),
      ),
    );
  if (values === undefined) return undefined;
  await wake(crew.id);
  const started = await forms.open(crews.get(crew.id), values, { replaces: true });
  return started && madeOf(started);
}
