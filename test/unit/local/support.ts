import { mkdtemp, mkdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CrewTokens } from "../../../src/crews/types.ts";
import { CrewKeeper, type KeeperOptions } from "../../../src/local/crew-keeper.ts";
import { KnownCrews } from "../../../src/local/known-crews.ts";
import type { Running } from "../../../src/local/running.ts";
import { endService, startService } from "../../../src/local/service-process.ts";
import { TokenKeeper, type TokenStore } from "../../../src/local/service-tokens.ts";
import { testDatabase } from "../../support/database.ts";
import { projectFolder } from "../../support/folders.ts";
import { serviceProgram } from "../../support/service.ts";

export const exampleCrew = path.join(projectFolder, "media", "example-crew");

const made: string[] = [];
const windows: Window[] = [];
const databases: (() => void)[] = [];

export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "crewdeck-local-")));
  made.push(folder);
  return folder;
}

/** Closes every window, ends their services, and removes every folder. */
export async function cleanUp(): Promise<void> {
  for (const window of windows) window.keeper.dispose();
  await Promise.all(windows.splice(0).map((window) => window.endServices()));
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

interface WindowOptions extends Partial<KeeperOptions> {
  /** Where a browser keeps the tokens. */
  readonly tokenFile?: string;
}

/** One window's keeper of the crew, with the real service and the example crew. */
export class Window {
  readonly keeper: CrewKeeper;
  readonly problems: unknown[] = [];
  readonly lines: string[] = [];
  readonly launched: Running[] = [];
  launches = 0;
  ends = 0;
  readonly #dataFolder: string;

  constructor(known: KnownCrews, tokens: TokenStore, { tokenFile, ...more }: WindowOptions = {}) {
    this.#dataFolder = known.dataFolder(crewFolder);
    this.keeper = new CrewKeeper({
      folder: crewFolder,
      known,
      tokens: new TokenKeeper(tokens, () => [crewId], tokenFile),
      launch: async (port, given, signal) => {
        this.launches += 1;
        const running = await startService({
          program: serviceProgram(),
          folder: exampleCrew,
          dataFolder: this.#dataFolder,
          engine: { engine: "rehearsal" },
          ...{ port, signal, ...given },
        });
        this.launched.push(running);
        return running;
      },
      onClasses: () => undefined,
      isNeeded: () => true,
      onConnected: () => undefined,
      onChange: () => undefined,
      onLine: (line) => this.lines.push(line),
      onEnded: () => (this.ends += 1),
      onProblem: (_doing, error) => this.problems.push(error),
      lookMs: 20,
      ...more,
    });
    windows.push(this);
  }

  async endServices(): Promise<void> {
    for (const { pid } of this.launched) await endService(this.#dataFolder, pid);
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
