import * as vscode from "vscode";
import { messageOf } from "../editor/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { tell } from "../editor/tell.ts";
import { isProgram } from "./arguments.ts";

/** One command: its id without the extension's prefix, and what it does. It returns what it made, or nothing when the person cancelled. */
export interface Command {
  readonly id: string;
  readonly run: (argument: unknown) => unknown;
}

/** Registers every command in one place: each is logged, and what it throws is told to a person, or handed to the program that called it. */
export function registerCommands(commands: readonly Command[]): vscode.Disposable {
  return vscode.Disposable.from(
    ...commands.map(({ id, run }) => vscode.commands.registerCommand(`crewdeck.${id}`, async (argument: unknown) => {
      const began = Date.now();
      try {
        const made = await run(argument);
        log.debug(`crewdeck.${id} took ${Date.now() - began} ms`);
        return made;
      } catch (error) {
        logProblem(`crewdeck.${id}`, error);
        if (isProgram(argument)) throw new Error(messageOf(error), { cause: error });
        // Not awaited: the command has ended, the message may stay as long as it likes.
        void tell(error);
        return undefined;
      }
    })),
  );
}
