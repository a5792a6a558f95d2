import type { Crew, LocalCrew } from "../crews/types.ts";
import type { CrewEngines } from "./crew-engines.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import { noClass } from "./errors.ts";
import type { Folders } from "./folders.ts";
import { idOf, type KnownCrew, type KnownCrews } from "./known-crews.ts";
import type { CrewIds } from "./service-tokens.ts";

/** A local crew in this window. */
export interface KeptCrew extends Pick<KnownCrew, "folder" | "name"> {
  readonly keeper: CrewKeeper;
  readonly engines: CrewEngines;
  /** Started or needed in this window. */
  isUsed: boolean;
  isStarting: boolean;
  /** The next start may take another engine than the last one. */
  isEngineFree: boolean;
}

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
    const whole = crewOf(kept, known, this.#folders.uriOf(folder).toString());
    const classes = this.#store.classes(folder);
    if (classes.length === 0) return [whole];
    return classes.map((crewClass) => ({
      ...whole,
      id: idOf(folder, crewClass),
      name: `${whole.name}: ${crewClass}`,
      url: `${whole.url}/${crewClass}`,
      local: { ...whole.local, crewClass },
    }));
  }

  /** Of the folder's service. @returns those that it no longer has, and what their executions belong to now */
  setClasses(kept: KeptCrew, classes: readonly string[]) {
    const before = this.crewsOf(kept);
    this.#store.setClasses(kept.folder, classes);
    const now = this.crewsOf(kept);
    const [to] = now;
    const gone = before.filter(({ id }) => !now.some((each) => each.id === id));
    return to === undefined ? [] : gone.map((from) => ({ from, to }));
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

/** As other rooms see it. @param folder its URI */
function crewOf(
  { name, keeper, engines, isStarting, folder: key }: KeptCrew,
  known: KnownCrew,
  folder: string,
): Crew & { readonly local: LocalCrew } {
  const { failure, wanted, port, engine = "rehearsal" } = known;
  const { url, connection } = keeper;
  const note = connection && engines.noteOf(key);
  const interrupted = connection?.held ?? [];
  const idle: Pick<LocalCrew, "starting" | "failure" | "ranBefore"> = isStarting
    ? { starting: true }
    : failure !== undefined
      ? { failure }
      : { ...(wanted && { ranBefore: true }) };
  return {
    id: idOf(key),
    name,
    url: url ?? `http://127.0.0.1:${port}`,
    local: {
      folder,
      engine,
      running: url !== undefined,
      ...(note !== undefined && { engineNote: note }),
      ...(url === undefined ? idle : interrupted.length > 0 && { interrupted }),
    },
  };
}
