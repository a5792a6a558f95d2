// The `main` of a copy of Crewdeck that test/ui/activation.test.ts makes: in one extension host it loads and activates Crewdeck and an empty
// extension alternately, and writes times and accesses to the file that CREWDECK_METER names.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import type { ExtensionContext, SecretStorage } from "vscode";

export interface Activation {
  /** How long the extension host was blocked (ms): to read the code, and to run `activate` up to its first await. */
  readonly loading: number;
  readonly calling: number;
  readonly done: number;
  /** The number of executions that the extension then knew; undefined for the empty one. */
  readonly executions: number;
  /** Files of the extension's own code that were loaded, from the copy's folder. */
  readonly files: readonly string[];
  readonly secrets: number;
  /** How many connections were opened, of whatever kind. */
  readonly connections: number;
}

export type Measured = Readonly<Record<"Crewdeck" | "empty", readonly Activation[]>>;

interface Loaded {
  activate(context: ExtensionContext): Promise<Pick<CrewdeckApi, "executions">> | undefined;
}

const load = createRequire(__filename);
const folder = __dirname;
const rounds = 5;

export async function activate(context: ExtensionContext): Promise<void> {
  const file = process.env["CREWDECK_METER"];
  if (file === undefined) throw new Error("CREWDECK_METER names no file.");
  const Crewdeck: Activation[] = [];
  const empty: Activation[] = [];
  for (let round = 0; round < rounds; round++) {
    empty.push(await measure("empty.js", context));
    Crewdeck.push(await measure("dist/extension.js", context));
  }
  writeFileSync(file, JSON.stringify({ Crewdeck, empty } satisfies Measured));
}

async function measure(main: string, context: ExtensionContext): Promise<Activation> {
  for (const file of ownFiles()) Reflect.deleteProperty(load.cache, file);
  const counts = { secrets: 0, connections: 0 };
  const subscriptions: ExtensionContext["subscriptions"] = [];
  const own = Object.create(context, {
    subscriptions: { value: subscriptions },
    secrets: { value: countReads(context.secrets, () => counts.secrets++) },
  }) as ExtensionContext;
  const connect = Object.getOwnPropertyDescriptor(net.Socket.prototype, "connect");
  if (connect === undefined) throw new Error("A socket has no connect().");
  Object.defineProperty(net.Socket.prototype, "connect", {
    ...connect,
    value(this: net.Socket, ...args: unknown[]): unknown {
      counts.connections++;
      return Reflect.apply(connect.value as () => unknown, this, args);
    },
  });
  const begun = performance.now();
  const extension = load(path.join(folder, main)) as Loaded;
  const loading = performance.now() - begun;
  const activating = extension.activate(own);
  const calling = performance.now() - begun - loading;
  const api = await activating;
  const done = performance.now() - begun;
  Object.defineProperty(net.Socket.prototype, "connect", connect);
  const files = ownFiles().map((file) => path.relative(folder, file).replaceAll("\\", "/"));
  // A command that is still registered can't be registered in the next round.
  for (const disposable of subscriptions.reverse()) await disposable.dispose();
  return { loading, calling, done, executions: api?.executions().length ?? 0, files, ...counts };
}

function ownFiles(): string[] {
  return Object.keys(load.cache).filter(
    (file) => file.startsWith(folder + path.sep) && file !== __filename,
  );
}

function countReads(secrets: SecretStorage, count: () => void): SecretStorage {
  return {
    get: (key) => (count(), secrets.get(key)),
    store: (key, value) => secrets.store(key, value),
    delete: (key) => secrets.delete(key),
    onDidChange: secrets.onDidChange,
  };
}
