import type { TokenType, TypedToken } from "../api/types.ts";

/** Its token is only in SecretStorage. */
export interface Crew {
  /** `url:<normalised address>`, or `local:<folder URI>` for a local crew, with `#<class>` where a folder has several. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly dashboardUrl?: string;
  readonly local?: LocalCrew;
}

/** `crewai` runs the project in its own Python, `rehearsal` calls no language model. */
export type LocalEngine = "rehearsal" | "crewai";
/** What is in the way of crewAI, besides a person's choice. */
export type EngineObstacle = "trust" | "crewai" | "model";

export interface LocalCrew {
  readonly folder: string;
  /** Where the folder has several crews, which one service serves. */
  readonly crewClass?: string;
  /** The one that runs, or ran last. */
  readonly engine: LocalEngine;
  /** Where crewAI runs, or why it doesn't; only in the window that started the crew. */
  readonly engineNote?: string;
  readonly obstacle?: EngineObstacle;
  /** IDs of executions that a restart interrupted, and that a person has not decided about. */
  readonly interrupted?: readonly string[];
  readonly running: boolean;
  readonly starting?: true;
  /** In this window, crewAI is being installed for it. */
  readonly isSettingUp?: true;
  /** Undefined if a person stopped it. */
  readonly failure?: string;
}

/** Whether an execution of a local crew was interrupted: nothing runs until a person decides. */
export function isInterrupted(
  crew: Pick<Crew, "local"> | undefined,
  kickoffIds: readonly string[],
): boolean {
  return crew?.local?.interrupted?.some((id) => kickoffIds.includes(id)) === true;
}

/** Only in SecretStorage, and in memory during a request. */
export interface CrewTokens {
  readonly inUse: TokenType;
  readonly bearer?: string;
  readonly userBearer?: string;
}

export type TokenState =
  | { readonly kind: "stored"; readonly inUse: TokenType; readonly types: readonly TokenType[] }
  /** Not on this machine, such as after settings sync has brought the crew, or unreadable. */
  | { readonly kind: "none" }
  | { readonly kind: "locked" };

export type CrewAddress = Pick<Crew, "id" | "name" | "url">;

export interface NewCrew extends Pick<Crew, "name" | "url" | "dashboardUrl"> {
  readonly token: string;
  readonly tokenType?: TokenType | undefined;
}

/** An empty `dashboardUrl` removes it. */
export interface CrewChange extends Partial<Pick<Crew, "name" | "url" | "dashboardUrl">> {
  /** Required for another origin: a token is never sent to a host it wasn't entered for. */
  readonly token?: TypedToken;
}

export interface CrewReplacement {
  readonly from: Crew;
  readonly to: Crew;
}

export function costsMoney({ local }: Pick<Crew, "local">): boolean {
  return local?.engine !== "rehearsal";
}
