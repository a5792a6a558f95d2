import * as vscode from "vscode";
import { plainLabel } from "../../editor/messages.ts";
import { formatSize } from "../../base/text.ts";
import type { Taken } from "../form-tools.ts";
import { valueInShort } from "../in-short.ts";
import type { LastEditor, Selected } from "./last-editor.ts";
import { largestText, readTextFile, refuseTooLarge } from "../text-file.ts";

/** Where values may come from. */
export interface ValueSources {
  readonly editor: Pick<LastEditor, "selection">;
  /** Whether the input had a value in an earlier execution. */
  readonly hasEarlier: boolean;
  /** Lets the person choose one of them, or says that there is none. */
  readonly earlier: () => Promise<Taken | undefined>;
}

/**
 * Lets a person choose where an input's value comes from, and gives it. What has none just now stands last and says why: Enter chooses what
 * can be used. Nothing when the person leaves. @throws UserError for a file or a selection that can't be taken
 */
export async function takeValue(
  input: string,
  { editor, hasEarlier, earlier }: ValueSources,
): Promise<Taken | undefined> {
  const { selection } = editor;
  const items: readonly (vscode.QuickPickItem & {
    readonly isEmpty: boolean;
    readonly take: () => Promise<Taken | undefined>;
  })[] = [
    {
      label: `$(selection) ${vscode.l10n.t("Editor's Selection")}`,
      description:
        selection === undefined
          ? vscode.l10n.t("nothing is selected in an editor")
          : plainLabel(`${selection.name} (${formatSize(Buffer.byteLength(selection.text))})`),
      ...(selection === undefined ? {} : { detail: plainLabel(valueInShort(selection.text)) }),
      isEmpty: selection === undefined,
      take: () => Promise.resolve(takeSelection(selection)),
    },
    {
      label: `$(file) ${vscode.l10n.t("File…")}`,
      description: vscode.l10n.t("a text file of {0} at most", formatSize(largestText)),
      isEmpty: false,
      take: chooseFile,
    },
    {
      label: `$(history) ${vscode.l10n.t("Value of an Earlier Execution…")}`,
      ...(hasEarlier
        ? {}
        : { description: vscode.l10n.t("no execution that is kept here had one") }),
      isEmpty: !hasEarlier,
      take: earlier,
    },
  ];
  const usableFirst = [
    ...items.filter(({ isEmpty }) => !isEmpty),
    ...items.filter(({ isEmpty }) => isEmpty),
  ];
  const chosen = await vscode.window.showQuickPick(usableFirst, {
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
  const bytes = Buffer.byteLength(selection.text);
  refuseTooLarge(vscode.l10n.t("the selection in {0}", selection.name), bytes);
  return {
    text: selection.text,
    from: vscode.l10n.t("the selection in {0} ({1})", selection.name, formatSize(bytes)),
  };
}

async function chooseFile(): Promise<Taken | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      canSelectMany: false,
      openLabel: vscode.l10n.t("Fill In"),
      title: vscode.l10n.t("Fill in from a text file"),
    })) ?? [];
  return file && (await readTextFile(file));
}
