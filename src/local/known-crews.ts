import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "../store/database.ts";
import { integer, optionalText, type Row, text } from "../store/row.ts";

/** What is kept of a local crew between windows. Holds no token. */
export interface KnownCrew {
  /** URI of the project's folder, or {@link exampleFolder}. */
  readonly folder: string;
  readonly name: string;
  /** The port it had last; tried first, so that its address stays. 0 before the first start. */
  readonly port: number;
  /** False once a person stopped it or it failed; true also while its window is closed. */
  readonly wanted: boolean;
  /** Why it does not run though nobody stopped it: it ended by itself, or could not be started. */
  readonly failure?: string | undefined;
}

/** Stands for the example crew's folder, which moves with each version of the extension. */
export const exampleFolder = "crewdeck:/example-crew";

/** The local crews that were started on this machine at some time, and the folders of their services' data. Methods throw what the database does. */
export class KnownCrews {
  readonly #database: Database;
  readonly #root: string;

  /** @param root folder that holds a folder for each crew; made when needed */
  constructor(database: Database, root: string) {
    this.#database = database;
    this.#root = root;
  }

  /** Where a crew's service keeps its data. The name is a hash, since a folder's URI is no file name. */
  dataFolder(folder: string): string {
    return path.join(this.#root, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  }

  /** All, by name. */
  list(): readonly KnownCrew[] {
    return this.#database
      .all("SELECT * FROM local_crews")
      .map(crewIn)
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  /** One crew by its folder; undefined where it was never started. */
  read(folder: string): KnownCrew | undefined {
    const row = this.#database.get("SELECT * FROM local_crews WHERE folder = ?", folder);
    return row && crewIn(row);
  }

  /** Keeps a crew, in the place of what was kept before. */
  write({ folder, name, port, wanted, failure }: KnownCrew): void {
    this.#database.run(
      "INSERT OR REPLACE INTO local_crews (folder, name, port, wanted, failure) VALUES (?, ?, ?, ?, ?)",
      folder,
      name,
      port,
      wanted ? 1 : 0,
      failure ?? null,
    );
  }

  /** Changes what is kept of a crew; nothing where it is not known. */
  change(folder: string, change: Partial<Pick<KnownCrew, "port" | "wanted" | "failure">>): void {
    this.#database.write(() => {
      const current = this.read(folder);
      if (current !== undefined) this.write({ ...current, ...change });
    });
  }

  /** Deletes what is kept of a crew, its service's data first: what can't be deleted is tried again with the crew. */
  async forget(folder: string): Promise<void> {
    await rm(this.dataFolder(folder), { recursive: true, force: true });
    this.#database.run("DELETE FROM local_crews WHERE folder = ?", folder);
  }
}

function crewIn(row: Row): KnownCrew {
  const failure = optionalText(row, "failure");
  return {
    folder: text(row, "folder"),
    name: text(row, "name"),
    port: integer(row, "port"),
    wanted: integer(row, "wanted") === 1,
    ...(failure === undefined ? {} : { failure }),
  };
}
