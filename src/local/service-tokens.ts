import { randomBytes } from "node:crypto";
import type { StoredToken } from "../crews/types.ts";

/** Where tokens are kept between windows: SecretStorage, through the connected crews. */
export interface TokenStore {
  token(crewId: string): Promise<StoredToken | undefined>;
  setToken(crewId: string, token: StoredToken | undefined): Promise<void>;
}

/** The two tokens that a service accepts. */
export interface ServiceTokens {
  readonly token: string;
  readonly userToken: string;
}

/** The kept tokens, with new ones in the place of those that are missing. Nothing is written yet: another window's service may win. */
export async function prepareTokens(store: TokenStore, crewId: string): Promise<ServiceTokens> {
  const own = await store.token(crewId);
  const other = await store.token(spareId(crewId));
  const find = (type: StoredToken["type"]) => [own, other].find((kept) => kept?.type === type)?.token ?? newToken();
  return { token: find("bearer"), userToken: find("userBearer") };
}

/** Keeps the tokens of the service that runs now. A user token that the person chose to use stays in use. */
export async function keepTokens(store: TokenStore, crewId: string, { token, userToken }: ServiceTokens): Promise<void> {
  const organisation: StoredToken = { token, type: "bearer" };
  const user: StoredToken = { token: userToken, type: "userBearer" };
  const own = await store.token(crewId);
  const [first, spare] = own?.type === "userBearer" ? [user, organisation] : [organisation, user];
  if (own?.token !== first.token) await store.setToken(crewId, first);
  if ((await store.token(spareId(crewId)))?.token !== spare.token) await store.setToken(spareId(crewId), spare);
}

/** Deletes both tokens. */
export async function forgetTokens(store: TokenStore, crewId: string): Promise<void> {
  await store.setToken(crewId, undefined);
  await store.setToken(spareId(crewId), undefined);
}

/** The id under which the token that is not in use is kept. */
function spareId(crewId: string): string {
  return `${crewId}#spare`;
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}
