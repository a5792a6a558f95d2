import * as vscode from "vscode";
import { plainMessage } from "../editor/messages.ts";
import type { Left, Position } from "./conversation.ts";

interface Question {
  readonly title: string;
  readonly position?: Position;
}

export interface TextQuestion extends Question {
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** An error keeps the input open, a note doesn't. An empty input shows its error only when it is accepted. */
  validate(text: string): string | { readonly note: string } | undefined;
  /** A button that opens a web page. */
  readonly link?: { readonly tooltip: string; readonly address: string };
}

/** How a question ended, with the input's value. */
export interface Reply<T> {
  readonly left: Left;
  readonly value: T;
}

/** Shows an input box that stays open when it loses focus. */
export function askText(question: TextQuestion): Promise<Reply<string>> {
  return new Promise((resolve) => {
    const box = vscode.window.createInputBox();
    const link: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon("link-external"),
      tooltip: question.link?.tooltip ?? "",
    };
    prepare(box, question, question.link === undefined ? [] : [link]);
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
    const leave = (left: Left) => {
      resolve({ left, value: box.value });
      box.dispose();
    };
    box.onDidChangeValue((text) => {
      if (text === "") box.validationMessage = undefined;
      else check();
    });
    box.onDidAccept(() => {
      if (check()) leave("next");
    });
    box.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) leave("back");
      else if (question.link !== undefined)
        void vscode.env.openExternal(vscode.Uri.parse(question.link.address));
    });
    box.onDidHide(() => leave("cancel"));
    if (box.value !== "") check();
    box.show();
  });
}

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

/** Shows a quick pick. The value is undefined without a choice. */
export function askChoice<T>(
  question: Question & {
    readonly placeholder: string;
    readonly choices: readonly Choice<T>[];
    readonly active?: T;
  },
): Promise<Reply<T | undefined>> {
  return new Promise((resolve) => {
    const list = vscode.window.createQuickPick<Choice<T>>();
    prepare(list, question, []);
    list.placeholder = question.placeholder;
    list.items = question.choices;
    const active = question.choices.filter(({ value }) => value === question.active);
    // By default the first item is active.
    if (active.length > 0) list.activeItems = active;
    const leave = (left: Left, value: T | undefined) => {
      resolve({ left, value });
      list.dispose();
    };
    list.onDidAccept(() => {
      const chosen = list.selectedItems[0];
      if (chosen !== undefined) leave("next", chosen.value);
    });
    list.onDidTriggerButton(() => leave("back", undefined));
    list.onDidHide(() => leave("cancel", undefined));
    list.show();
  });
}

function prepare(
  input: vscode.QuickInput & { buttons: readonly vscode.QuickInputButton[] },
  { title, position }: Question,
  buttons: readonly vscode.QuickInputButton[],
): void {
  input.title = title;
  // Stay open while the person looks up the token.
  input.ignoreFocusOut = true;
  if (position !== undefined && position.total > 1) {
    input.step = position.step;
    input.totalSteps = position.total;
  }
  input.buttons =
    position?.canGoBack === true ? [vscode.QuickInputButtons.Back, ...buttons] : buttons;
}
