import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import type { Taken } from "./form-tools.ts";

/** Bytes of the largest file whose content an input takes: what is sent becomes part of prompts, and of the record on disk. */
export const largestFile = 1_000_000;

/** The content of a text file, whose size is told. @throws UserError for a file that is too large, is no text in UTF-8, or cannot be read */
export async function readTextFile(file: vscode.Uri): Promise<Taken> {
  const name = file.path.split("/").at(-1) ?? "";
  const { type, size } = await vscode.workspace.fs.stat(file);
  if ((type & vscode.FileType.Directory) !== 0) throw new UserError(vscode.l10n.t("“{0}” is a folder.", name));
  if (size > largestFile) throw new UserError(vscode.l10n.t("“{0}” has {1}. An input takes a file of {2} at most.", name, sizeInWords(size), sizeInWords(largestFile)));
  const bytes = await vscode.workspace.fs.readFile(file);
  const text = textIn(bytes);
  if (text === undefined) throw new UserError(vscode.l10n.t("“{0}” is no text file: an input takes text in UTF-8 only.", name));
  return { value: text, from: vscode.l10n.t("{0} ({1})", name, sizeInWords(bytes.length)) };
}

/** A size in bytes for people. */
export function sizeInWords(bytes: number): string {
  const number = (value: number) => value.toLocaleString(vscode.env.language, { maximumFractionDigits: 1 });
  if (bytes < 1000) return bytes === 1 ? vscode.l10n.t("1 byte") : vscode.l10n.t("{0} bytes", number(bytes));
  return bytes < 1_000_000 ? vscode.l10n.t("{0} KB", number(bytes / 1000)) : vscode.l10n.t("{0} MB", number(bytes / 1_000_000));
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
