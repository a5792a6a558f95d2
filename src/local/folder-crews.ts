import type { Crew } from "../crews/types.ts";
import { noClass } from "./errors.ts";
import type { Folders } from "./folders.ts";
import { crewsOf, type KeptCrew } from "./kept-crew.ts";
import { idOf, type KnownCrews } from "./known-crews.ts";
import type { CrewIds } from "./service-tokens.ts";

/** The crews of each folder, one or several, which one service serves. */
export class FolderCrews {
  readonly #store: KnownCrews;
  readonly #folders: Folders;

  constructor(store: KnownCrews, folders: Folders) {
    this.#store = store;
    this.#folders = folders;
  }

  /** None if another window has removed them. */
  crewsOf(kept: KeptCrew): readonly Crew[] {
    const { folder } = kept;
    const known = this.#store.read(folder);
    if (known === undefined) return [];
    return crewsOf(
      kept,
      known,
      this.#store.classes(folder),
      this.#folders.uriOf(folder).toString(),
    );
  }

  /** By default the first. Undefined if another window has removed it. */
  crewOf(kept: KeptCrew, crewClass?: string): Crew | undefined {
    return this.crewsOf(kept).find(
      ({ local }) => crewClass === undefined || local?.crewClass === crewClass,
    );
  }

  /** The crew that is meant; asks if there are several. Undefined if the person cancels. @throws UserError */
  async oneOf(kept: KeptCrew, crewClass: string | undefined): Promise<Crew | undefined> {
    const crews = this.crewsOf(kept);
    if (crewClass === undefined)
      return crews.length > 1 ? await (await import("./pick.ts")).pickClass(crews) : crews[0];
    return this.named(kept, crewClass);
  }

  /** @param crewClass undefined for the only crew. @throws UserError if the folder has others now */
  named(kept: KeptCrew, crewClass: string | undefined): Crew {
    const found = this.crewsOf(kept).find(({ local }) => local?.crewClass === crewClass);
    if (found !== undefined) return found;
    throw noClass(kept.name, crewClass, this.#store.classes(kept.folder));
  }

  /** Of the service, then of its crews if there are several. */
  idsOf(folder: string): CrewIds {
    return [idOf(folder), ...this.#store.classes(folder).map((each) => idOf(folder, each))];
  }
}
