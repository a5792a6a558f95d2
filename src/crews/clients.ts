import * as vscode from "vscode";
import { shortAddress } from "../api/address.ts";
import { CrewClient, type CrewClientOptions } from "../api/client.ts";
import { agentlessFetch, defaultFetch, type Fetch } from "../api/transport.ts";
import type { CrewInputs, TypedToken } from "../api/types.ts";
import { offer, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { log, logProblem } from "../editor/log.ts";
import type { StatusPaths, StopRoutes } from "./state-by-crew.ts";
import type { Crews } from "./crews.ts";
import {
  actionsForPlace,
  actionsForRefusal,
  MissingTokenError,
  notConnected,
  stoppedError,
} from "./errors.ts";
import { tokenInUse } from "./token-format.ts";
import type { Tokens } from "./tokens.ts";
import { logTraffic } from "./traffic.ts";
import type { Candidate, Crew, CrewAddress, TestResult } from "./types.ts";

/** With `http.proxySupport` "on", VS Code uses no proxy for a request with an agent. */
export const fetch: Fetch = (url, init) =>
  (vscode.workspace.getConfiguration("http").get("proxySupport") === "on"
    ? agentlessFetch
    : defaultFetch)(url, init);

interface Connection {
  readonly client: CrewClient;
  inputs?: CrewInputs;
}

interface Parts {
  readonly crews: Pick<Crews, "list">;
  readonly tokens: Pick<Tokens, "read">;
  readonly statusPaths: StatusPaths;
  readonly stopRoutes: Pick<StopRoutes, "write">;
  readonly userAgent: string | undefined;
}

export interface InputsOptions {
  readonly fresh?: boolean;
  /** A person allows that the crew's Python is asked, which runs the project's code. */
  readonly ask?: boolean;
  readonly signal?: AbortSignal;
}

export class CrewClients {
  readonly #parts: Parts;
  /** Kept, since a client remembers the crew's input names and status path. */
  readonly #connections = new Map<string, Connection>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get(crew: CrewAddress): CrewClient {
    return this.#connection(crew).client;
  }

  /** Before a token is asked for. @throws CrewApiError */
  async testAddress(url: string, signal: AbortSignal): Promise<void> {
    const options = this.#clientOptions(() => shortAddress(url));
    await CrewClient.testAddress(url, options, { signal });
  }

  async test(target: Crew | Candidate, signal?: AbortSignal): Promise<TestResult> {
    const token = "token" in target ? target.token : await this.#readToken(target);
    const { url } = target;
    const options = this.#clientOptions(() => shortAddress(url));
    const connection: Connection =
      "token" in target
        ? { client: new CrewClient(url, token, options) }
        : this.#connection(target);
    const begun = Date.now();
    const inputs = await connection.client.inputs(defined({ signal }));
    connection.inputs = inputs;
    const milliseconds = Date.now() - begun;
    const { baseUrl } = connection.client;
    return { url: baseUrl, milliseconds, inputs: inputs.fields.length, tokenType: token.type };
  }

  async inputs(
    crew: CrewAddress,
    { fresh = false, ask = false, signal }: InputsOptions,
  ): Promise<CrewInputs> {
    const connection = this.#connection(crew);
    if (ask) return (connection.inputs = await connection.client.askInputs(defined({ signal })));
    if (!fresh && connection.inputs !== undefined) return connection.inputs;
    return (connection.inputs = await connection.client.inputs(defined({ signal })));
  }

  knownInputs({ id, url }: CrewAddress): CrewInputs | undefined {
    const connection = this.#connections.get(id);
    return connection?.client.baseUrl === url ? connection.inputs : undefined;
  }

  forget(crewId: string): void {
    this.#connections.delete(crewId);
  }

  dropUnconnected(): void {
    for (const id of this.#connections.keys()) if (this.#find(id) === undefined) this.forget(id);
  }

  #find(crewId: string): Crew | undefined {
    return this.#parts.crews.list().find(({ id }) => id === crewId);
  }

  /** A local crew's port may differ from the stored one. */
  #connected(crew: CrewAddress): Crew {
    const current = this.#find(crew.id);
    if (current === undefined) throw notConnected(crew.id, crew.name);
    return current;
  }

  #connection(crew: CrewAddress): Connection {
    const { id, url, local } = this.#connected(crew);
    const known = this.#connections.get(id);
    if (known?.client.baseUrl === url) return known;
    const client = new CrewClient(url, () => this.#tokenFor(crew, url), {
      ...this.#clientOptions(() => this.#find(id)?.name ?? crew.name),
      ...defined({ statusPath: this.#parts.statusPaths.read(id) }),
      isLocal: local !== undefined,
      onRefused: (error) => {
        const current = this.#find(id);
        if (current === undefined) return;
        offer(error, [...actionsForRefusal(error, current), ...actionsForPlace(error, current)]);
      },
      onStatusPath: (path) =>
        void this.#parts.statusPaths
          .write(id, path)
          .catch((error: unknown) => logProblem("Storing a crew's status path", error)),
      onNoStop: () =>
        void this.#parts.stopRoutes
          .write(id, false)
          .catch((error: unknown) => logProblem("Storing that a crew can't stop", error)),
    });
    const connection = { client };
    this.#connections.set(id, connection);
    return connection;
  }

  /** The crew may have been removed, stopped or moved since the client was created. */
  async #tokenFor(crew: CrewAddress, url: string): Promise<TypedToken> {
    const current = this.#connected(crew);
    if (current.local?.running === false) throw stoppedError(current.name, current.local.folder);
    if (current.url === url) return await this.#readToken(current);
    throw new UserError(
      vscode.l10n.t("“{0}” is no longer at {1}. Try again when it is running.", current.name, url),
    );
  }

  async #readToken(crew: Crew): Promise<TypedToken> {
    const reading = await this.#parts.tokens.read(crew.id);
    if (reading.kind !== "stored") throw new MissingTokenError(crew, reading);
    const token = tokenInUse(reading.tokens);
    if (token !== undefined) return token;
    throw new MissingTokenError(crew, { kind: "lost", why: "garbled" });
  }

  #clientOptions(nameNow: () => string): CrewClientOptions {
    return {
      fetch,
      onTraffic: (traffic) =>
        logTraffic(log, log.logLevel === vscode.LogLevel.Trace, nameNow(), traffic),
      ...defined({ userAgent: this.#parts.userAgent }),
    };
  }
}
