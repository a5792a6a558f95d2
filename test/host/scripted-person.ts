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

export type Move = Deed | "escape";

/** A box, list or message as it was shown. */
export interface Shown {
  readonly kind: "box" | "list" | "message" | "save" | "open";
  readonly text: string;
  readonly title?: string;
  readonly detail?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
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
      createQuickPick: () => this.#quickPick(),
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

  #quickPick(): object {
    const accepted = new vscode.EventEmitter<void>();
    const triggered = new vscode.EventEmitter<
      vscode.QuickPickItemButtonEvent<vscode.QuickPickItem>
    >();
    const hidden = new vscode.EventEmitter<void>();
    const input = {
      title: "",
      placeholder: "",
      items: [] as readonly vscode.QuickPickItem[],
      selectedItems: [] as readonly vscode.QuickPickItem[],
      onDidAccept: accepted.event,
      onDidTriggerItemButton: triggered.event,
      onDidHide: hidden.event,
      dispose: () => undefined,
      show: () => {
        const { placeholder: text, title, items } = input;
        const choices = items.map(({ label }) => label);
        const deed = this.#deed({ kind: "list", text, title, choices });
        input.selectedItems = items.filter(({ label }) => label === deed.pick);
        const item = items.find(({ label }) => label === deed.on);
        const button = item?.buttons?.find(({ tooltip }) => tooltip === deed.press);
        if (Object.keys(deed).length === 0) hidden.fire();
        else if (input.selectedItems.length > 0) accepted.fire();
        else if (item && button) triggered.fire({ item, button });
        else throw new Error(`The list has ${choices.join(", ")}, not ${JSON.stringify(deed)}.`);
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
