import type { UnreachableReason } from "../api/errors.ts";
import type { StatusPath, TokenType } from "../api/types.ts";

/** A connected crew: a base address and a token (the token is in SecretStorage, never here). */
export interface Crew {
  /** `url:<normalised address>` for a deployed crew, `local:<folder URI>` for one the local service serves. */
  readonly id: string;
  /** Unique among the connected crews. */
  readonly name: string;
  /** Normalised base address without a trailing slash. */
  readonly url: string;
  readonly dashboardUrl?: string;
  /** Set for a crew of the local service. */
  readonly local?: LocalCrew;
}

/** What is known of a crew that runs on this machine. */
export interface LocalCrew {
  /** URI of the project's folder. */
  readonly folder: string;
  readonly engine: "rehearsal";
  readonly running: boolean;
  /** Set while its service is being started. */
  readonly starting?: true;
  /** Why it does not run though nobody stopped it. */
  readonly failure?: string;
  /** Set where it ran until its window closed: it starts again with its first use. */
  readonly ranBefore?: true;
}

/** A token and which kind it is. Lives only in SecretStorage and in the memory of a request. */
export interface StoredToken {
  readonly token: string;
  readonly type: TokenType;
}

/** The tokens of a crew: at most one of each kind, and the one that requests carry. Lives only in SecretStorage and in the memory of a request. */
export interface CrewTokens {
  readonly inUse: TokenType;
  readonly bearer?: string;
  readonly userBearer?: string;
}

/** Why the machine's store of secrets does not give a token back: the entry is gone, holds something else, or the store can't be read (a locked keychain). */
export type TokenLoss = "gone" | "garbled" | "locked";

/** What may be known of a crew's tokens outside SecretStorage. */
export type TokenState =
  | { readonly kind: "stored"; readonly inUse: TokenType; readonly types: readonly TokenType[] }
  /** This machine never had one. */
  | { readonly kind: "none" }
  | { readonly kind: "lost"; readonly why: TokenLoss };

/** Enough of a crew to find it again, as an execution keeps it. */
export type CrewAddress = Pick<Crew, "id" | "name" | "url">;

/** A crew to connect. */
export interface NewCrew {
  readonly name: string;
  readonly url: string;
  readonly dashboardUrl?: string;
  readonly token?: string;
  /** `bearer` where absent. */
  readonly tokenType?: TokenType;
}

/** What to change of a connected crew; absent means as it was. */
export interface CrewChange {
  readonly name?: string;
  readonly url?: string;
  /** An empty text takes it away. */
  readonly dashboardUrl?: string;
  /** For the new address. Needed when its origin is another one: a token never goes to a host it was not given for. */
  readonly token?: StoredToken;
}

/** An address and a token that are tried before they are saved. */
export interface Candidate {
  readonly url: string;
  readonly token: StoredToken;
}

/** Why a crew cannot be worked with: how it could not be reached, which token it refused, or what else answered at its address. */
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

/** What a test of a connected crew found; plain data without a token, returned to programs and shown to a person. */
export interface CrewReport {
  readonly crew: string;
  readonly url: string;
  /** Whether it answered `GET /inputs`. */
  readonly ok: boolean;
  /** How long that answer, or the failure, took; retries included. */
  readonly milliseconds: number;
  /** Whose token was sent; absent where there was none to send. */
  readonly tokenType?: TokenType;
  /** How many inputs the crew asks for. */
  readonly inputs?: number;
  /** The status path that it answers; absent where that is not known yet. */
  readonly statusPath?: StatusPath;
  readonly cause?: TestCause;
  /** What is wrong and what to do, in whole sentences. */
  readonly problem?: string;
}

/** A crew answered `GET /inputs`. */
export interface TestResult {
  readonly url: string;
  /** How long the answer took, retries included. */
  readonly milliseconds: number;
  /** How many inputs the crew asks for. */
  readonly inputs: number;
  readonly tokenType: TokenType;
}

/** A crew before and after a change; the id differs when the address changed. */
export interface CrewReplacement {
  readonly from: Crew;
  readonly to: Crew;
}
