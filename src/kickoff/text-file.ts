import * as vscode from "vscode";
import { UserError, messageOf } from "../base/errors.ts";
import { formatSize } from "../base/text.ts";
import type { Taken } from "./form-tools.ts";

/** Bytes of the largest text that an input takes: what is sent becomes part of prompts, and of the record on disk. */
export const largestText = 1_000_000;

/** The content of a text file, whose size is told. @throws UserError for a file that is too large, is no text in UTF-8, or cannot be read */
export async function readTextFile(file: vscode.Uri): Promise<Taken> {
  const name = file.path.split("/").at(-1) ?? "";
  const { type, size } = await orUserError(name, vscode.workspace.fs.stat(file));
  if ((type & vscode.FileType.Directory) !== 0)
    throw new UserError(vscode.l10n.t("“{0}” is a folder.", name));
  refuseTooLarge(name, size);
  const bytes = await orUserError(name, vscode.workspace.fs.readFile(file));
  // It may have grown meanwhile, and some file systems do not tell a size.
  refuseTooLarge(name, bytes.length);
  const text = textIn(bytes);
  if (text === undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” is no text file: an input takes text in UTF-8 only.", name),
    );
  return { text, from: vscode.l10n.t("{0} ({1})", name, formatSize(bytes.length)) };
}

/** @throws UserError for more than an input takes. `what`: in words, such as a file's name. */
export function refuseTooLarge(what: string, bytes: number): void {
  if (bytes > largestText)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” is too large ({1}): an input takes {2} at most.",
        what,
        formatSize(bytes),
        formatSize(largestText),
      ),
    );
}

async function orUserError<T>(name: string, reading: Thenable<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new UserError(vscode.l10n.t("“{0}” can't be read: {1}", name, messageOf(error)));
  }
}

/** The text that bytes are in UTF-8, without its mark; nothing where they are none. A zero byte is in no text that a person wrote. */
function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // The caller says that it is no text.
    return undefined;
  }
}
