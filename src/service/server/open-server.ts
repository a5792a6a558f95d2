import { resolve } from "node:path";
import type { Authenticate } from "../app.ts";
import type { CrewPlan } from "../crews.ts";
import { Refusal, unreadable } from "../errors.ts";
import type { ServiceOptions } from "../options.ts";
import {
  checkPublicUrl,
  parseServerConfig,
  readConfigText,
  readEnvironments,
  requireTokens,
  type ServerConfig,
} from "./config.ts";
import { openLiveConfig, type LiveConfig } from "./live-config.ts";
import { authenticateFor } from "./server-app.ts";
import { hashOf } from "./tokens.ts";

/** What a server needs to serve its crews: addresses, tokens and limits. */
export interface ServerPlan extends Pick<
  ServerConfig,
  "publicUrl" | "trustProxy" | "host" | "port"
> {
  readonly crews: readonly CrewPlan[];
  readonly live: Pick<LiveConfig, "tokens" | "limits">;
  readonly authenticate: (crew: string) => Authenticate;
}

/** Plans the server that a configuration file describes. Options of the command line win over the file. @throws {Refusal} */
export async function planFrom(
  config: string,
  { address, role }: Pick<ServiceOptions, "address" | "role">,
  log: (line: string) => void,
): Promise<ServerPlan> {
  checkPublicUrl(address.publicUrl);
  const file = resolve(config);
  const content = await readConfigText(file).catch((error: unknown) => {
    throw new Refusal(
      "options",
      `${unreadable(file, error)} Name the server's crewdeck.server.jsonc with --config.`,
    );
  });
  const read = { ...parseServerConfig(file, content), ...address };
  requireTokens(read);
  if (read.crews.length === 0)
    log(`${file} has no crews, so nothing is served. Describe them in it.`);
  else if (read.tokens.length === 0 && role !== "worker")
    log(
      `${file} has no tokens, so nobody can use its crews. Add one with "crewdeck token add NAME".`,
    );
  const environments = await readEnvironments(file, content);
  const live = openLiveConfig(file, content, log);
  return {
    ...read,
    // The file's addresses are for API processes. A worker only answers probes.
    ...(role === "worker" && { host: address.host ?? "127.0.0.1", port: 0 }),
    crews: read.crews.map((crew) => ({ ...crew, environment: environments.get(crew.name) ?? {} })),
    live,
    authenticate: (crew) => authenticateFor(crew, live),
  };
}

/** Plans a server for several folders of the command line, with one token of each type. */
export function planOf(
  crews: readonly CrewPlan[],
  tokens: { readonly token: string; readonly userToken: string },
): ServerPlan {
  const common = { crews: "all" as const };
  const list = [
    { ...common, name: "organization", kind: "organization" as const, hash: hashOf(tokens.token) },
    { ...common, name: "user", kind: "user" as const, hash: hashOf(tokens.userToken) },
  ];
  const live = {
    tokens: () => list,
    // Only the person who started the service has these tokens.
    limits: () => ({ requestsPerMinute: Infinity, underWayPerCrew: Infinity }),
  };
  return {
    ...{ crews, live, host: "127.0.0.1", port: 0, trustProxy: false },
    authenticate: (crew) => authenticateFor(crew, live),
  };
}
