import type { Crew, LocalCrew } from "../crews/types.ts";
import type { CrewEngines } from "./crew-engines.ts";
import type { CrewKeeper } from "./crew-keeper.ts";
import { idOf, type KnownCrew } from "./known-crews.ts";

/** A local crew in this window. */
export interface KeptCrew extends Pick<KnownCrew, "folder" | "name"> {
  readonly keeper: CrewKeeper;
  readonly engines: CrewEngines;
  /** Started or needed in this window. */
  isUsed: boolean;
  isStarting: boolean;
  /** The next start may take another engine than the last one. */
  isEngineFree: boolean;
  /** Executions that a restart of this window's service interrupted. */
  held: readonly string[];
}

/** As other rooms see it. `folder` is its URI. */
export function crewOf(
  { name, keeper, engines, isStarting, held, folder: key }: KeptCrew,
  known: KnownCrew,
  folder: string,
): Crew {
  const { failure, wanted, port, engine = "rehearsal", interrupted: count = 0 } = known;
  const { url, isOwn } = keeper;
  const note = isOwn ? engines.noteOf(key) : undefined;
  const idle: Pick<LocalCrew, "starting" | "failure" | "ranBefore"> = isStarting
    ? { starting: true }
    : failure !== undefined
      ? { failure }
      : { ...(wanted && { ranBefore: true }) };
  const interrupted = { count, isElsewhere: !isOwn, kickoffIds: isOwn ? held : [] };
  return {
    id: idOf(key),
    name,
    url: url ?? `http://127.0.0.1:${port}`,
    local: {
      folder,
      engine,
      running: url !== undefined,
      ...(note !== undefined && { engineNote: note }),
      ...(url === undefined ? idle : count > 0 && { interrupted }),
    },
  };
}
