import { mkdtemp, mkdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CrewTokens } from "../../../src/crews/types.ts";
import { CrewKeeper, type KeeperOptions, type TokenStore } from "../../../src/local/crew-keeper.ts";
import { KnownCrews } from "../../../src/local/known-crews.ts";
import { ServiceProcess, type Exit } from "../../../src/local/service-process.ts";
import { testDatabase } from "../../support/database.ts";

export const program = new URL("./fake-service.mjs", import.meta.url).pathname;

const made: string[] = [];
const windows: Window[] = [];
const databases: (() => void)[] = [];

export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "crewdeck-local-")));
  made.push(folder);
  return folder;
}

/** Closes every window and removes every folder. */
export async function cleanUp(): Promise<void> {
  for (const window of windows.splice(0)) await window.close();
  for (const end of databases.splice(0)) end();
  for (const folder of made.splice(0))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Tokens in memory, shared by the windows of a test as SecretStorage is. */
export class MemoryTokens implements TokenStore {
  readonly kept = new Map<string, CrewTokens>();

  tokens(id: string): Promise<CrewTokens | undefined> {
    return Promise.resolve(this.kept.get(id));
  }

  setTokens(id: string, tokens: CrewTokens | undefined): Promise<void> {
    if (tokens === undefined) this.kept.delete(id);
    else this.kept.set(id, tokens);
    return Promise.resolve();
  }
}

export const crewId = "local:file:///crew";
export const crewFolder = "file:///crew";

/** One window's keeper of the crew, with the fake service. */
export class Window {
  readonly keeper: CrewKeeper;
  readonly ended: Exit[] = [];
  readonly problems: unknown[] = [];
  readonly lines: string[] = [];
  readonly held: (readonly string[])[] = [];
  readonly processes: ServiceProcess[] = [];
  launches = 0;
  changes = 0;

  constructor(
    known: KnownCrews,
    tokens: TokenStore,
    more: Partial<KeeperOptions> & {
      folder?: never;
      serves?: string;
      onLaunch?: () => void;
      onListening?: () => void;
    } = {},
  ) {
    this.keeper = new CrewKeeper({
      crewId,
      folder: crewFolder,
      known,
      tokens,
      launch: async (port, { token, userToken }, signal) => {
        this.launches += 1;
        more.onLaunch?.();
        const options = {
          program,
          folder: more.serves ?? "/crew",
          dataFolder: known.dataFolder(crewFolder),
          engine: { engine: "rehearsal" } as const,
          port,
          token,
          userToken,
          signal,
        };
        const process = await ServiceProcess.start({
          ...options,
          onLine: (line) => this.lines.push(line),
          onHeld: (ids) => this.held.push(ids),
        });
        this.processes.push(process);
        more.onListening?.();
        return process;
      },
      isNeeded: () => true,
      onChange: () => (this.changes += 1),
      onEnded: (exit) => this.ended.push(exit),
      onProblem: (_doing, error) => this.problems.push(error),
      lookMs: 20,
      ...more,
    });
    windows.push(this);
  }

  /** Closes the window; resolves when its processes have exited. */
  async close(): Promise<void> {
    this.keeper.dispose();
    await Promise.all(this.processes.map(({ exited }) => exited));
  }
}

/** A window's local crews, on a new or the given machine. */
export async function newKnownCrews(
  folder?: string,
): Promise<{ known: KnownCrews; folder: string }> {
  const place = folder ?? (await newFolder());
  const { database, end } = testDatabase(place);
  databases.push(end);
  return { known: new KnownCrews(database, path.join(place, "local")), folder: place };
}

/** What the windows of a machine share, on which the crew is known. */
export async function newMachine(): Promise<{ known: KnownCrews; tokens: MemoryTokens }> {
  const { known } = await newKnownCrews();
  known.write({ folder: crewFolder, name: "Crew", port: 0, wanted: false });
  await mkdir(known.dataFolder(crewFolder), { recursive: true });
  return { known, tokens: new MemoryTokens() };
}
