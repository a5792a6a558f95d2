import * as vscode from "vscode";
import { plainMessage } from "../editor/messages.ts";

/** One of several questions, which a person can leave backwards, too. */
export interface Box {
  readonly title: string;
  readonly position?: { readonly step: number; readonly total: number };
}

export interface Reply<T> {
  readonly left: "next" | "back" | "cancel";
  readonly value: T;
}

interface TextBox extends Box {
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** An error keeps the input open, a note doesn't. */
  validate(text: string): string | { readonly note: string } | undefined;
  readonly dashboardUrl?: string;
}

/** Shows an input box that stays open when it loses focus. */
export async function askText(question: TextBox): Promise<Reply<string>> {
  const { dashboardUrl } = question;
  const box = vscode.window.createInputBox();
  box.prompt = plainMessage(question.prompt);
  box.placeholder = question.placeholder;
  box.password = question.password ?? false;
  box.value = question.value;
  const check = (): boolean => {
    const found = question.validate(box.value);
    box.validationMessage =
      typeof found === "object"
        ? { message: plainMessage(found.note), severity: vscode.InputBoxValidationSeverity.Info }
        : found && plainMessage(found);
    return typeof found !== "string";
  };
  box.onDidChangeValue((text) => {
    if (text === "") box.validationMessage = undefined;
    else check();
  });
  if (dashboardUrl !== undefined) {
    const link = new vscode.ThemeIcon("link-external");
    box.buttons = [{ iconPath: link, tooltip: vscode.l10n.t("Open the Dashboard") }];
    box.onDidTriggerButton((button) => {
      if (button !== vscode.QuickInputButtons.Back)
        void vscode.env.openExternal(vscode.Uri.parse(dashboardUrl));
    });
  }
  if (box.value !== "") check();
  return await replyIn(box, question, () => ({ value: box.value, isValid: check }));
}

export type Choice<T> = vscode.QuickPickItem & { readonly value: T };

export async function askChoice<T>(
  question: Box & {
    readonly placeholder: string;
    readonly choices: readonly Choice<T>[];
    readonly active?: T;
  },
): Promise<Reply<T | undefined>> {
  const list = vscode.window.createQuickPick<Choice<T>>();
  list.placeholder = question.placeholder;
  list.items = question.choices;
  const active = question.choices.filter(({ value }) => value === question.active);
  if (active.length > 0) list.activeItems = active;
  return await replyIn(list, question, () => {
    const [chosen] = list.selectedItems;
    return { value: chosen?.value, isValid: () => chosen !== undefined };
  });
}

function replyIn<T>(
  input: vscode.InputBox | vscode.QuickPick<Choice<unknown>>,
  { title, position }: Box,
  read: () => { readonly value: T; isValid(): boolean },
): Promise<Reply<T>> {
  input.title = title;
  input.ignoreFocusOut = true;
  if (position !== undefined && position.total > 1) {
    input.step = position.step;
    input.totalSteps = position.total;
    if (position.step > 1) input.buttons = [vscode.QuickInputButtons.Back, ...input.buttons];
  }
  return new Promise((resolve) => {
    const leave = (left: Reply<T>["left"]) => {
      resolve({ left, value: read().value });
      input.dispose();
    };
    input.onDidAccept(() => {
      if (read().isValid()) leave("next");
    });
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) leave("back");
    });
    input.onDidHide(() => leave("cancel"));
    input.show();
  });
}
