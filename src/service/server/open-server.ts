import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { CrewPlan } from "../crews.ts";
import type { Database } from "../database/database.ts";
import { Refusal, unreadable } from "../errors.ts";
import type { Log } from "../operations/log.ts";
import type { ServiceOptions } from "../options.ts";
import { readConfig, readSmallFile, type ServerConfig, type ServerCrew } from "./config.ts";
import { openTokens, takeTokens, type Tokens } from "./tokens.ts";

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
  const { crews, tokens, ...rest } = await readConfig(file);
  if (crews.length === 0) log(`${file} has no crews, so nothing is served. Describe them in it.`);
  return {
    ...rest,
    ...address,
    // The file's addresses are for API processes. A worker only answers probes.
    ...(role === "worker" && { host: address.host ?? "127.0.0.1", port: 0 }),
    crews: await Promise.all(
      crews.map(async (crew) => ({ ...crew, environment: await readEnvironment(file, crew) })),
    ),
    async tokens(database) {
      const taken = await database.transaction(() => takeTokens(tokens));
      if (taken > 0)
        log(
          `The database has ${taken} tokens of ${file} now. From now on, "crewdeck token" changes them there: remove "tokens" from the file.`,
        );
      return await openTokens(database, log);
    },
  };
}

async function readEnvironment(
  config: string,
  { name, environmentFile }: ServerCrew,
): Promise<NodeJS.Dict<string>> {
  if (environmentFile === undefined) return {};
  try {
    return parseEnv(await readSmallFile(environmentFile));
  } catch (error) {
    throw new Refusal(
      "options",
      `${config}: the environmentFile of "${name}" can't be used. ${unreadable(environmentFile, error)}`,
    );
  }
}

/** Plans a server for the crews of the command line. */
export function planOf(crews: readonly CrewPlan[], tokens: Tokens): ServerPlan {
  return {
    ...{ crews, host: "127.0.0.1", port: 0, trustProxy: false },
    // Only the person who started the service has these tokens.
    limits: { requestsPerMinute: Infinity, underWayPerCrew: Infinity },
    callbackNetworks: [],
    tokens: () => Promise.resolve(tokens),
  };
}
