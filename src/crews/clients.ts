import { defined } from "../base/json.ts";
import * as vscode from "vscode";
import { CrewClient, type CrewClientOptions } from "../api/client.ts";
import type { CrewApiError } from "../api/errors.ts";
import { agentlessFetch, defaultFetch, type Fetch } from "../api/fetch.ts";
import type { CrewInputs } from "../api/types.ts";
import { offer, UserError } from "../editor/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { LostTokenError, missingToken, StoppedCrewError } from "./errors.ts";
import { actionsForPlace, actionsForRefusal } from "./refusals.ts";
import type { StatusPaths } from "./status-paths.ts";
import { tokenInUse } from "./token-entry.ts";
import type { Tokens } from "./tokens.ts";
import { logTraffic } from "./traffic.ts";
import type { Candidate, Crew, CrewAddress, StoredToken, TestResult, TokenState } from "./types.ts";

/** What {@link CrewClients} needs. */
export interface CrewClientsOptions {
  /** The crews that are connected now. */
  readonly list: () => readonly Crew[];
  readonly tokens: Pick<Tokens, "read">;
  readonly tokenState: (crewId: string) => Promise<TokenState>;
  readonly statusPaths: StatusPaths;
  readonly userAgent?: string;
}

/** Where `http.proxySupport` is "on", VS Code leads a request that names an agent by no proxy. */
const fetch: Fetch = (url, init) =>
  (vscode.workspace.getConfiguration("http").get("proxySupport") === "on"
    ? agentlessFetch
    : defaultFetch)(url, init);

/** How connected crews are asked: a client for each, and what each was heard to ask for. */
export class CrewClients {
  readonly #options: CrewClientsOptions;
  readonly #inputs = new Map<string, { readonly url: string; readonly inputs: CrewInputs }>();
  /** One a crew: a client keeps what it learnt of its crew, such as the inputs' names, by which a refusal is read. */
  readonly #clients = new Map<string, CrewClient>();

  constructor(options: CrewClientsOptions) {
    this.#options = options;
  }

  /** The client for a connected crew, the same one until the crew changes; as `Crews.client`. */
  get(crew: CrewAddress): CrewClient {
    const { id, url, local } = this.#connected(crew);
    const kept = this.#clients.get(id);
    if (kept?.baseUrl === url) return kept;
    const { statusPaths } = this.#options;
    const statusPath = statusPaths.read(id);
    const made = new CrewClient(url, () => this.#tokenFor(crew, url), {
      ...this.#clientOptions(() => this.#find(id)?.name ?? crew.name),
      ...defined({ statusPath }),
      isLocal: local !== undefined,
      onRefused: (error) => this.#offerRemedy(crew, error),
      onStatusPath: (path) =>
        void statusPaths
          .write(id, path)
          .catch((error: unknown) => logProblem("Remembering a crew's status path", error)),
    });
    this.#clients.set(id, made);
    return made;
  }

  /** Asks for the inputs, of a connected crew or of one to be; as `Crews.test`. */
  async test(target: Crew | Candidate, signal?: AbortSignal): Promise<TestResult> {
    const token = "token" in target ? target.token : await this.#readToken(target);
    const client =
      "token" in target
        ? new CrewClient(
            target.url,
            target.token,
            this.#clientOptions(() => new URL(target.url).host),
          )
        : this.get(target);
    const begun = Date.now();
    const inputs = await client.inputs(signal === undefined ? {} : { signal });
    if ("id" in target) this.#inputs.set(target.id, { url: client.baseUrl, inputs });
    return {
      url: client.baseUrl,
      milliseconds: Date.now() - begun,
      inputs: inputs.fields.length,
      tokenType: token.type,
    };
  }

  /** What a crew asks for; as `Crews.inputs`. */
  async inputs(
    crew: CrewAddress,
    options: { readonly fresh?: boolean; readonly signal?: AbortSignal },
  ): Promise<CrewInputs> {
    const client = this.get(crew);
    const known = this.#inputs.get(crew.id);
    if (options.fresh !== true && known?.url === client.baseUrl) return known.inputs;
    const inputs = await client.inputs(
      options.signal === undefined ? {} : { signal: options.signal },
    );
    this.#inputs.set(crew.id, { url: client.baseUrl, inputs });
    return inputs;
  }

  /** What a crew was last heard to ask for; nothing where this window has not asked it. Asks nobody. */
  knownInputs({ id, url }: CrewAddress): CrewInputs | undefined {
    const known = this.#inputs.get(id);
    return known?.url === url ? known.inputs : undefined;
  }

  /** Forgets what was learnt of a crew. */
  forget(crewId: string): void {
    this.#inputs.delete(crewId);
    this.#clients.delete(crewId);
  }

  /** What a crew's client knows of it ends with the crew, whoever took it out of the settings. */
  dropUnconnected(): void {
    for (const id of this.#clients.keys())
      if (this.#find(id) === undefined) this.#clients.delete(id);
  }

  #find(crewId: string): Crew | undefined {
    return this.#options.list().find(({ id }) => id === crewId);
  }

  /** The crew as it is connected now: a local one may have another port than an execution remembers. */
  #connected(crew: CrewAddress): Crew {
    const current = this.#find(crew.id);
    if (current !== undefined) return current;
    throw new UserError(
      crew.id.startsWith("url:")
        ? vscode.l10n.t("“{0}” ({1}) is not connected. Connect it to go on.", crew.name, crew.url)
        : vscode.l10n.t(
            "The local crew “{0}” has not been started in this window. Start it to go on.",
            crew.name,
          ),
    );
  }

  /** The token for one request. Between a client's making and its request the crew may have gone, stopped or moved. */
  async #tokenFor(crew: CrewAddress, url: string): Promise<StoredToken> {
    const current = this.#connected(crew);
    if (current.local?.running === false)
      throw new StoppedCrewError(current.name, current.local.folder);
    if (current.url !== url) {
      throw new UserError(
        vscode.l10n.t("“{0}” is no longer at {1}. Try again when it runs.", current.name, url),
      );
    }
    return await this.#readToken(current);
  }

  async #readToken(crew: Crew): Promise<StoredToken> {
    const reading = await this.#options.tokens.read(crew.id);
    if (reading.kind !== "stored") throw missingToken(crew, reading);
    const token = tokenInUse(reading.tokens);
    if (token === undefined) throw new LostTokenError(crew, "garbled");
    return token;
  }

  async #offerRemedy(crew: CrewAddress, error: CrewApiError): Promise<void> {
    const current = this.#find(crew.id);
    if (current !== undefined)
      offer(error, [
        ...actionsForRefusal(error, current, await this.#options.tokenState(crew.id)),
        ...actionsForPlace(error, current),
      ]);
  }

  #clientOptions(nameNow: () => string): CrewClientOptions {
    const { userAgent } = this.#options;
    return {
      fetch,
      onTraffic: (traffic) =>
        logTraffic(log, log.logLevel === vscode.LogLevel.Trace, nameNow(), traffic),
      ...defined({ userAgent }),
    };
  }
}
