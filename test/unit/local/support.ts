import { mkdtemp, mkdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CrewTokens } from "../../../src/crews/types.ts";
import { LocalService, type LocalServiceOptions } from "../../../src/local/local-service.ts";
import { ProjectRecords } from "../../../src/local/records.ts";
import { endService, type Running, startService } from "../../../src/local/service-process.ts";
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
  for (const window of windows) window.service.dispose();
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

interface WindowOptions extends Partial<LocalServiceOptions> {
  /** Where a browser keeps the tokens. */
  readonly tokenFile?: string;
}

/** One window's service of the crew, with the real service and the example crew. */
export class Window {
  readonly service: LocalService;
  readonly problems: unknown[] = [];
  readonly lines: string[] = [];
  readonly launched: Running[] = [];
  launches = 0;
  ends = 0;
  readonly #dataFolder: string;

  constructor(
    records: ProjectRecords,
    tokens: TokenStore,
    { tokenFile, ...more }: WindowOptions = {},
  ) {
    this.#dataFolder = records.dataFolder(crewFolder);
    this.service = new LocalService({
      folder: crewFolder,
      records,
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
export async function newRecords(
  folder?: string,
): Promise<{ records: ProjectRecords; folder: string }> {
  const place = folder ?? (await newFolder());
  const { database, end } = testDatabase(place);
  databases.push(end);
  return { records: new ProjectRecords(database, path.join(place, "local")), folder: place };
}

/** What the windows of a machine share, on which the crew is records. */
export async function newMachine(): Promise<{ records: ProjectRecords; tokens: MemoryTokens }> {
  const { records } = await newRecords();
  records.write({ folder: crewFolder, name: "Crew", port: 0, wanted: false });
  await mkdir(records.dataFolder(crewFolder), { recursive: true });
  return { records, tokens: new MemoryTokens() };
}
