import { cp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { temporaryFolder } from "../support/folders.ts";
import { CountedWindow } from "./counted-window.ts";
import { ScriptedPerson } from "./scripted-person.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";

const extension = vscode.extensions.getExtension("crewdeck.crewdeck")!;

/** The packaged extension, activated again in this window: with its own modules and, for each test, a storage of its own. */
export class SecondWindow {
  /** Its path marks in a stack what the copy has started. */
  readonly #copy = path.join(extension.extensionPath, "out", "second-window", String(process.pid));
  readonly #ends: (() => unknown)[] = [];
  storage = "";
  readonly example = path.join(extension.extensionPath, "media", "example-crew");

  /** Prepares a copy for the tests of a `describe`. */
  constructor() {
    before(async () => {
      await extension.activate();
      await cp(path.join(extension.extensionPath, "dist"), this.#copy, { recursive: true });
    });
    beforeEach(() => {
      this.storage = temporaryFolder("second-window");
    });
    afterEach(async () => {
      for (const end of this.#ends.splice(0).reverse()) await end();
      await remove(this.storage);
    });
    after(() => remove(this.#copy));
  }

  atEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Opens a window, and records what it shows a person, who answers nothing. */
  async openWithPerson() {
    const opened = this.open();
    const person = new ScriptedPerson([]);
    this.atEnd(() => person.dispose());
    const run = (id: string, argument: unknown) => Promise.resolve(opened.run(id, argument));
    return { api: await opened.activate(), person, run };
  }

  /** Loads the copy. `activate` and `end` do what VS Code does when a window opens and closes. */
  open(secrets = new MemorySecrets()) {
    const window = new CountedWindow(this.#copy);
    this.atEnd(() => window.dispose());
    const subscriptions: vscode.Disposable[] = [];
    const context = {
      subscriptions,
      secrets: Object.assign(Object.create(secrets) as MemorySecrets, {
        onDidChange: (...given: Parameters<typeof secrets.onDidChange>) =>
          window.counted("secrets.onDidChange", secrets.onDidChange(...given)),
        get: (key: string) => secrets.get(key),
        store: (key: string, value: string) => secrets.store(key, value),
        delete: (key: string) => secrets.delete(key),
      }),
      globalState: new MemoryMemento(),
      workspaceState: new MemoryMemento(),
      extension,
      extensionUri: extension.extensionUri,
      extensionPath: extension.extensionPath,
      globalStorageUri: vscode.Uri.file(this.storage),
    };
    const require = createRequire(path.join(this.#copy, "extension.js"));
    for (const name of Object.keys(require.cache))
      if (name.startsWith(this.#copy)) Reflect.deleteProperty(require.cache, name);
    const { activate } = require(path.join(this.#copy, "extension.js")) as {
      activate: (context: unknown) => Promise<CrewdeckApi>;
    };
    const end = () => {
      for (const subscription of subscriptions.splice(0)) subscription.dispose();
    };
    this.atEnd(end);
    return {
      window,
      secrets,
      end,
      activate: () => activate(context),
      run: (id: string, argument: unknown) => window.commands.get(`crewdeck.${id}`)!(argument),
    };
  }
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
