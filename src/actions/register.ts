import * as vscode from "vscode";
import { messageOf, NothingToDo } from "../base/errors.ts";
import type { Disposable } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { hasApi, log, logged, logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { CurrentCircumstances } from "../views/circumstances.ts";
import { askerOf, person } from "./asker.ts";
import type { CrewdeckApi, CrewdeckExecution } from "./crewdeck-api.ts";
import type { DeleteParts } from "./delete-local-data.ts";
import { plainExecution } from "./execution-data.ts";
import type { ToolParts, toolsOf } from "./tools.ts";
import type { apiOf, Verb, VerbParts, Verbs } from "./verbs.ts";

type Parts = VerbParts &
  Omit<ToolParts, "verbs"> & { readonly context: Pick<vscode.ExtensionContext, "extension"> };

/** What offers the verbs to a person and to models. The code is loaded with the first use. */
export function registerVerbs(parts: Parts) {
  const { contributes } = parts.context.extension.packageJSON as {
    readonly contributes: {
      readonly commands: readonly { readonly command: string }[];
      readonly languageModelTools: readonly { readonly name: string }[];
    };
  };
  let loading: Promise<Verbs> | undefined;
  const load = () => (loading ??= import("./verbs.ts").then(({ verbsOf }) => verbsOf(parts)));
  const run = async (name: string, argument: unknown, by = person, selected?: unknown) => {
    const began = Date.now();
    const command = `crewdeck.${name}`;
    try {
      const verbs: Readonly<Record<string, Verb>> = await load();
      const verb = verbs[name];
      if (verb === undefined) throw new Error(`The manifest's command ${command} has no code.`);
      const areSeveral = Array.isArray(selected) && selected.length > 1;
      const made = await verb(argument, by, areSeveral ? selected : undefined);
      log.debug(`${command} took ${Date.now() - began} ms`);
      return made;
    } catch (error) {
      if (!(error instanceof NothingToDo)) logProblem(command, error);
      if (!by.isPerson) throw new Error(messageOf(error), { cause: error });
      // Not awaited, because the notification may stay open.
      void showError(error);
      return undefined;
    }
  };
  let links: Promise<(uri: vscode.Uri) => Promise<void>> | undefined;
  const loadLinks = () =>
    (links ??= Promise.all([import("./links.ts"), load()]).then(([{ linkHandler }, verbs]) =>
      linkHandler({ ...parts, verbs }),
    ));
  const registrations = [
    vscode.window.registerUriHandler({ handleUri: async (uri) => (await loadLinks())(uri) }),
    ...contributes.commands.map(({ command }) =>
      vscode.commands.registerCommand(command, (argument: unknown, selected: unknown) =>
        run(command.slice("crewdeck.".length), argument, askerOf(argument), selected),
      ),
    ),
  ];
  let tools: Promise<ReturnType<typeof toolsOf>> | undefined;
  const needed = ["lm.registerTool", "LanguageModelToolResult", "LanguageModelTextPart"];
  if (hasApi("Tools for language models", needed))
    for (const { name } of contributes.languageModelTools)
      registrations.push(
        vscode.lm.registerTool<unknown>(name, {
          invoke: ({ input }, token) =>
            forModel(name, token, async (signal) => {
              const module = await import("./tools.ts");
              tools ??= load().then((verbs) => module.toolsOf({ ...parts, verbs }));
              const tool = (await tools)[name];
              if (tool === undefined) throw new Error(`The manifest's tool ${name} has no code.`);
              return await module.invokeTool(tool, input, signal);
            }),
        }),
      );
  const api = async () => (await import("./verbs.ts")).apiOf(await load());
  return { api, run, dispose: () => void vscode.Disposable.from(...registrations).dispose() };
}

async function forModel<Made>(
  name: string,
  token: vscode.CancellationToken,
  act: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const controller = new AbortController();
  const abort = () => controller.abort(new vscode.CancellationError());
  if (token.isCancellationRequested) abort();
  const subscription = token.onCancellationRequested(abort);
  try {
    return await act(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new vscode.CancellationError();
    logProblem(name, error);
    throw new Error(messageOf(error), { cause: error });
  } finally {
    subscription.dispose();
  }
}

/** Follows another window's deletion, so that this one doesn't write its data back. */
export function watchClearing(
  parts: Pick<DeleteParts, "context" | "forms" | "tree"> & {
    readonly store: Pick<ExecutionStore, "onDidClear">;
  },
): Disposable {
  return parts.store.onDidClear((scope) => {
    import("./delete-local-data.ts")
      .then(({ forgetHere }) => forgetHere(parts, scope))
      .catch(logged("Following a deletion in another window"));
  });
}

interface ApiParts {
  readonly crews: Pick<Crews, "list">;
  readonly store: Pick<ExecutionStore, "find" | "list" | "refresh" | "onDidChange">;
  readonly circumstances: Pick<CurrentCircumstances, "prices">;
}

export function createExtensionApi(
  { crews, store, circumstances }: ApiParts,
  verbs: () => Promise<ReturnType<typeof apiOf>>,
) {
  const changes = new vscode.EventEmitter<CrewdeckExecution>();
  const plain = (summaries: readonly ExecutionSummary[]) => {
    const names = new Map(crews.list().map(({ id, name }) => [id, name]));
    return summaries.flatMap(({ localId, crew }) => {
      const execution = store.find(localId);
      const name = names.get(crew.id) ?? crew.name;
      return execution ? plainExecution(execution, name, circumstances.prices) : [];
    });
  };
  const subscription = store.onDidChange(({ added, changed }) => {
    for (const execution of plain([...added, ...changed])) changes.fire(execution);
  });
  const api: CrewdeckApi = {
    version: 1,
    crews: () =>
      crews.list().map(({ name, url, local }) => ({ name, url, isLocal: local !== undefined })),
    executions() {
      store.refresh();
      return plain(store.list());
    },
    onDidChangeExecution: changes.event,
    kickoff: async (given) => (await verbs()).kickoff(given),
    resume: async (given) => (await verbs()).resume(given),
    stop: async (given) => (await verbs()).stop(given),
  };
  return { api, disposable: vscode.Disposable.from(subscription, changes) };
}
