import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import { plainLabel, plainMessage, showStatus } from "../../editor/messages.ts";
import { inputsInShort, valueInShort } from "../in-short.ts";
import type { Prefill } from "../form/values.ts";
import type { Preset, Presets } from "./presets.ts";

/** What {@link choosePreset} works with. */
export interface ChoosePresetOptions {
  readonly presets: Presets;
  readonly crew: { readonly id: string; readonly name: string };
  /** What can be saved as a preset; absent where there is nothing. */
  readonly values?: Prefill | undefined;
}

type Choice =
  | { readonly kind: "save" }
  | { readonly kind: "use" | "rename" | "delete"; readonly preset: Preset };

interface PresetItem extends vscode.QuickPickItem {
  readonly choice: Choice;
}

/** Lets a person choose a crew's preset, or save, rename and delete some on the way. Nothing where the person saved, or left. */
export async function choosePreset(options: ChoosePresetOptions): Promise<Prefill | undefined> {
  const { presets, crew, values } = options;
  for (;;) {
    const list = presets.list(crew.id);
    const choice = await pick(options, list);
    if (choice === undefined) return undefined;
    const names = list.map(({ name }) => name);
    switch (choice.kind) {
      case "use":
        return choice.preset.values;
      case "save":
        if (values !== undefined && (await save(options, values, names))) return undefined;
        break;
      case "rename":
        await rename(options, choice.preset.name, names);
        break;
      case "delete":
        await confirmAndDelete(options, choice.preset.name);
        break;
    }
  }
}

function pick(
  { crew, values }: ChoosePresetOptions,
  presets: readonly Preset[],
): Promise<Choice | undefined> {
  const owned = new Disposables();
  const list = owned.add(vscode.window.createQuickPick<PresetItem>());
  const renameButton: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon("edit"),
    tooltip: vscode.l10n.t("Rename Preset…"),
  };
  const deleteButton: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon("trash"),
    tooltip: vscode.l10n.t("Delete Preset"),
  };
  const saveItem: PresetItem = {
    label: vscode.l10n.t("$(add) Save the Form's Values as a Preset…"),
    alwaysShow: true,
    choice: { kind: "save" },
  };
  list.title = vscode.l10n.t("Presets of “{0}”", crew.name);
  list.placeholder = vscode.l10n.t("Choose the values to fill in");
  list.matchOnDescription = true;
  const presetItems = presets.map((preset) => ({
    label: plainLabel(valueInShort(preset.name)),
    description: plainLabel(inputsInShort(preset.values.inputs ?? {}, 4).join(" · ")),
    buttons: [renameButton, deleteButton],
    choice: { kind: "use" as const, preset },
  }));
  list.items = [...(values === undefined ? [] : [saveItem]), ...presetItems];
  // Who has presets most likely wants one of them.
  const [first] = presetItems;
  if (first !== undefined) list.activeItems = [first];
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
  const name = await askName({
    title: vscode.l10n.t("Save as a preset of “{0}”", crew.name),
    prompt: vscode.l10n.t("Name of the preset. It is kept on this machine, without secrets."),
    value: valueInShort(Object.values(values.inputs ?? {})[0] ?? "", 40).replace(/^""$/, ""),
  });
  if (name === undefined) return false;
  if (
    names.includes(name) &&
    !(await confirm(
      vscode.l10n.t("Replace the preset “{0}”?", name),
      vscode.l10n.t("Its values are replaced by those of the form."),
      vscode.l10n.t("Replace"),
    ))
  )
    return false;
  presets.save(crew.id, name, values);
  showStatus(vscode.l10n.t("The preset is saved."));
  return true;
}

async function rename(
  { presets, crew }: ChoosePresetOptions,
  from: string,
  names: readonly string[],
): Promise<void> {
  const others = names.filter((name) => name !== from);
  const to = await askName({
    title: vscode.l10n.t("Rename preset"),
    prompt: vscode.l10n.t("New name of the preset “{0}”", from),
    value: from,
    others,
  });
  if (to !== undefined && to !== from) presets.rename(crew.id, from, to);
}

async function confirmAndDelete(
  { presets, crew }: ChoosePresetOptions,
  name: string,
): Promise<void> {
  const question = vscode.l10n.t("Delete the preset “{0}”?", name);
  if (
    await confirm(
      question,
      vscode.l10n.t("Its values are removed from this machine."),
      vscode.l10n.t("Delete"),
    )
  )
    presets.delete(crew.id, name);
}

async function askName({
  others = [],
  ...box
}: {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  readonly others?: readonly string[];
}): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    ...box,
    prompt: plainMessage(box.prompt),
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === "") return vscode.l10n.t("A preset needs a name.");
      return others.includes(text.trim())
        ? vscode.l10n.t("There is already a preset of this name.")
        : undefined;
    },
  });
  return name?.trim();
}

async function confirm(question: string, detail: string, button: string): Promise<boolean> {
  return (
    (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button
  );
}
