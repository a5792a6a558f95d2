import assert from "node:assert/strict";
import { extname } from "node:path";
import * as vscode from "vscode";

/**
 * What a person does next: in a box (type and accept, go back, escape), in a list (pick, or press a row's button), in a message
 * (press, or leave the one that has that button open) or in a dialog that saves or opens a file.
 */
export type Move =
  | { readonly type: string }
  | { readonly pick: string }
  | { readonly press: string; readonly on?: string; readonly isNotification?: true }
  | { readonly leave: string }
  | { readonly saveAs: string }
  | { readonly open: string }
  | "back"
  | "escape";

/** A box, list or message as it was shown. */
export interface Shown {
  readonly kind: "box" | "list" | "message" | "save" | "open";
  readonly text: string;
  readonly title?: string;
  readonly detail?: string;
  /** The text in the box when it opened. */
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
      showOpenDialog: (options: vscode.OpenDialogOptions = {}) => this.#answerOpen(options),
      showErrorMessage: message,
      showWarningMessage: message,
      showInformationMessage: message,
    };
    this.#real = Object.fromEntries(
      Object.keys(scripted).map((name) => [name, Reflect.get(vscode.window, name)]),
    );
    Object.assign(vscode.window, scripted);
  }

  /** The moves that were not made. */
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

  #answerMessage(text: string, rest: readonly unknown[]): Promise<unknown> {
    const options = rest.find((item) => typeof item === "object") as
      vscode.MessageOptions | undefined;
    const choices = rest.filter((item) => typeof item === "string");
    const [next] = this.#moves;
    const isWanted =
      typeof next === "object" &&
      "press" in next &&
      next.isNotification === true &&
      choices.includes(next.press);
    // The extension can notify at any time, also about an earlier test's executions.
    if (!isWanted && (choices.includes("Don't Show Again") || text.includes("asks you at")))
      return Promise.resolve(undefined);
    const shown: Shown = {
      kind: "message",
      text,
      choices,
      ...(options?.detail === undefined ? {} : { detail: options.detail }),
    };
    this.shown.push(shown);
    if (typeof next === "object" && "leave" in next && choices.includes(next.leave)) {
      this.#moves.shift();
      return new Promise(() => undefined);
    }
    // Other notifications get no answer.
    if (options?.modal !== true && !isWanted) return Promise.resolve(undefined);
    const move = this.#next(shown);
    if (move === "escape") return Promise.resolve(undefined);
    if (typeof move !== "object" || !("press" in move) || !choices.includes(move.press))
      throw new Error(`“${text}” offers ${choices.join(", ")}, not ${JSON.stringify(move)}.`);
    return Promise.resolve(move.press);
  }

  #answerBox(options: vscode.InputBoxOptions): Promise<string | undefined> {
    const { prompt = "", title = "", value = "" } = options;
    const shown: Shown = { kind: "box", text: prompt, title, value };
    this.shown.push(shown);
    for (;;) {
      const move = this.#next(shown);
      if (move === "escape") return Promise.resolve(undefined);
      if (typeof move !== "object" || !("type" in move))
        throw new Error(`“${prompt}” needs text, not ${JSON.stringify(move)}.`);
      const complaint = options.validateInput?.(move.type);
      if (typeof complaint !== "string") return Promise.resolve(move.type);
      shown.complaint = complaint;
    }
  }

  #answerList(
    items: readonly vscode.QuickPickItem[],
    { placeHolder = "", title = "" }: vscode.QuickPickOptions,
  ): Promise<vscode.QuickPickItem | undefined> {
    const shown: Shown = {
      kind: "list",
      text: placeHolder,
      title,
      choices: items.map(({ label }) => label),
      descriptions: items.map(({ description = "" }) => description),
      details: items.map(({ detail = "" }) => detail),
    };
    this.shown.push(shown);
    const move = this.#next(shown);
    if (move === "escape") return Promise.resolve(undefined);
    const chosen =
      typeof move === "object" && "pick" in move
        ? items.find(({ label }) => label === move.pick)
        : undefined;
    if (chosen === undefined)
      throw new Error(
        `The list has ${items.map(({ label }) => label).join(", ")}, not ${JSON.stringify(move)}.`,
      );
    return Promise.resolve(chosen);
  }

  /** Adds the extension to the name as VS Code's own dialog does in a browser and on a remote (its simpleFileDialog.ts, `addPostfix`). */
  #answerSave({
    title = "",
    defaultUri,
    filters = {},
  }: vscode.SaveDialogOptions): Promise<vscode.Uri | undefined> {
    const shown: Shown = { kind: "save", text: title, value: defaultUri?.fsPath ?? "" };
    this.shown.push(shown);
    const move = this.#next(shown);
    if (typeof move !== "object" || !("saveAs" in move)) return Promise.resolve(undefined);
    const endings = Object.values(filters).flat();
    const isEnded =
      endings.length === 0 ||
      endings.some((ending) => ending === "*" || `.${ending}` === extname(move.saveAs));
    return Promise.resolve(
      vscode.Uri.file(isEnded ? move.saveAs : `${move.saveAs}.${endings[0] ?? ""}`),
    );
  }

  #answerOpen({ title = "" }: vscode.OpenDialogOptions): Promise<vscode.Uri[] | undefined> {
    const shown: Shown = { kind: "open", text: title };
    this.shown.push(shown);
    const move = this.#next(shown);
    return Promise.resolve(
      typeof move === "object" && "open" in move ? [vscode.Uri.file(move.open)] : undefined,
    );
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
      } else if ("type" in move) {
        input.value = move.type;
        changed.fire(move.type);
        accepted.fire();
      } else if ("pick" in move) {
        input.selectedItems = input.items.filter(({ label }) => label === move.pick);
        if (input.selectedItems.length === 0) throw new Error(`The list has no “${move.pick}”.`);
        accepted.fire();
      } else if ("press" in move) {
        const item = input.items.find(({ label }) => label === move.on);
        const button = item?.buttons?.find(({ tooltip }) => tooltip === move.press);
        if (item === undefined || button === undefined)
          throw new Error(`The list has no “${move.press}” on “${move.on ?? ""}”.`);
        itemTriggered.fire({ item, button });
      } else {
        throw new Error("Only text, a choice or a button fits here.");
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
        const shown: Shown = {
          kind,
          text: kind === "box" ? input.prompt : input.placeholder,
          title: input.title ?? "",
          value: input.value,
          hidden: input.password,
          stays: input.ignoreFocusOut,
          choices: input.items.map(({ label }) => label),
          ...activeOf(input),
          ...(input.step === undefined ? {} : { step: input.step }),
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

/** VS Code focuses the first row of a list, unless the extension sets other rows, or none. */
function activeOf({
  items,
  activeItems = items,
}: {
  readonly items: readonly vscode.QuickPickItem[];
  readonly activeItems: readonly vscode.QuickPickItem[] | undefined;
}): Pick<Shown, "active"> {
  const [first] = activeItems;
  return first === undefined ? {} : { active: first.label };
}

/** Runs an action with a person who makes all of these moves. Returns its result and what was shown. */
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
