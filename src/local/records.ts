import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { defined } from "../base/json.ts";
import type { LocalEngine } from "../crews/types.ts";
import type { Database } from "../store/database.ts";
import { integer, optionalText, type Row, text } from "../base/sqlite.ts";

export interface ProjectRecord {
  /** A URI, or {@link exampleFolder}. */
  readonly folder: string;
  readonly name: string;
  /** The last one, so that the address stays. 0 before the first start. */
  readonly port: number;
  /** False if a person stopped it; true while nothing needs it, and when it failed: the next window starts it, if it is needed. */
  readonly wanted: boolean;
  readonly failure?: string | undefined;
  readonly engine?: LocalEngine | undefined;
  readonly isEngineChosen?: true | undefined;
}

type RecordChange = Partial<Omit<ProjectRecord, "folder" | "name">>;

/** Its real folder changes with each version of the extension. */
export const exampleFolder = "crewdeck:/example-crew";

export function idOf(folder: string, crewClass?: string): string {
  return crewClass === undefined ? `local:${folder}` : `local:${folder}#${crewClass}`;
}

// A folder's URI has no "#" of its own.

export function folderOf(crewId: string): string {
  const [folder = ""] = crewId.slice("local:".length).split("#");
  return folder;
}

export function classOf(crewId: string): string | undefined {
  return crewId.split("#")[1];
}

/** The projects whose crews were started on this machine, for all windows. Methods throw the database's errors. */
export class ProjectRecords {
  readonly #database: Database;
  readonly #root: string;

  constructor(database: Database, root: string) {
    this.#database = database;
    this.#root = root;
  }

  /** A hash, because a URI isn't a file name. */
  dataFolder(folder: string): string {
    return path.join(this.#root, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  }

  list(): readonly ProjectRecord[] {
    return this.#database
      .all("SELECT * FROM local_crews")
      .map(crewIn)
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  read(folder: string): ProjectRecord | undefined {
    const row = this.#database.get("SELECT * FROM local_crews WHERE folder = ?", folder);
    return row && crewIn(row);
  }

  write(crew: ProjectRecord): void {
    const { folder, name, port, wanted, failure, engine, isEngineChosen } = crew;
    this.#database.run(
      "INSERT OR REPLACE INTO local_crews (folder, name, port, wanted, failure, engine, is_engine_chosen) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[folder, name, port, Number(wanted), failure ?? null, engine ?? null],
      Number(isEngineChosen === true),
    );
  }

  /** Keeps what another window has written meanwhile. */
  add(crew: ProjectRecord): ProjectRecord {
    return this.#database.write(() => {
      const known = this.read(crew.folder);
      if (known === undefined) this.write(crew);
      return known ?? crew;
    });
  }

  change(folder: string, change: RecordChange): void {
    this.#update(folder, () => change);
  }

  fail(folder: string, failure: string): boolean {
    return this.#update(folder, (now) => now.wanted && now.failure === undefined && { failure });
  }

  #update(folder: string, change: (current: ProjectRecord) => RecordChange | false): boolean {
    return this.#database.write(() => {
      const current = this.read(folder);
      const changed = current !== undefined && change(current);
      if (current === undefined || changed === false) return false;
      this.write({ ...current, ...changed });
      return true;
    });
  }

  /** The classes of a folder with several crews, as they were last served; empty for one crew. */
  classes(folder: string): readonly string[] {
    return this.#database
      .all("SELECT name FROM local_classes WHERE folder = ? ORDER BY place", folder)
      .map((row) => text(row, "name"));
  }

  crewIds(folder: string): readonly [service: string, ...crews: string[]] {
    return [idOf(folder), ...this.classes(folder).map((each) => idOf(folder, each))];
  }

  setClasses(folder: string, classes: readonly string[]): void {
    this.#database.write(() => {
      this.#database.run("DELETE FROM local_classes WHERE folder = ?", folder);
      for (const [place, name] of classes.entries())
        this.#database.run("INSERT INTO local_classes VALUES (?, ?, ?)", folder, place, name);
    });
  }

  async forget(folder: string): Promise<void> {
    await rm(this.dataFolder(folder), { recursive: true, force: true });
    this.setClasses(folder, []);
    this.#database.run("DELETE FROM local_crews WHERE folder = ?", folder);
  }
}

function crewIn(row: Row): ProjectRecord {
  const engine = optionalText(row, "engine");
  return {
    folder: text(row, "folder"),
    name: text(row, "name"),
    port: integer(row, "port"),
    wanted: integer(row, "wanted") === 1,
    ...defined({ failure: optionalText(row, "failure") }),
    ...(engine !== undefined && { engine: engine === "crewai" ? engine : "rehearsal" }),
    ...(integer(row, "is_engine_chosen") === 1 && { isEngineChosen: true }),
  };
}
