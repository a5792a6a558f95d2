import { resolve } from "node:path";
import type { CrewPlan } from "../crews.ts";
import type { Database } from "../database/database.ts";
import type { Log } from "../operations/log.ts";
import type { ServiceOptions } from "../options.ts";
import { readConfig, readEnvironments, type ServerConfig } from "./config.ts";
import { hashOf, openTokens, takeTokens, tokensOf, type Tokens } from "./tokens.ts";

/** What a server needs to serve its crews: addresses, tokens and limits. */
export interface ServerPlan extends Pick<
  ServerConfig,
  "publicUrl" | "trustProxy" | "host" | "port" | "limits" | "callbackNetworks"
> {
  readonly crews: readonly CrewPlan[];
  readonly tokens: (database: Database) => Promise<Tokens>;
}

/** Plans the server that a configuration file describes. Options of the command line win over the file. @throws {Refusal} */
export async function planFrom(
  config: string,
  { address, role }: Pick<ServiceOptions, "address" | "role">,
  log: Log,
): Promise<ServerPlan> {
  const file = resolve(config);
  const read = await readConfig(file);
  const { crews, tokens, ...rest } = read.config;
  if (crews.length === 0) log(`${file} has no crews, so nothing is served. Describe them in it.`);
  const environments = await readEnvironments(read);
  return {
    ...rest,
    ...address,
    // The file's addresses are for API processes. A worker only answers probes.
    ...(role === "worker" && { host: address.host ?? "127.0.0.1", port: 0 }),
    crews: crews.map((crew, index) => ({ ...crew, environment: environments[index] ?? {} })),
    async tokens(database) {
      const taken = await database.transaction(() => takeTokens(tokens));
      if (taken > 0)
        log(
          `The database has ${taken} tokens of ${file} now. From now on, "crewdeck token" changes them there: remove "tokens" from the file.`,
        );
      const opened = await openTokens(database, log);
      if (opened.areNone())
        log(
          'There are no tokens, so nobody can use the crews. Add one with "crewdeck token add NAME".',
        );
      return opened;
    },
  };
}

/** Plans a server for several folders of the command line, with one token of each type. */
export function planOf(
  crews: readonly CrewPlan[],
  tokens: { readonly token: string; readonly userToken: string },
): ServerPlan {
  const common = { crews: "all" } as const;
  const list = [
    { ...common, name: "organization", kind: "organization", hash: hashOf(tokens.token) },
    { ...common, name: "user", kind: "user", hash: hashOf(tokens.userToken) },
  ] as const;
  return {
    ...{ crews, host: "127.0.0.1", port: 0, trustProxy: false },
    // Only the person who started the service has these tokens.
    limits: { requestsPerMinute: Infinity, underWayPerCrew: Infinity },
    callbackNetworks: [],
    tokens: () => Promise.resolve(tokensOf(list)),
  };
}
