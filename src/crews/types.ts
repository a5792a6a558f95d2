import type { UnreachableReason } from "../api/errors.ts";
import type { StatusPath, TokenType, TypedToken } from "../api/types.ts";

/** A connected crew. Its token is in SecretStorage, never here. */
export interface Crew {
  /** `url:<normalised address>` for a deployed crew, `local:<folder URI>` for a local one. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly dashboardUrl?: string;
  readonly local?: LocalCrew;
}

export interface LocalCrew {
  readonly folder: string;
  readonly engine: "rehearsal";
  readonly running: boolean;
  readonly starting?: true;
  /** Why it isn't running, unless a person stopped it. */
  readonly failure?: string;
  /** It ran until its window closed, and starts again when it is used. */
  readonly ranBefore?: true;
}

/** A crew's tokens; only in SecretStorage, and in memory during a request. */
export interface CrewTokens {
  readonly inUse: TokenType;
  readonly bearer?: string;
  readonly userBearer?: string;
}

/** Why SecretStorage doesn't return a token. `locked`: it can't be read, such as a locked keychain. */
export type TokenLoss = "gone" | "garbled" | "locked";

export type TokenState =
  | { readonly kind: "stored"; readonly inUse: TokenType; readonly types: readonly TokenType[] }
  /** Never set on this machine. */
  | { readonly kind: "none" }
  | { readonly kind: "lost"; readonly why: TokenLoss };

/** What an execution stores of its crew. */
export type CrewAddress = Pick<Crew, "id" | "name" | "url">;

export interface NewCrew extends Pick<Crew, "name" | "url" | "dashboardUrl"> {
  readonly token?: string;
  readonly tokenType?: TokenType;
}

/** An empty `dashboardUrl` removes it. */
export interface CrewChange extends Partial<Pick<Crew, "name" | "url" | "dashboardUrl">> {
  /** Required for another origin: a token is never sent to a host it wasn't entered for. */
  readonly token?: TypedToken;
}

export interface Candidate {
  readonly url: string;
  readonly token: TypedToken;
}

export type TestCause =
  | UnreachableReason
  | "timeout"
  | "unauthorized"
  | "forbidden"
  | "notACrew"
  | "redirected"
  | "crewFailed"
  | "noToken"
  | "tokenLost";

/** The result of a connection test, for people and programs; without a token. */
export interface CrewReport {
  readonly crew: string;
  readonly url: string;
  readonly ok: boolean;
  readonly milliseconds: number;
  readonly tokenType?: TokenType;
  readonly inputs?: number;
  readonly statusPath?: StatusPath;
  readonly cause?: TestCause;
  readonly problem?: string;
}

export type TestResult = Required<
  Pick<CrewReport, "url" | "milliseconds" | "inputs" | "tokenType">
>;

export interface CrewReplacement {
  readonly from: Crew;
  readonly to: Crew;
}

/** The rehearsal engine calls no model, so kickoffs there don't mention cost. */
export function costsMoney({ local }: Pick<Crew, "local">): boolean {
  return local?.engine !== "rehearsal";
}
