import * as vscode from "vscode";
import { CrewClient, type CrewClientOptions } from "../api/client.ts";
import type { CrewApiError } from "../api/errors.ts";
import { agentlessFetch, defaultFetch, type Fetch } from "../api/fetch.ts";
import type { CrewInputs, TypedToken } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { offer, UserError } from "../base/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { actionsForPlace, actionsForRefusal } from "./actions.ts";
import type { StatusPaths } from "./crew-values.ts";
import type { Crews } from "./crews.ts";
import { LostTokenError, missingToken, notConnected, StoppedCrewError } from "./errors.ts";
import { tokenInUse } from "./token-format.ts";
import type { Tokens } from "./tokens.ts";
import { logTraffic } from "./traffic.ts";
import type { Candidate, Crew, CrewAddress, TestResult } from "./types.ts";

/** With `http.proxySupport` "on", VS Code uses no proxy for a request that has an agent. */
const fetch: Fetch = (url, init) =>
  (vscode.workspace.getConfiguration("http").get("proxySupport") === "on"
    ? agentlessFetch
    : defaultFetch)(url, init);

/** A client for each connected crew, and its last known inputs. */
export class CrewClients {
  readonly #crews: Pick<Crews, "list" | "tokenState">;
  readonly #tokens: Pick<Tokens, "read">;
  readonly #statusPaths: StatusPaths;
  readonly #userAgent: string | undefined;
  readonly #inputs = new Map<string, { readonly url: string; readonly inputs: CrewInputs }>();
  /** One per crew, because a client remembers the crew's input names and status path. */
  readonly #clients = new Map<string, CrewClient>();

  constructor(
    crews: Pick<Crews, "list" | "tokenState">,
    tokens: Pick<Tokens, "read">,
    statusPaths: StatusPaths,
    userAgent: string | undefined,
  ) {
    this.#crews = crews;
    this.#tokens = tokens;
    this.#statusPaths = statusPaths;
    this.#userAgent = userAgent;
  }

  get(crew: CrewAddress): CrewClient {
    const { id, url, local } = this.#connected(crew);
    const kept = this.#clients.get(id);
    if (kept?.baseUrl === url) return kept;
    const statusPath = this.#statusPaths.read(id);
    const made = new CrewClient(url, () => this.#tokenFor(crew, url), {
      ...this.#clientOptions(() => this.#find(id)?.name ?? crew.name),
      ...defined({ statusPath }),
      isLocal: local !== undefined,
      onRefused: (error) => this.#offerRemedy(crew, error),
      onStatusPath: (path) =>
        void this.#statusPaths
          .write(id, path)
          .catch((error: unknown) => logProblem("Storing a crew's status path", error)),
    });
    this.#clients.set(id, made);
    return made;
  }

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
    const inputs = await client.inputs(defined({ signal }));
    if ("id" in target) this.#inputs.set(target.id, { url: client.baseUrl, inputs });
    return {
      url: client.baseUrl,
      milliseconds: Date.now() - begun,
      inputs: inputs.fields.length,
      tokenType: token.type,
    };
  }

  async inputs(
    crew: CrewAddress,
    options: { readonly fresh?: boolean; readonly signal?: AbortSignal },
  ): Promise<CrewInputs> {
    const client = this.get(crew);
    const known = this.#inputs.get(crew.id);
    if (options.fresh !== true && known?.url === client.baseUrl) return known.inputs;
    const inputs = await client.inputs(defined({ signal: options.signal }));
    this.#inputs.set(crew.id, { url: client.baseUrl, inputs });
    return inputs;
  }

  knownInputs({ id, url }: CrewAddress): CrewInputs | undefined {
    const known = this.#inputs.get(id);
    return known?.url === url ? known.inputs : undefined;
  }

  forget(crewId: string): void {
    this.#inputs.delete(crewId);
    this.#clients.delete(crewId);
  }

  dropUnconnected(): void {
    for (const id of this.#clients.keys())
      if (this.#find(id) === undefined) this.#clients.delete(id);
  }

  #find(crewId: string): Crew | undefined {
    return this.#crews.list().find(({ id }) => id === crewId);
  }

  /** A local crew may have another port than the execution stored. */
  #connected(crew: CrewAddress): Crew {
    const current = this.#find(crew.id);
    if (current !== undefined) return current;
    throw notConnected(crew.id, crew.name);
  }

  /** Between creating a client and a request, the crew may have been removed, stopped or moved. */
  async #tokenFor(crew: CrewAddress, url: string): Promise<TypedToken> {
    const current = this.#connected(crew);
    if (current.local?.running === false)
      throw new StoppedCrewError(current.name, current.local.folder);
    if (current.url !== url) {
      throw new UserError(
        vscode.l10n.t(
          "“{0}” is no longer at {1}. Try again when it is running.",
          current.name,
          url,
        ),
      );
    }
    return await this.#readToken(current);
  }

  async #readToken(crew: Crew): Promise<TypedToken> {
    const reading = await this.#tokens.read(crew.id);
    if (reading.kind !== "stored") throw missingToken(crew, reading);
    const token = tokenInUse(reading.tokens);
    if (token === undefined) throw new LostTokenError(crew, "garbled");
    return token;
  }

  async #offerRemedy(crew: CrewAddress, error: CrewApiError): Promise<void> {
    const current = this.#find(crew.id);
    if (current !== undefined)
      offer(error, [
        ...actionsForRefusal(error, current, await this.#crews.tokenState(crew.id)),
        ...actionsForPlace(error, current),
      ]);
  }

  #clientOptions(nameNow: () => string): CrewClientOptions {
    return {
      fetch,
      onTraffic: (traffic) =>
        logTraffic(log, log.logLevel === vscode.LogLevel.Trace, nameNow(), traffic),
      ...defined({ userAgent: this.#userAgent }),
    };
  }
}
