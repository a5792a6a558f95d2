import * as vscode from "vscode";
import { messageOf, NothingToDo } from "../base/errors.ts";
import type { Disposable } from "../base/events.ts";
import { log, logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { hasApi } from "../editor/missing-api.ts";
import type { DeleteParts } from "./delete-local-data.ts";
import { askerOf } from "./asker.ts";
import type { CommandParts, Commands } from "./commands.ts";
import type { ToolParts, Tools } from "./tools.ts";

/** The code is loaded with the first use. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  const { contributes } = parts.context.extension.packageJSON as {
    readonly contributes: { readonly commands: readonly { readonly command: string }[] };
  };
  let table: Promise<Commands> | undefined;
  const load = () =>
    (table ??= import("./commands.ts").then((module) => module.commandTable(parts)));
  const run = async (name: string, argument: unknown, selected: unknown): Promise<unknown> => {
    const began = Date.now();
    const by = askerOf(argument);
    try {
      const command = (await load())[name.slice("crewdeck.".length)];
      if (command === undefined) throw new Error(`The manifest's command ${name} has no code.`);
      const made = await command(argument, by, selected);
      log.debug(`${name} took ${Date.now() - began} ms`);
      return made;
    } catch (error) {
      if (!(error instanceof NothingToDo)) logProblem(name, error);
      if (!by.isPerson) throw new Error(messageOf(error), { cause: error });
      // Not awaited, because the notification may stay open.
      void showError(error);
      return undefined;
    }
  };
  let links: Promise<(uri: vscode.Uri) => Promise<void>> | undefined;
  const loadLinks = () =>
    (links ??= Promise.all([import("./links.ts"), load()]).then(([{ linkHandler }, commands]) =>
      linkHandler({ crews: parts.crews, commands, clock: parts.clock }),
    ));
  return vscode.Disposable.from(
    ...contributes.commands.map(({ command }) =>
      vscode.commands.registerCommand(command, (argument: unknown, selected: unknown) =>
        run(command, argument, selected),
      ),
    ),
    vscode.window.registerUriHandler({
      handleUri: async (uri) => (await loadLinks())(uri),
    }),
  );
}

const needed = ["lm.registerTool", "LanguageModelToolResult", "LanguageModelTextPart"];

/** Code is loaded with the first use. Errors are returned to the model as text. */
export function registerTools(
  parts: ToolParts & { readonly context: Pick<vscode.ExtensionContext, "extension"> },
): vscode.Disposable {
  if (!hasApi("Tools for language models", needed)) return new vscode.Disposable(() => undefined);
  const { contributes } = parts.context.extension.packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  let loading: Promise<Tools> | undefined;
  const load = () => (loading ??= import("./tools.ts").then((module) => new module.Tools(parts)));
  return vscode.Disposable.from(
    ...contributes.languageModelTools.map(({ name }) =>
      vscode.lm.registerTool<unknown>(name, {
        prepareInvocation: ({ input }, token) =>
          reported(name, token, async (signal) => (await load()).prepare(name, input, signal)),
        invoke: ({ input }, token) =>
          reported(name, token, async (signal) => (await load()).invoke(name, input, signal)),
      }),
    ),
  );
}

async function reported<Made>(
  name: string,
  token: vscode.CancellationToken,
  action: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const controller = new AbortController();
  const abort = () => controller.abort(new vscode.CancellationError());
  if (token.isCancellationRequested) abort();
  const subscription = token.onCancellationRequested(abort);
  try {
    return await action(controller.signal);
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
  parts: Pick<CommandParts, "store"> & Pick<DeleteParts, "context" | "forms" | "tree">,
): Disposable {
  return parts.store.onDidClear((scope) => {
    import("./delete-local-data.ts")
      .then(({ forgetHere }) => forgetHere(parts, scope))
      .catch((error: unknown) => logProblem("Following a deletion in another window", error));
  });
}
