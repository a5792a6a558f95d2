import assert from "node:assert/strict";
import { extname } from "node:path";
import * as vscode from "vscode";

/** What a person does next: one of these, with what belongs to it. */
interface Deed {
  readonly type?: string;
  readonly pick?: string;
  readonly press?: string;
  readonly on?: string;
  readonly isNotification?: true;
  /** Leaves the message open that has this button. */
  readonly leave?: string;
  readonly saveAs?: string;
  readonly open?: string;
}

export type Move = Deed | "back" | "escape";

/** A box, list or message as it was shown. */
export interface Shown {
  readonly kind: "box" | "list" | "message" | "save" | "open";
  readonly text: string;
  readonly title?: string;
  readonly detail?: string;
  readonly value?: string;
  readonly step?: number;
  readonly hidden?: boolean;
  readonly stays?: boolean;
  readonly choices?: readonly string[];
  /** The row that Enter chooses when the list opens. */
  readonly active?: string;
  /** Of each row of a list; empty for a row without one. */
  readonly descriptions?: readonly string[];
  readonly details?: readonly string[];
  /** The validation message for what was typed. */
  complaint?: string;
}

/** Answers VS Code's boxes, lists, messages and dialogs in place of a person, and records what was shown. */
export class ScriptedPerson implements vscode.Disposable {
  readonly shown: Shown[] = [];
  readonly #moves: Move[];
  readonly #real: object;

