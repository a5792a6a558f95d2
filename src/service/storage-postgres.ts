import { patient } from "./database/database.ts";
import { openPostgresDatabase } from "./database/postgres.ts";
import type { Storage } from "./storage.ts";

/** A file of its own, so that the bundle with Postgres has its name, by which the `.vsix` leaves it out. Everything in Postgres, together with other processes. @throws {Refusal} */
export async function openPostgresStorage(
  url: string,
  connections: number,
  log: (line: string) => void,
): Promise<Storage> {
  const { jobs, ...database } = await openPostgresDatabase(url, connections, log);
  return { database, forRuns: patient(database, log), jobs };
}
