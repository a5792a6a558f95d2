import type { ModelRoute } from "../base/window-protocol.ts";
import type { Crew, LocalCrew } from "../crews/types.ts";
import type { Connection } from "./connection.ts";
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
}

/** Leads a crew's Python to the model that was chosen for the crew. */
export interface CrewModels {
  choice(crewId: string): { readonly use: "project" | "vscode" | "endpoint" };
  route(crewId: string): Promise<ModelRoute>;
  follow(crewId: string, connection: Connection): void;
  offer(crewId: string): Promise<void>;
  forget(crewId: string): Promise<void>;
}

/** As other rooms see it, or its several crews. `folder` is its URI. */
export function crewsOf(
  kept: KeptCrew,
  known: KnownCrew,
  classes: readonly string[],
  folder: string,
): readonly Crew[] {
  const whole = crewOf(kept, known, folder);
  if (classes.length === 0) return [whole];
  return classes.map((crewClass) => ({
    ...whole,
    id: idOf(kept.folder, crewClass),
    name: `${whole.name}: ${crewClass}`,
    url: `${whole.url}/${crewClass}`,
    local: { ...whole.local, crewClass },
  }));
}

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