  constructor(moves: readonly Move[]) {
    this.#moves = [...moves];
    const message = (text: string, ...rest: readonly unknown[]) => this.#answerMessage(text, rest);
    const scripted = {
      createInputBox: () => this.#input("box"),
      createQuickPick: () => this.#input("list"),
      showInputBox: (options: vscode.InputBoxOptions = {}) => this.#answerBox(options),
      showQuickPick: (
        items: readonly vscode.QuickPickItem[],
        options: vscode.QuickPickOptions = {},
      ) => this.#answerList(items, options),
      showSaveDialog: (options: vscode.SaveDialogOptions = {}) => this.#answerSave(options),
      showOpenDialog: ({ title = "" }: vscode.OpenDialogOptions = {}) => {
        const { open } = this.#deed({ kind: "open", text: title });
        return Promise.resolve(open === undefined ? undefined : [vscode.Uri.file(open)]);
      },
      showErrorMessage: message,
      showWarningMessage: message,
      showInformationMessage: message,
    };
    this.#real = Object.fromEntries(
      Object.keys(scripted).map((name) => [name, Reflect.get(vscode.window, name)]),
    );
    Object.assign(vscode.window, scripted);
  }

  get left(): readonly Move[] {
    return this.#moves;
  }

  dispose(): void {
    Object.assign(vscode.window, this.#real);
  }

  #next(at: Shown): Move {
    const move = this.#moves.shift();
    if (move === undefined) throw new Error(`No move is left for “${at.text}”.`);
    return move;
  }

  /** Records what is shown, and returns what the person does there: nothing to escape. */
  #deed(shown: Shown): Deed {
    this.shown.push(shown);
    const move = this.#next(shown);
    if (move === "back") throw new Error(`“${shown.text}” has no way back.`);
    return move === "escape" ? {} : move;
  }

  #answerMessage(text: string, rest: readonly unknown[]): Promise<string | undefined> {
    const { modal, detail } =
      rest.find((item): item is vscode.MessageOptions =>
        Boolean(item && typeof item === "object"),
      ) ?? {};
    const choices = rest.filter((item) => typeof item === "string");
    const [first] = this.#moves;
    const next: Deed = typeof first === "object" ? first : {};
    const isWanted = next.isNotification === true && choices.includes(next.press ?? "");
    const nothing = Promise.resolve(undefined);
    // The extension can notify at any time, also about an earlier test's executions.
    if (!isWanted && choices.includes("Don't Show Again")) return nothing;
    const shown: Shown = {
      kind: "message",
      text,
      choices,
      ...(detail !== undefined && { detail }),
    };
    if (choices.includes(next.leave ?? "")) {
      this.#deed(shown);
      return new Promise(() => undefined);
    }
    if (modal !== true && !isWanted) {
      // Other notifications get no answer.
      this.shown.push(shown);
      return nothing;
    }
    const deed = this.#deed(shown);
    if (Object.keys(deed).length > 0 && !choices.includes(deed.press ?? ""))
      throw new Error(`“${text}” offers ${choices.join(", ")}, not ${JSON.stringify(deed)}.`);
    return Promise.resolve(deed.press);
  }

  #answerBox(options: vscode.InputBoxOptions): Promise<string | undefined> {
    const { prompt = "", title = "", value = "" } = options;
    const shown: Shown = { kind: "box", text: prompt, title, value };
    for (let deed = this.#deed(shown); ;) {
      if (Object.keys(deed).length > 0 && deed.type === undefined)
        throw new Error(`“${prompt}” needs text, not ${JSON.stringify(deed)}.`);
      const complaint = deed.type === undefined ? undefined : options.validateInput?.(deed.type);
      if (typeof complaint !== "string") return Promise.resolve(deed.type);
      shown.complaint = complaint;
      const move = this.#next(shown);
      deed = typeof move === "object" ? move : {};
    }
  }

  #answerList(
    items: readonly vscode.QuickPickItem[],
    { placeHolder = "", title = "", canPickMany = false }: vscode.QuickPickOptions,
  ): Promise<vscode.QuickPickItem | readonly vscode.QuickPickItem[] | undefined> {
    const choices = items.map(({ label }) => label);
    const { pick, ...other } = this.#deed({
      ...{ kind: "list", text: placeHolder, title, choices },
      descriptions: items.map(({ description = "" }) => description),
      details: items.map(({ detail = "" }) => detail),
    });
    // Of several, none may be chosen.
    if (canPickMany && pick !== undefined)
      return Promise.resolve(items.filter(({ label }) => label === pick));
    if (Object.keys(other).length > 0 || (pick !== undefined && !choices.includes(pick)))
      throw new Error(`The list has ${choices.join(", ")}, not ${JSON.stringify(pick ?? other)}.`);
    return Promise.resolve(items.find(({ label }) => label === pick));
  }

  /** Adds the extension to the name as VS Code's own dialog does in a browser and on a remote (its simpleFileDialog.ts, `addPostfix`). */
  #answerSave({
    title = "",
    defaultUri,
    filters = {},
  }: vscode.SaveDialogOptions): Promise<vscode.Uri | undefined> {
    const value = defaultUri?.fsPath ?? "";
    const { saveAs } = this.#deed({ kind: "save", text: title, value });
    if (saveAs === undefined) return Promise.resolve(undefined);
    const [first, ...others] = Object.values(filters).flat();
    const endings = [first, ...others];
    const isEnded =
      first === undefined || endings.includes("*") || endings.includes(extname(saveAs).slice(1));
    return Promise.resolve(vscode.Uri.file(isEnded ? saveAs : `${saveAs}.${first}`));
  }

  #input(kind: "box" | "list"): object {
    const changed = new vscode.EventEmitter<string>();
    const accepted = new vscode.EventEmitter<void>();
    const triggered = new vscode.EventEmitter<vscode.QuickInputButton>();
    const itemTriggered = new vscode.EventEmitter<
      vscode.QuickPickItemButtonEvent<vscode.QuickPickItem>
    >();
    const hidden = new vscode.EventEmitter<void>();
    let isOpen = true;
    const open = () => isOpen;
    const make = (move: Move): void => {
      if (move === "escape") {
        hidden.fire();
      } else if (move === "back") {
        if (!input.buttons.includes(vscode.QuickInputButtons.Back))
          throw new Error("There is no Back button.");
        triggered.fire(vscode.QuickInputButtons.Back);
      } else if (move.type !== undefined) {
        input.value = move.type;
        changed.fire(move.type);
        accepted.fire();
      } else if (move.pick !== undefined) {
        input.selectedItems = input.items.filter(({ label }) => label === move.pick);
        if (input.selectedItems.length === 0) throw new Error(`The list has no “${move.pick}”.`);
        accepted.fire();
      } else {
        const item = input.items.find(({ label }) => label === move.on);
        const button = item?.buttons?.find(({ tooltip }) => tooltip === move.press);
        if (item === undefined || button === undefined)
          throw new Error(`Only text, a choice or a button fits here: ${JSON.stringify(move)}.`);
        itemTriggered.fire({ item, button });
      }
    };
    const input = {
      title: undefined as string | undefined,
      prompt: "",
      placeholder: "",
      value: "",
      password: false,
      ignoreFocusOut: false,
      step: undefined as number | undefined,
      buttons: [] as readonly vscode.QuickInputButton[],
      validationMessage: undefined as string | vscode.InputBoxValidationMessage | undefined,
      items: [] as readonly vscode.QuickPickItem[],
      activeItems: undefined as readonly vscode.QuickPickItem[] | undefined,
      selectedItems: [] as readonly vscode.QuickPickItem[],
      onDidChangeValue: changed.event,
      onDidChangeSelection: new vscode.EventEmitter<void>().event,
      onDidAccept: accepted.event,
      onDidTriggerButton: triggered.event,
      onDidTriggerItemButton: itemTriggered.event,
      onDidHide: hidden.event,
      dispose: () => (isOpen = false),
      show: () => {
        // VS Code focuses the first row of a list, unless the extension sets other rows, or none.
        const [active] = input.activeItems ?? input.items;
        const shown: Shown = {
          kind,
          text: kind === "box" ? input.prompt : input.placeholder,
          title: input.title ?? "",
          value: input.value,
          hidden: input.password,
          stays: input.ignoreFocusOut,
          choices: input.items.map(({ label }) => label),
          ...(active !== undefined && { active: active.label }),
          ...(input.step !== undefined && { step: input.step }),
        };
        this.shown.push(shown);
        queueMicrotask(() => {
          while (open()) {
            make(this.#next(shown));
            if (open() && typeof input.validationMessage === "string")
              shown.complaint = input.validationMessage;
          }
        });
      },
    };
    return input;
  }
}

export async function withPerson<T>(moves: readonly Move[], action: () => T | PromiseLike<T>) {
  const person = new ScriptedPerson(moves);
  try {
    const result = await action();
    assert.deepEqual(person.left, [], "moves that were not made");
    return { result, shown: person.shown };
  } finally {
    person.dispose();
  }
}
