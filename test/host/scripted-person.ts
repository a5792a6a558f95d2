import * as vscode from "vscode";

/** What a person does next: with a box (type and accept, go back, leave), a list (pick) or a message (press). */
export type Move = { readonly type: string } | { readonly pick: string } | { readonly press: string } | "back" | "escape";

/** A box, list or message as it was shown, and what it said was wrong with what was typed. */
export interface Shown {
  readonly kind: "box" | "list" | "message";
  readonly text: string;
  readonly title?: string;
  readonly detail?: string;
  /** What stood in the box when it opened. */
  readonly value?: string;
  readonly step?: number;
  readonly hidden?: boolean;
  readonly stays?: boolean;
  readonly choices?: readonly string[];
  complaint?: string;
}

/** Takes a person's place at VS Code's boxes, lists and messages, and writes down what was shown. */
export class ScriptedPerson implements vscode.Disposable {
  readonly shown: Shown[] = [];
  readonly #moves: Move[];
  readonly #real = { ...pick(vscode.window) };

  constructor(moves: readonly Move[]) {
    this.#moves = [...moves];
    const message = (text: string, ...rest: readonly unknown[]) => this.#answerMessage(text, rest);
    Object.assign(vscode.window, {
      createInputBox: () => this.#input("box"),
      createQuickPick: () => this.#input("list"),
      showErrorMessage: message,
      showWarningMessage: message,
      showInformationMessage: message,
    });
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
    if (move === undefined) throw new Error(`Nobody knows what to do with “${at.text}”.`);
    return move;
  }

  #answerMessage(text: string, rest: readonly unknown[]): Promise<unknown> {
    const options = rest.find((item) => typeof item === "object") as vscode.MessageOptions | undefined;
    const choices = rest.filter((item) => typeof item === "string");
    const shown: Shown = { kind: "message", text, choices, ...(options?.detail === undefined ? {} : { detail: options.detail }) };
    this.shown.push(shown);
    // A message that is no question is read and left alone.
    if (options?.modal !== true) return Promise.resolve(undefined);
    const move = this.#next(shown);
    if (move === "escape") return Promise.resolve(undefined);
    if (typeof move !== "object" || !("press" in move) || !choices.includes(move.press)) throw new Error(`“${text}” offers ${choices.join(", ")}, not ${JSON.stringify(move)}.`);
    return Promise.resolve(move.press);
  }

  #input(kind: "box" | "list"): object {
    const changed = new vscode.EventEmitter<string>();
    const accepted = new vscode.EventEmitter<void>();
    const triggered = new vscode.EventEmitter<vscode.QuickInputButton>();
    const hidden = new vscode.EventEmitter<void>();
    let isOpen = true;
    const open = () => isOpen;
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
      activeItems: [] as readonly vscode.QuickPickItem[],
      selectedItems: [] as readonly vscode.QuickPickItem[],
      onDidChangeValue: changed.event,
      onDidAccept: accepted.event,
      onDidTriggerButton: triggered.event,
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
          ...(input.step === undefined ? {} : { step: input.step }),
        };
        this.shown.push(shown);
        queueMicrotask(() => {
          while (open()) {
            this.#apply(this.#next(shown), input, { changed, accepted, triggered, hidden });
            if (open() && typeof input.validationMessage === "string") shown.complaint = input.validationMessage;
          }
        });
      },
    };
    return input;
  }

  #apply(
    move: Move,
    input: { value: string; buttons: readonly vscode.QuickInputButton[]; items: readonly vscode.QuickPickItem[]; selectedItems: readonly vscode.QuickPickItem[] },
    events: { changed: vscode.EventEmitter<string>; accepted: vscode.EventEmitter<void>; triggered: vscode.EventEmitter<vscode.QuickInputButton>; hidden: vscode.EventEmitter<void> },
  ): void {
    if (move === "escape") {
      events.hidden.fire();
    } else if (move === "back") {
      if (!input.buttons.includes(vscode.QuickInputButtons.Back)) throw new Error("There is no way back here.");
      events.triggered.fire(vscode.QuickInputButtons.Back);
    } else if ("type" in move) {
      input.value = move.type;
      events.changed.fire(move.type);
      events.accepted.fire();
    } else if ("pick" in move) {
      input.selectedItems = input.items.filter(({ label }) => label === move.pick);
      if (input.selectedItems.length === 0) throw new Error(`The list has no “${move.pick}”.`);
      events.accepted.fire();
    } else {
      throw new Error("There is nothing to press here.");
    }
  }
}

function pick({ createInputBox, createQuickPick, showErrorMessage, showWarningMessage, showInformationMessage }: typeof vscode.window) {
  return { createInputBox, createQuickPick, showErrorMessage, showWarningMessage, showInformationMessage };
}
