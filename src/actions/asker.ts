import * as vscode from "vscode";
import { isObject } from "../base/json.ts";
import { confirm } from "../editor/messages.ts";
import type { Question } from "./question.ts";

export interface Asker {
  /** Is asked what is missing, and sees what was done and what went wrong. */
  readonly isPerson: boolean;
  readonly signal?: AbortSignal;
  agrees(question: Question): Promise<boolean>;
}

export const person: Asker = {
  isPerson: true,
  async agrees(question) {
    const { dialogOf } = await import("./question.ts");
    return await confirm(question.title, dialogOf(question).text, question.allow);
  },
};

/** A task, a keybinding with arguments or another extension: whoever wrote it has decided. */
export const program: Asker = { isPerson: false, agrees: () => Promise.resolve(true) };

/**
 * Who runs a command with this argument: a person, if there is none, or it is a row, a URI, or that
 * of a lens, a button, a page or a link, which says so with `by`.
 */
export function askerOf(argument: unknown): Asker {
  if (argument === undefined || argument === null) return person;
  const isRow = isObject(argument) && "kind" in argument;
  // Others are a member of the command's own, such as that of crewdeck.groupExecutions.
  const isOurs =
    isObject(argument) && "by" in argument && (argument.by === "person" || argument.by === "link");
  return isRow || isOurs || argument instanceof vscode.Uri ? person : program;
}
