import * as vscode from "vscode";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { formatSize } from "../../base/text.ts";
import { plainLabel, plainMessage } from "../../editor/messages.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { valueInShort } from "../texts.ts";
import type { LastEditor, Selected } from "./last-editor.ts";
import type { Taken } from "./messages.ts";

/** In bytes: it becomes part of prompts, and of the stored execution. */
export const largestText = 1_000_000;

/** Empty sources are last. Undefined if cancelled. @throws UserError for an unusable source */
export async function takeValue(
  input: string,
  sources: {
    readonly editor: Pick<LastEditor, "selection">;
    readonly hasEarlier: boolean;
    readonly earlier: () => Promise<Taken | undefined>;
  },
): Promise<Taken | undefined> {
  const { hasEarlier, earlier } = sources;
  const { selection } = sources.editor;
  const size = formatSize(Buffer.byteLength(selection?.text ?? ""));
  const items = [
    {
      label: `$(selection) ${vscode.l10n.t("Editor's Selection")}`,
      description: selection
        ? plainLabel(`${selection.name} (${size})`)
        : vscode.l10n.t("no text is selected in an editor"),
      ...(selection && { detail: plainLabel(valueInShort(selection.text)) }),
      isEmpty: selection === undefined,
      take: () => Promise.resolve(takeSelection(selection)),
    },
    {
      label: `$(file) ${vscode.l10n.t("File…")}`,
      description: vscode.l10n.t("a text file of {0} at most", formatSize(largestText)),
      isEmpty: false,
      take: takeFile,
    },
    {
      label: `$(history) ${vscode.l10n.t("Value of an Earlier Execution…")}`,
      ...(!hasEarlier && { description: vscode.l10n.t("no stored execution had one") }),
      isEmpty: !hasEarlier,
      take: earlier,
    },
  ];
  items.sort((one, other) => Number(one.isEmpty) - Number(other.isEmpty));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Fill in “{0}” from", valueInShort(input, 40)),
  });
  return await chosen?.take();
}

function takeSelection(selection: Selected | undefined): Taken | undefined {
  if (selection === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Select text in an editor first; the form keeps what you typed."),
    );
    return undefined;
  }
  const { text, name } = selection;
  const bytes = Buffer.byteLength(text);
  checkSize(vscode.l10n.t("the selection in {0}", name), bytes);
  return { text, from: vscode.l10n.t("the selection in {0} ({1})", name, formatSize(bytes)) };
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

type EarlierValue = { readonly value: JsonValue; readonly execution: ExecutionSummary };

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

export async function chooseEarlierValue(
  values: readonly EarlierValue[],
  input: string,
): Promise<Taken | undefined> {
  const name = valueInShort(input, 40);
  if (values.length === 0) {
    void vscode.window.showInformationMessage(
      plainMessage(vscode.l10n.t("No stored execution had a value for “{0}”.", name)),
    );
    return undefined;
  }
  const items = values.map(({ value, execution }) => {
    const [label, title] = [valueInShort(value), titleOf(execution)];
    return {
      label: plainLabel(label),
      description: new Date(execution.startedAt).toLocaleString(vscode.env.language),
      // Often the title is the value itself.
      ...(title !== label && { detail: plainLabel(title) }),
      taken: { value, from: vscode.l10n.t("the execution “{0}”", title) },
    };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Earlier values of “{0}”", name),
    placeHolder: vscode.l10n.t("Newest first"),
    matchOnDetail: true,
  });
  return chosen?.taken;
}
