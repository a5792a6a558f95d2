import * as vscode from "vscode";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { formatSize } from "../../base/text.ts";
import { plainLabel } from "../../editor/messages.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { valueInShort } from "../texts.ts";
import type { Taken } from "./messages.ts";

/** In bytes: it becomes part of prompts, and of the stored execution. */
export const largestText = 1_000_000;

type EarlierValue = { readonly value: JsonValue; readonly execution: ExecutionSummary };

/** Newest first, each once. */
export function earlierValues(
  executions: readonly ExecutionSummary[],
  crewId: string,
  input: string,
): readonly EarlierValue[] {
  const values = new Map<string, EarlierValue>();
  for (const execution of executions) {
    const inputs: JsonObject = execution.request?.inputs ?? {};
    const value = Object.hasOwn(inputs, input) ? inputs[input] : undefined;
    if (execution.crew.id !== crewId || value === undefined) continue;
    const key = JSON.stringify(value);
    if (!values.has(key)) values.set(key, { value, execution });
  }
  return [...values.values()];
}

/** Undefined if cancelled. @throws UserError for an unusable file */
export async function takeValue(
  input: string,
  earlier: readonly EarlierValue[],
): Promise<Taken | undefined> {
  const file = {
    label: `$(file) ${vscode.l10n.t("Text File…")}`,
    description: vscode.l10n.t("{0} at most", formatSize(largestText)),
    take: takeFile,
  };
  const items = earlier.map(({ value, execution }) => {
    const [label, title] = [valueInShort(value), titleOf(execution)];
    return {
      label: plainLabel(label),
      description: new Date(execution.startedAt).toLocaleString(vscode.env.language),
      // Often the title is the value itself.
      ...(title !== label && { detail: plainLabel(title) }),
      take: () => Promise.resolve({ value, from: vscode.l10n.t("the execution “{0}”", title) }),
    };
  });
  const chosen = await vscode.window.showQuickPick([file, ...items], {
    title: vscode.l10n.t("Fill in “{0}” from", valueInShort(input, 40)),
    placeHolder: vscode.l10n.t("A text file, or a value of an earlier execution"),
    matchOnDetail: true,
  });
  return await chosen?.take();
}

async function takeFile(): Promise<Taken | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      canSelectMany: false,
      openLabel: vscode.l10n.t("Fill In"),
      title: vscode.l10n.t("Fill in from a text file"),
    })) ?? [];
  if (file === undefined) return undefined;
  const name = file.path.split("/").at(-1) ?? "";
  try {
    const { type, size } = await vscode.workspace.fs.stat(file);
    if ((type & vscode.FileType.Directory) !== 0)
      throw new UserError(vscode.l10n.t("“{0}” is a folder.", name));
    // Reading a device would never end.
    if ((type & vscode.FileType.File) === 0)
      throw new UserError(vscode.l10n.t("“{0}” is not a regular file.", name));
    checkSize(name, size);
    const bytes = await vscode.workspace.fs.readFile(file);
    // It may have grown, and some file systems report no size.
    checkSize(name, bytes.length);
    return { text: textIn(bytes, name), from: `${name} (${formatSize(bytes.length)})` };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(vscode.l10n.t("“{0}” can't be read: {1}", name, messageOf(error)));
  }
}

function checkSize(name: string, bytes: number): void {
  if (bytes <= largestText) return;
  const [size, largest] = [formatSize(bytes), formatSize(largestText)];
  throw new UserError(
    vscode.l10n.t("“{0}” is too large ({1}): an input takes {2} at most.", name, size, largest),
  );
}

/** UTF-8 without a byte order mark; a zero byte is no text. */
function textIn(bytes: Uint8Array, name: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Invalid UTF-8.
  }
  throw new UserError(
    vscode.l10n.t("“{0}” isn't a text file: an input takes only text in UTF-8.", name),
  );
}
