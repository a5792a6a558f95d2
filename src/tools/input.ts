import * as vscode from "vscode";
import { recordOf } from "../commands/arguments.ts";
import { UserError } from "../base/errors.ts";

/** A model's input by name, with no other members than a tool has. @throws UserError that names what is too much, or where it is no object */
export function readInput(
  input: unknown,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const given = recordOf(input);
  const odd = Object.keys(given).find((name) => !names.includes(name));
  if (odd !== undefined)
    throw new UserError(
      vscode.l10n.t("The tool has no “{0}”. It takes: {1}.", odd, names.join(", ")),
    );
  return given;
}

/** One of a few words. @throws UserError that names them where the text is another one */
export function oneOf<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const found = words.find((word) => word === text);
  if (text !== undefined && found === undefined)
    throw new UserError(vscode.l10n.t("“{0}” must be one of these: {1}.", name, words.join(", ")));
  return found;
}
