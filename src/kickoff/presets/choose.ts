import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import { confirm, plainLabel, plainMessage, showStatus } from "../../editor/messages.ts";
import type { Prefill } from "../callbacks.ts";
import { inputsInShort, valueInShort } from "../texts.ts";
import type { Preset, Presets } from "./presets.ts";

interface ChoosePresetOptions {
  readonly presets: Presets;
  readonly crew: { readonly id: string; readonly name: string };
  readonly values?: Prefill | undefined;
}

type Choice =
  | { readonly kind: "save"; readonly values: Prefill }
  | { readonly kind: "use" | "rename" | "delete"; readonly preset: Preset };
type PresetItem = vscode.QuickPickItem & { readonly choice: Choice };

/** Undefined if the person saves or cancels. */
export async function choosePreset(options: ChoosePresetOptions): Promise<Prefill | undefined> {
  const { presets, crew } = options;
  for (;;) {
    const list = presets.list(crew.id);
    const choice = await pick(options, list);
    const names = list.map(({ name }) => name);
    switch (choice?.kind) {
      case undefined:
        return undefined;
      case "use":
        return choice.preset.values;
      case "save":
        if (await save(options, choice.values, names)) return undefined;
        break;
      case "rename": {
        const from = choice.preset.name;
        const to = await askName(
          vscode.l10n.t("Rename preset"),
          vscode.l10n.t("New name of the preset “{0}”", from),
          from,
          names.filter((name) => name !== from),
        );
        if (to !== undefined && to !== from) presets.rename(crew.id, from, to);
        break;
      }
      case "delete": {
        const { name } = choice.preset;
        const question = vscode.l10n.t("Delete the preset “{0}”?", name);
        const detail = vscode.l10n.t("Its values are removed from this machine.");
        if (await confirm(question, detail, vscode.l10n.t("Delete"))) presets.delete(crew.id, name);
      }
    }
  }
}

function pick(
  { crew, values }: ChoosePresetOptions,
  presets: readonly Preset[],
): Promise<Choice | undefined> {
  const owned = new Disposables();
  const list = owned.add(vscode.window.createQuickPick<PresetItem>());
  const buttonOf = (icon: string, tooltip: string): vscode.QuickInputButton => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
  });
  const renameButton = buttonOf("edit", vscode.l10n.t("Rename Preset…"));
  const deleteButton = buttonOf("trash", vscode.l10n.t("Delete Preset"));
  list.title = vscode.l10n.t("Presets of “{0}”", crew.name);
  list.placeholder = vscode.l10n.t("Choose the values to fill in");
  list.matchOnDescription = true;
  const saveItem: PresetItem | undefined = values && {
    label: vscode.l10n.t("$(add) Save the Form's Values as a Preset…"),
    alwaysShow: true,
    choice: { kind: "save", values },
  };
  const presetItems = presets.map((preset): PresetItem => ({
    label: plainLabel(valueInShort(preset.name)),
    description: plainLabel(inputsInShort(preset.values.inputs ?? {}, 4).join(" · ")),
    buttons: [renameButton, deleteButton],
    choice: { kind: "use", preset },
  }));
  list.items = [...(saveItem ? [saveItem] : []), ...presetItems];
  // Enter chooses a preset.
  if (presetItems.length > 0) list.activeItems = presetItems.slice(0, 1);
  return new Promise((resolve) => {
    const end = (choice: Choice | undefined) => {
      resolve(choice);
      owned.dispose();
    };
    owned.add(list.onDidAccept(() => end(list.selectedItems[0]?.choice)));
    owned.add(list.onDidHide(() => end(undefined)));
    owned.add(
      list.onDidTriggerItemButton(({ button, item: { choice } }) => {
        if (choice.kind !== "save")
          end({ kind: button === renameButton ? "rename" : "delete", preset: choice.preset });
      }),
    );
    list.show();
  });
}

async function save(
  { presets, crew }: ChoosePresetOptions,
  values: Prefill,
  names: readonly string[],
): Promise<boolean> {
  const name = await askName(
    vscode.l10n.t("Save as a preset of “{0}”", crew.name),
    vscode.l10n.t("Name of the preset. It is stored on this machine, without secrets."),
    valueInShort(Object.values(values.inputs ?? {})[0] ?? "", 40).replace(/^""$/, ""),
  );
  if (name === undefined) return false;
  const question = vscode.l10n.t("Replace the preset “{0}”?", name);
  const detail = vscode.l10n.t("Its values are replaced by those of the form.");
  if (names.includes(name) && !(await confirm(question, detail, vscode.l10n.t("Replace"))))
    return false;
  presets.save(crew.id, name, values);
  showStatus(vscode.l10n.t("The preset is saved."));
  return true;
}

async function askName(
  title: string,
  prompt: string,
  value: string,
  taken: readonly string[] = [],
): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title,
    prompt: plainMessage(prompt),
    value,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === "") return vscode.l10n.t("A preset needs a name.");
      return taken.includes(text.trim())
        ? vscode.l10n.t("There is already a preset of this name.")
        : undefined;
    },
  });
  return name?.trim();
}
