import { dirname } from "node:path";
import { defaultDataFolder, lockDataFolder, type DataFolder } from "./data-folder.ts";
import { Refusal, unusable } from "./errors.ts";
import { keyPlace } from "./encryption.ts";
import type { Log } from "./operations/log.ts";
import { openPostgresStorage, openSqliteStorage, type Storage } from "./storage.ts";

/** Where a service keeps its executions, and what its engines need. */
export interface Home {
  readonly storage: Storage;
  /** A folder for engines. */
  readonly folder: string;
  /** Says where the service listens, for other programs. `instance` is in the service's responses, too. */
  publish(published: { url: string; port: number; instance: string; protocol?: number }): void;
  /** @param isOrderly whether nothing has failed */
  leave(isOrderly: boolean): void;
  /** Rejects when files are lost. */
  readonly lost: Promise<never>;
  /** What an error of the database means. */
  explain(error: unknown): unknown;
}

const maxDataFolders = 20;

/**
 * @param place from which the folder is derived if none is given
 * @param isServer whether its executions must be in that folder, and not in another one while it is in use
 * @throws {Refusal}
 */
export async function openFile(
  folder: string | undefined,
  place: string,
  isServer: boolean,
  log: Log,
): Promise<Home> {
  const data = await takeData(folder, place, isServer ? 1 : maxDataFolders, log);
  const file = data.database;
  const storage = ((): Storage => {
    try {
      return openSqliteStorage(file, keyPlace(dirname(file), process.env), log);
    } catch (error) {
      throw unusable(file, error);
    }
  })();
  const files = data.keep();
  // Whoever awaits it later sees the failure.
  files.noticed.catch(() => undefined);
  return {
    storage,
    folder: dirname(file),
    publish: data.publish,
    leave(isOrderly) {
      data.withdraw();
      if (isOrderly && storage.own?.merge() === true) data.release();
    },
    lost: files.noticed,
    // Of an emptied database, SQLite would say that it is damaged.
    explain: (error) => files.look() ?? unusable(file, error),
  };
}

/** In Postgres, which has everything that other processes need. @throws {Refusal} */
export async function openShared(
  url: string,
  connections: number,
  folder: string,
  log: (line: string) => void,
): Promise<Home> {
  return {
    storage: await openPostgresStorage(url, connections, keyPlace(folder, process.env), log),
    folder,
    publish: () => undefined,
    leave: () => undefined,
    lost: new Promise<never>(() => undefined),
    explain: (error) => error,
  };
}

async function takeData(
  folder: string | undefined,
  place: string,
  most: number,
  log: Log,
): Promise<DataFolder> {
  if (folder !== undefined) return lockDataFolder(folder);
  for (let number = 1; ; number += 1) {
    const usual = defaultDataFolder(place, number, process.env);
    try {
      const data = await lockDataFolder(usual);
      log(`Executions are kept in ${usual}`, { level: "info" });
      return data;
    } catch (error) {
      if (!(error instanceof Refusal && error.reason === "inUse" && number < most)) throw error;
    }
  }
}
