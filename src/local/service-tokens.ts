import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { asObject, parseJson, textAt } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import type { CrewIds } from "./records.ts";

/** SecretStorage, through the connected crews. */
export type TokenStore = Pick<Crews, "tokens" | "setTokens">;

export type ServiceTokens = Readonly<Record<"token" | "userToken", string>>;

/** It goes with the service's data. */
export function tokenFile(dataFolder: string): string {
  return path.join(dataFolder, "tokens.json");
}

/**
 * A local service's tokens: in SecretStorage and, where a window in a browser may forget that, in a file that only this user can read.
 */
export class TokenKeeper {
  readonly #store: TokenStore;
  readonly #crewIds: () => CrewIds;
  readonly #file: string | undefined;

  constructor(store: TokenStore, crewIds: () => CrewIds, file: string | undefined) {
    [this.#store, this.#crewIds, this.#file] = [store, crewIds, file];
  }

  /** Undefined if there are none. */
  async read(): Promise<ServiceTokens | undefined> {
    const filed = await this.#filed();
    if (filed !== undefined) return filed;
    const { bearer, userBearer } = (await this.#store.tokens(this.#crewIds()[0])) ?? {};
    return bearer === undefined || userBearer === undefined
      ? undefined
      : { token: bearer, userToken: userBearer };
  }

  /** Those that are stored; others are new. Stores none: another window's service may be first. */
  async prepare(): Promise<ServiceTokens> {
    const kept = await this.#store.tokens(this.#crewIds()[0]);
    const newToken = () => randomBytes(32).toString("base64url");
    return (
      (await this.#filed()) ?? {
        token: kept?.bearer ?? newToken(),
        userToken: kept?.userBearer ?? newToken(),
      }
    );
  }

  /** For each crew. Keeps the person's choice of the token in use. */
  async keep(tokens: ServiceTokens): Promise<void> {
    const { token, userToken } = tokens;
    for (const id of this.#crewIds()) {
      const kept = await this.#store.tokens(id);
      if (kept?.bearer === token && kept.userBearer === userToken) continue;
      const inUse = kept?.inUse ?? "bearer";
      await this.#store.setTokens(id, { inUse, bearer: token, userBearer: userToken });
    }
    if (this.#file !== undefined)
      await writeFile(this.#file, JSON.stringify(tokens), { mode: 0o600 });
  }

  async #filed(): Promise<ServiceTokens | undefined> {
    if (this.#file === undefined) return undefined;
    const kept = asObject(parseJson(await readFile(this.#file, "utf8").catch(() => "")));
    const [token, userToken] = [textAt(kept, "token"), textAt(kept, "userToken")];
    return token === undefined || userToken === undefined ? undefined : { token, userToken };
  }
}
