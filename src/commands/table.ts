import * as vscode from "vscode";
import { messageOf } from "../editor/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { tell } from "../editor/tell.ts";

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

/** What the window itself hands to a command: rows of the tree carry a `kind`, lenses say so, documents are addresses, replies have a `thread`. */
const marks = ["kind", "fromLens", "scheme", "thread"];

/** Other extensions, tasks and keybindings pass an argument of their own. */
function isProgram(argument: unknown): boolean {
  if (argument === undefined || argument === null) return false;
  return typeof argument !== "object" || Array.isArray(argument) || (Object.getPrototypeOf(argument) === Object.prototype && !marks.some((mark) => mark in argument));
}
