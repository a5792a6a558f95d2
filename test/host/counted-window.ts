import { createHook } from "node:async_hooks";
import * as vscode from "vscode";

/** Resources that keep a process alive: timers, file watchers, child processes and servers. Connections are opened later, without a caller on the stack, so a server counts them. */
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

/** Counts what one copy of the extension registers with VS Code and Node until it is disposed. */
export class CountedWindow implements vscode.Disposable {
  /** The registered commands by ID; they are not in VS Code, which has those of the real extension. */
  readonly commands = new Map<string, (argument?: unknown) => unknown>();
  readonly #live = new Map<object, string>();
  readonly #resources = new Map<number, string>();
  readonly #real: (() => void)[] = [];
  readonly #hook;

  /** @param mark part of the path of the copy's files only: what starts with it on the stack belongs to the copy */
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
    // Two channels with one name are the same (observed): disposing the copy's would dispose the real extension's.
    const channel = vscode.window.createOutputChannel.bind(vscode.window) as (
      ...given: unknown[]
    ) => vscode.OutputChannel;
    this.#replace(vscode.window, "createOutputChannel", (name: string, ...rest: unknown[]) =>
      channel(`${name} (copy ${++copies})`, ...rest),
    );
    // VS Code removes a status bar message with its own timer.
    this.#replace(
      vscode.window,
      "setStatusBarMessage",
      () => new vscode.Disposable(() => undefined),
    );
    const execute = vscode.commands.executeCommand.bind(vscode.commands);
    // Context keys belong to the real extension.
    this.#replace(vscode.commands, "executeCommand", (id: string, ...rest: unknown[]) =>
      id === "setContext" ? Promise.resolve() : execute(id, ...rest),
    );
  }

  get left(): readonly string[] {
    return [...this.#live.values(), ...this.#resources.values()];
  }

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
      // Getters can't be replaced; those are notebooks and proposed APIs.
      if (typeof member !== "function" || writable !== true) continue;
      // The real extension has registered its own; a window allows each once.
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
