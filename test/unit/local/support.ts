import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { CrewTokens } from "../../../src/crews/types.ts";
import {
  LocalService,
  type LocalServiceOptions,
  type ServiceTokens,
} from "../../../src/local/local-service.ts";
import { ProjectRecords } from "../../../src/local/records.ts";
import { endService, type Running, startService } from "../../../src/local/service-process.ts";
import { testDatabase } from "../../support/database.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { projectFolder, temporaryFolder } from "../../support/folders.ts";
import { serviceProgram } from "../../support/service.ts";

export const exampleCrew = path.join(projectFolder, "media", "example-crew");

export const newFolder = (): Promise<string> => realpath(temporaryFolder("local"));

type TokenStore = LocalServiceOptions["crews"];

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

/** One window's service of the crew, with the real service and the example crew. It ends with the test. */
export class Window extends LocalService {
  readonly problems: unknown[] = [];
  readonly launched: Running[] = [];
  launches = 0;
  ends = 0;

  constructor(
    records: ProjectRecords,
    crews: TokenStore,
    more: Partial<Pick<LocalServiceOptions, "hasTokenFile" | "settleMs">> = {},
  ) {
    super({ folder: crewFolder, records, crews, hasTokenFile: false, ...more });
    atEndOfTest(() => this.endServices());
    atEndOfTest(() => this.dispose());
  }

  protected async launch(port: number, tokens: ServiceTokens, signal: AbortSignal) {
    this.launches += 1;
    const running = await startService({
      program: serviceProgram(),
      folder: exampleCrew,
      dataFolder: this.dataFolder,
      engine: { engine: "rehearsal" },
      ...{ port, signal, ...tokens },
    });
    this.launched.push(running);
    return running;
  }

  protected ended(): void {
    this.ends += 1;
  }

  protected failed(_doing: string, error: unknown): void {
    this.problems.push(error);
  }

  log(): void {}
  protected setClasses(): void {}
  protected connected(): void {}
  protected changed(): void {}

  async endServices(): Promise<void> {
    for (const { pid } of this.launched) await endService(this.dataFolder, pid);
  }
}

/** A window's local crews, on a new or the given machine. */
export async function newRecords(
  folder?: string,
): Promise<{ records: ProjectRecords; folder: string }> {
  const place = folder ?? (await newFolder());
  const { database } = testDatabase(place);
  return { records: new ProjectRecords(database, path.join(place, "local")), folder: place };
}

/** What the windows of a machine share, on which the crew is records. */
export async function newMachine(): Promise<{ records: ProjectRecords; tokens: MemoryTokens }> {
  const { records } = await newRecords();
  records.write({ folder: crewFolder, name: "Crew", port: 0, wanted: false });
  await mkdir(records.dataFolder(crewFolder), { recursive: true });
  return { records, tokens: new MemoryTokens() };
}
