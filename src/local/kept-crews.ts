import * as vscode from "vscode";
import type { Crew, LocalCrew } from "../crews/types.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import type { Folders } from "./folders.ts";
import type { KnownCrew, KnownCrews } from "./known-crews.ts";

/** A local crew in this window. */
export interface KeptCrew {
  readonly keeper: CrewKeeper;
  known: KnownCrew;
  /** Started or needed in this window. */
  isUsed: boolean;
  isStarting: boolean;
}

/** The local crews of this window by folder, each with its keeper; updated from the database that all windows share. */
export class KeptCrews implements vscode.Disposable {
  readonly #store: KnownCrews;
  readonly #folders: Folders;
  readonly #newKeeper: (crew: KnownCrew) => Promise<CrewKeeper>;
  readonly #onChange: (crews: readonly Crew[]) => void;
  readonly #kept = new Map<string, KeptCrew>();
  #refreshing: Promise<void> | undefined;
  #published = "[]";

  /** @param onChange gets the list when it has changed */
  constructor(
    store: KnownCrews,
    folders: Folders,
    newKeeper: (crew: KnownCrew) => Promise<CrewKeeper>,
    onChange: (crews: readonly Crew[]) => void,
  ) {
    this.#store = store;
    this.#folders = folders;
    this.#newKeeper = newKeeper;
    this.#onChange = onChange;
  }

  /** Those whose folder exists, running or not. */
  all(): readonly KeptCrew[] {
    return [...this.#kept.values()];
  }

  get(folder: string): KeptCrew | undefined {
    return this.#kept.get(folder);
  }

  find(crewId: string): KeptCrew | undefined {
    return this.all().find(({ known }) => idOf(known.folder) === crewId);
  }

  list(): readonly Crew[] {
    return this.all().map((kept) => this.crewOf(kept));
  }

  crewOf({ known, keeper, isStarting }: KeptCrew): Crew {
    const { failure, wanted } = known;
    const running = keeper.url !== undefined;
    const idle: Pick<LocalCrew, "starting" | "failure" | "ranBefore"> = isStarting
      ? { starting: true }
      : failure !== undefined
        ? { failure }
        : { ...(wanted && { ranBefore: true }) };
    return {
      id: idOf(known.folder),
      name: known.name,
      url: keeper.url ?? `http://127.0.0.1:${known.port}`,
      local: {
        folder: this.#folders.uriOf(known.folder).toString(),
        engine: "rehearsal",
        running,
        ...(running ? {} : idle),
      },
    };
  }

  /** Reads the database, and uses the services of other windows. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  reread(folder: string): void {
    const known = this.#store.read(folder);
    const kept = this.#kept.get(folder);
    if (known === undefined || kept === undefined) return;
    kept.known = known;
    this.publish();
  }

  /** Adds a crew if it is new, without publishing. */
  async add(crew: KnownCrew): Promise<KeptCrew> {
    const keeper = await this.#newKeeper(crew);
    const kept = this.#kept.get(crew.folder) ?? {
      known: crew,
      keeper,
      isUsed: false,
      isStarting: false,
    };
    this.#kept.set(crew.folder, kept);
    return kept;
  }

  /** Removes a crew without publishing; a service of this window stops. */
  drop({ known, keeper }: KeptCrew): void {
    keeper.dispose();
    this.#kept.delete(known.folder);
  }

  publish(): void {
    const list = this.list();
    const text = JSON.stringify(list);
    if (text === this.#published) return;
    this.#published = text;
    this.#onChange(list);
  }

  dispose(): void {
    for (const { keeper } of this.all()) keeper.dispose();
  }

  async #refresh(): Promise<void> {
    const known = this.#store.list();
    for (const kept of this.all())
      if (!known.some(({ folder }) => folder === kept.known.folder)) this.drop(kept);
    for (const crew of known) {
      const kept = this.#kept.get(crew.folder) ?? (await this.#addIfThere(crew));
      if (kept === undefined) continue;
      kept.known = crew;
      await kept.keeper.join();
    }
    this.publish();
  }

  /** A folder may be gone, or on a drive that isn't mounted now. */
  async #addIfThere(crew: KnownCrew): Promise<KeptCrew | undefined> {
    try {
      await vscode.workspace.fs.stat(this.#folders.uriOf(crew.folder));
    } catch {
      return undefined;
    }
    return await this.add(crew);
  }
}

export function idOf(folder: string): string {
  return `local:${folder}`;
}
