import { createHook } from "node:async_hooks";
import * as vscode from "vscode";

/** What keeps a process busy: timers, watches of files, child processes and servers. Connections are opened later, with nobody on the stack: a server counts them. */
const kinds = [
  "Timeout",
  "FSEVENTWRAP",
  "STATWATCHER",
  "PROCESSWRAP",
  "TCPSERVERWRAP",
  "PIPEWRAP",
  "MESSAGEPORT",
  "WORKER",
];

let copies = 0;

/** Keeps count of all that one copy of the extension asks of VS Code and of Node, until that is given back. */
export class CountedWindow implements vscode.Disposable {
  /** What was registered, by id; nothing of it is in VS Code, which has the extension's own. */
  readonly commands = new Map<string, (argument?: unknown) => unknown>();
  readonly #live = new Map<object, string>();
  readonly #resources = new Map<number, string>();
  readonly #real: (() => void)[] = [];
  readonly #hook;

  /** @param mark stands in the path of the copy's files, and in no other: what is begun with it on the stack is the copy's */
  constructor(mark: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 60;
    this.#hook = createHook({
      init: (id, kind) => {
        if (!kinds.includes(kind)) return;
        const stack = new Error().stack ?? "";
        if (stack.includes(mark))
          this.#resources.set(
            id,
            `${kind} of ${stack
              .split("\n")
              .filter((line) => line.includes(mark))
              .slice(0, 3)
              .join(" ← ")}`,
          );
      },
      destroy: (id) => this.#resources.delete(id),
    }).enable();
    this.#real.push(() => (Error.stackTraceLimit = limit));
    for (const space of [
      vscode.window,
      vscode.workspace,
      vscode.languages,
      vscode.comments,
      vscode.commands,
      vscode.lm,
    ])
      this.#count(space);
    this.#replace(vscode.commands, "registerCommand", (id: string, run: () => unknown) => {
      this.commands.set(id, run);
      return this.counted(`command ${id}`, new vscode.Disposable(() => undefined));
    });
    this.#replace(vscode.window, "createTreeView", (id: string) => {
      const none = new vscode.EventEmitter<never>().event;
      return this.counted(`view ${id}`, {
        visible: true,
        selection: [],
        onDidChangeVisibility: none,
        onDidChangeSelection: none,
        onDidExpandElement: none,
        onDidCollapseElement: none,
        dispose: () => undefined,
      });
    });
    // Two channels of one name are one (observed): the real extension's would end with the copy's.
    const channel = vscode.window.createOutputChannel.bind(vscode.window) as (
      ...given: unknown[]
    ) => vscode.OutputChannel;
    this.#replace(vscode.window, "createOutputChannel", (name: string, ...rest: unknown[]) =>
      channel(`${name} (copy ${++copies})`, ...rest),
    );
    // VS Code takes a word out of the status bar by a timer of its own.
    this.#replace(
      vscode.window,
      "setStatusBarMessage",
      () => new vscode.Disposable(() => undefined),
    );
    const execute = vscode.commands.executeCommand.bind(vscode.commands);
    // Context keys are the real extension's.
    this.#replace(vscode.commands, "executeCommand", (id: string, ...rest: unknown[]) =>
      id === "setContext" ? Promise.resolve() : execute(id, ...rest),
    );
  }

  /** What was not given back. */
  get left(): readonly string[] {
    return [...this.#live.values(), ...this.#resources.values()];
  }

  /** The same thing, counted until it is disposed. */
  counted<T extends { dispose(): unknown }>(name: string, thing: T): T {
    const counted = new Proxy({} as T, {
      get: (_, key) => {
        const member: unknown = Reflect.get(thing, key);
        if (key === "dispose") {
          return () => {
            this.#live.delete(counted);
            return thing.dispose();
          };
        }
        return typeof member === "function" ? (member.bind(thing) as unknown) : member;
      },
      set: (_, key, value) => Reflect.set(thing, key, value),
    });
    this.#live.set(counted, name);
    return counted;
  }

  dispose(): void {
    this.#hook.disable();
    for (const restore of this.#real.reverse()) restore();
  }

  #count(space: object): void {
    for (const [name, { value: member, writable }] of Object.entries(
      Object.getOwnPropertyDescriptors(space),
    )) {
      // Getters cannot be replaced: notebooks, and what else is proposed or rare.
      if (typeof member !== "function" || writable !== true) continue;
      // What is registered once in a window is the real extension's.
      if (name.startsWith("register"))
        this.#replace(space, name, () =>
          this.counted(name, new vscode.Disposable(() => undefined)),
        );
      else if (
        /^(onDid|onWill)|^create(OutputChannel|StatusBarItem|CommentController|DiagnosticCollection|FileSystemWatcher)$/.test(
          name,
        )
      ) {
        this.#replace(space, name, (...given: unknown[]) =>
          this.counted(
            name,
            (member as (...all: unknown[]) => vscode.Disposable).apply(space, given),
          ),
        );
      }
    }
  }

  #replace(space: object, name: string, replacement: (...given: never[]) => unknown): void {
    const real: unknown = Reflect.get(space, name);
    if (!Reflect.set(space, name, replacement)) throw new Error(`${name} cannot be replaced.`);
    this.#real.push(() => Reflect.set(space, name, real));
  }
}
