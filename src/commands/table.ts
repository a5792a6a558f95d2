import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { showError } from "../editor/messages.ts";
import { isProgram } from "./arguments.ts";

/** One command: its id without the extension's prefix, and what it does. It returns what it made, or nothing when the person cancelled. */
export interface Command {
  readonly id: string;
  readonly run: (argument: unknown) => unknown;
}

/**
 * Registers every command in one place: each is logged, and what it throws is told to a person, or handed to the program that called it.
 * @param context names the commands by its manifest
 * @param load the table, which is loaded with all that only commands need when the first of them is run
 */
export function registerCommands(
  { extension }: Pick<vscode.ExtensionContext, "extension">,
  load: () => Promise<readonly Command[]>,
): vscode.Disposable {
  const names = contributedBy(extension);
  let table: Promise<readonly Command[]> | undefined;
  const find = async (name: string): Promise<Command | undefined> => {
    table ??= load().then((commands) => checked(commands, names));
    return (await table).find(({ id }) => name === `crewdeck.${id}`);
  };
  return vscode.Disposable.from(
    ...names.map((name) =>
      vscode.commands.registerCommand(name, async (argument: unknown) => {
        const began = Date.now();
        try {
          const made = await (await find(name))?.run(argument);
          log.debug(`${name} took ${Date.now() - began} ms`);
          return made;
        } catch (error) {
          logProblem(name, error);
          if (isProgram(argument)) throw new Error(messageOf(error), { cause: error });
          // Not awaited: the command has ended, the message may stay as long as it likes.
          void showError(error);
          return undefined;
        }
      }),
    ),
  );
}

function contributedBy({ packageJSON }: vscode.Extension<unknown>): readonly string[] {
  // The extension's own manifest, which VS Code has read and a host test compares with the table.
  const manifest = packageJSON as {
    readonly contributes: { readonly commands: readonly { readonly command: string }[] };
  };
  return manifest.contributes.commands.map(({ command }) => command);
}

/** @throws Error when the table has other commands than the manifest */
function checked(commands: readonly Command[], names: readonly string[]): readonly Command[] {
  const ids = commands.map(({ id }) => `crewdeck.${id}`);
  const odd = [
    ...ids.filter((id) => !names.includes(id)),
    ...names.filter((name) => !ids.includes(name)),
  ];
  if (odd.length > 0)
    throw new Error(`In the manifest or in the table of commands only: ${odd.join(", ")}.`);
  return commands;
}
