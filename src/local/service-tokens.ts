import { randomBytes } from "node:crypto";
import type { CrewTokens } from "../crews/types.ts";

/** Where tokens are kept between windows: SecretStorage, through the connected crews. */
export interface TokenStore {
  tokens(crewId: string): Promise<CrewTokens | undefined>;
  setTokens(crewId: string, tokens: CrewTokens | undefined): Promise<void>;
}

/** The two tokens that a service accepts. */
export interface ServiceTokens {
  readonly token: string;
  readonly userToken: string;
}

/** The kept tokens, with new ones in the place of those that are missing. Nothing is written yet: another window's service may win. */
export async function prepareTokens(store: TokenStore, crewId: string): Promise<ServiceTokens> {
  const kept = { ...(await store.tokens(spareId(crewId))), ...(await store.tokens(crewId)) };
  return { token: kept.bearer ?? newToken(), userToken: kept.userBearer ?? newToken() };
}

/** Keeps the tokens of the service that runs now. A user token that the person chose to use stays in use. */
export async function keepTokens(
  store: TokenStore,
  crewId: string,
  { token, userToken }: ServiceTokens,
): Promise<void> {
  const kept = await store.tokens(crewId);
  if (kept?.bearer !== token || kept.userBearer !== userToken)
    await store.setTokens(crewId, {
      inUse: kept?.inUse ?? "bearer",
      bearer: token,
      userBearer: userToken,
    });
  await forgetSpare(store, crewId);
}

/** Deletes both tokens. */
export async function forgetTokens(store: TokenStore, crewId: string): Promise<void> {
  await store.setTokens(crewId, undefined);
  await forgetSpare(store, crewId);
}

/** The id under which version 0.1 kept the token that was not in use; now both are in one entry. */
function spareId(crewId: string): string {
  return `${crewId}#spare`;
}

async function forgetSpare(store: TokenStore, crewId: string): Promise<void> {
  if ((await store.tokens(spareId(crewId))) !== undefined)
    await store.setTokens(spareId(crewId), undefined);
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}
