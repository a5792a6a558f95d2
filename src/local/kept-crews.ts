import * as vscode from "vscode";
import type { Crew } from "../crews/types.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import type { Folders } from "./folders.ts";
import type { KnownCrew, KnownCrews } from "./known-crews.ts";

/** A local crew in this window. */
export interface KeptCrew {
  readonly keeper: CrewKeeper;
  known: KnownCrew;
  /** It was started or needed in this window. */
  isUsed: boolean;
  isStarting: boolean;
}

/** What {@link KeptCrews} needs. */
export interface KeptCrewsOptions {
  /** What all windows know. */
  readonly store: KnownCrews;
  readonly folders: Folders;
  readonly newKeeper: (crew: KnownCrew) => Promise<CrewKeeper>;
  /** The list is another one than it was told last. */
  readonly onChange: (crews: readonly Crew[]) => void;
}

/** The local crews of this window, each with its keeper, in step with what all windows know of them. */
export class KeptCrews implements vscode.Disposable {
  readonly #options: KeptCrewsOptions;
  /** By the name of the folder. */
  readonly #kept = new Map<string, KeptCrew>();
  #refreshing: Promise<void> | undefined;
  /** The list as it was told last. */
  #told = "[]";

  constructor(options: KeptCrewsOptions) {
    this.#options = options;
  }

  /** Those whose folder is there, running or not. */
  all(): readonly KeptCrew[] {
    return [...this.#kept.values()];
  }

  /** The crew in the folder of this name. */
  get(folder: string): KeptCrew | undefined {
    return this.#kept.get(folder);
  }

  /** The crew with this id. */
  find(crewId: string): KeptCrew | undefined {
    return this.all().find(({ known }) => idOf(known.folder) === crewId);
  }

  /** As connected crews. */
  list(): readonly Crew[] {
    return this.all().map((kept) => this.crewOf(kept));
  }

  /** The same of one. */
  crewOf({ known, keeper, isStarting }: KeptCrew): Crew {
    const idle =
      keeper.url !== undefined
        ? {}
        : isStarting
          ? { starting: true as const }
          : known.failure !== undefined
            ? { failure: known.failure }
            : known.wanted
              ? { ranBefore: true as const }
              : {};
    return {
      id: idOf(known.folder),
      name: known.name,
      url: keeper.url ?? `http://127.0.0.1:${known.port}`,
      local: {
        folder: this.#options.folders.uriOf(known.folder).toString(),
        engine: "rehearsal",
        running: keeper.url !== undefined,
        ...idle,
      },
    };
  }

  /** Every crew that was ever started on this machine and not removed, also those whose folder is gone. */
  known(): readonly KnownCrew[] {
    return this.#options.store.list();
  }

  /** Reads what all windows know, and joins the crews that another one serves. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /** Reads again what all windows know of one crew. */
  reread(folder: string): void {
    const known = this.#options.store.read(folder);
    const kept = this.#kept.get(folder);
    if (known === undefined || kept === undefined) return;
    kept.known = known;
    this.publish();
  }

  /** Takes in a crew, unless it is there already. Tells nobody. */
  async add(crew: KnownCrew): Promise<KeptCrew> {
    const keeper = await this.#options.newKeeper(crew);
    const kept = this.#kept.get(crew.folder) ?? {
      known: crew,
      keeper,
      isUsed: false,
      isStarting: false,
    };
    this.#kept.set(crew.folder, kept);
    return kept;
  }

  /** Lets go of a crew; a service of this window leaves. Tells nobody. */
  drop({ known, keeper }: KeptCrew): void {
    keeper.dispose();
    this.#kept.delete(known.folder);
  }

  /** Tells the list where it has changed. */
  publish(): void {
    const list = this.list();
    const told = JSON.stringify(list);
    if (told === this.#told) return;
    this.#told = told;
    this.#options.onChange(list);
  }

  /** The window closes: its services leave with it. */
  dispose(): void {
    for (const { keeper } of this.all()) keeper.dispose();
  }

  async #refresh(): Promise<void> {
    const known = this.known();
    const folders = new Set(known.map(({ folder }) => folder));
    // Removed in another window.
    for (const kept of this.all()) if (!folders.has(kept.known.folder)) this.drop(kept);
    for (const crew of known) {
      const kept = this.#kept.get(crew.folder) ?? (await this.#admit(crew));
      if (kept === undefined) continue;
      kept.known = crew;
      await kept.keeper.join();
    }
    this.publish();
  }

  /** Lists a crew, unless its folder is gone. */
  async #admit(crew: KnownCrew): Promise<KeptCrew | undefined> {
    try {
      await vscode.workspace.fs.stat(this.#options.folders.uriOf(crew.folder));
    } catch {
      // The folder is gone, or on a drive that is not there now; what is kept of the crew stays for when it comes back.
      return undefined;
    }
    return await this.add(crew);
  }
}

/** A local crew's id; the folder is the name it is known by. */
export function idOf(folder: string): string {
  return `local:${folder}`;
}
