import * as vscode from "vscode";
import { normaliseAddress, shortAddress } from "../api/address.ts";
import type { CrewInputs, TokenType, TypedToken } from "../api/types.ts";
import { messageOf, offer, UserError } from "../base/errors.ts";
import { Disposables } from "../base/events.ts";
import { defined } from "../base/json.ts";
import { logged, logProblem } from "../editor/log.ts";
import type { CrewClient } from "./clients.ts";
import { stateByCrew, type StateByCrew, stopRoutesKey, tokenNotesKey } from "./state-by-crew.ts";
import {
  actionsForPlace,
  actionsForRefusal,
  addCrewAction,
  MissingTokenError,
  setTokenAction,
  startLocalAction,
} from "./errors.ts";
import {
  findCrew,
  idOfAddress,
  isSameName,
  isSameOrigin,
  isWebAddress,
  uniqueName,
} from "./identity.ts";
import { crewSettings } from "./settings.ts";
import {
  cleanToken,
  parseEntry,
  tokenInUse,
  tokenTypeName,
  tokenTypes,
  withToken,
} from "./token-format.ts";
import type {
  Crew,
  CrewAddress,
  CrewChange,
  CrewReplacement,
  CrewTokens,
  NewCrew,
  TokenState,
} from "./types.ts";

interface Connection {
  readonly client: CrewClient;
  inputs?: CrewInputs;
}

export class Crews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #settings = this.#owned.add(crewSettings());
  readonly #changed = this.#owned.add(new vscode.EventEmitter<void>());
  readonly #removed = this.#owned.add(new vscode.EventEmitter<Crew>());
  readonly #replaced = this.#owned.add(new vscode.EventEmitter<CrewReplacement>());
  readonly #tokens: ReturnType<typeof tokensIn>;
  /** Whether a crew may be able to stop executions: true until it has said that it has no such route. */
  readonly #stopRoutes: StateByCrew<boolean>;
  readonly #userAgent: string | undefined;
  /** Kept, since a client remembers the crew's input names and status path. */
  readonly #connections = new Map<string, Connection>();
  #local: readonly Crew[] = [];
  #startLocal: ((crewId: string) => Promise<unknown>) | undefined;

  constructor(
    context: Pick<vscode.ExtensionContext, "secrets" | "globalState">,
    userAgent?: string,
  ) {
    const { globalState } = context;
    this.#tokens = this.#owned.add(tokensIn(context.secrets, globalState));
    this.#stopRoutes = stateByCrew(globalState, stopRoutesKey, (route) => route !== false);
    this.#userAgent = userAgent;
    this.#owned.add(this.#settings.onDidChange(() => this.#listChanged()));
    this.onDidChangeToken = this.#tokens.onDidChange;
  }

  readonly onDidChange = this.#changed.event;
  readonly onDidRemove = this.#removed.event;
  readonly onDidReplace = this.#replaced.event;
  /** Fires with a crew's id, but not always for changes in another window. */
  readonly onDidChangeToken: vscode.Event<string>;

  /** The settings' crews, then the local ones; names are unique. */
  list(): readonly Crew[] {
    const crews: Crew[] = [...this.#settings.list()];
    for (const crew of this.#local) {
      const taken = crews.map(({ name }) => name);
      crews.push({ ...crew, name: uniqueName(crew.name, taken) });
    }
    return crews;
  }

  find(nameOrUrlOrId: string): Crew | undefined {
    return findCrew(this.list(), nameOrUrlOrId);
  }

  get(nameOrUrlOrId: string): Crew {
    const crew = this.find(nameOrUrlOrId);
    if (crew !== undefined) return crew;
    const names = this.list().map(({ name }) => name);
    throw new UserError(
      vscode.l10n.t(
        "No crew named “{0}” is connected. Connected: {1}.",
        nameOrUrlOrId,
        names.join(", ") || "–",
      ),
      [addCrewAction()],
    );
  }

  /** A local crew's port may differ from the stored one. @throws UserError */
  connected({ id, name }: Pick<Crew, "id" | "name">): Crew {
    const current = this.#byId(id);
    if (current !== undefined) return current;
    throw new UserError(
      vscode.l10n.t("“{0}” is not connected. Connect or start it to continue.", name),
      [addCrewAction()],
    );
  }

  /** Starts a stopped local crew. @throws UserError if the crew isn't connected or doesn't start */
  async ready({ id, name }: Pick<Crew, "id" | "name">): Promise<Crew> {
    if (id.startsWith("local:")) await this.#startLocal?.(id);
    return this.connected({ id, name });
  }

  async client(crew: CrewAddress): Promise<CrewClient> {
    return (await this.#connection(crew)).client;
  }

  /** The token in use. @throws UserError if SecretStorage can't be read */
  async token(crewId: string): Promise<TypedToken | undefined> {
    const tokens = await this.tokens(crewId);
    return tokens && tokenInUse(tokens);
  }

  /** Both tokens, for the local service. @throws UserError as {@link token} */
  async tokens(crewId: string): Promise<CrewTokens | undefined> {
    const reading = await this.#tokens.read(crewId);
    if (reading.kind === "locked")
      throw new MissingTokenError(this.find(crewId) ?? { id: crewId, name: crewId }, true);
    return reading.kind === "stored" ? reading.tokens : undefined;
  }

  async tokenState(crewId: string): Promise<TokenState> {
    const reading = await this.#tokens.read(crewId);
    if (reading.kind !== "stored") return reading;
    const { tokens } = reading;
    const types = tokenTypes.filter((type) => tokens[type] !== undefined);
    return { kind: "stored", inUse: tokens.inUse, types };
  }

  async setToken(crewId: string, token: TypedToken): Promise<void> {
    const known = await this.#tokens.read(crewId);
    // What can't be read is replaced.
    const tokens = known.kind === "stored" ? known.tokens : undefined;
    await this.#tokens.write(crewId, withToken(tokens, token));
  }

  async setTokens(crewId: string, tokens: CrewTokens | undefined): Promise<void> {
    await (tokens === undefined ? this.#tokens.delete(crewId) : this.#tokens.write(crewId, tokens));
  }

  async useToken(crew: Crew, type: TokenType): Promise<void> {
    const tokens = await this.#read(crew);
    if (tokens[type] !== undefined) await this.#tokens.write(crew.id, { ...tokens, inUse: type });
    else
      throw new UserError(
        vscode.l10n.t(
          "“{0}” has no {1} on this machine. Set it first.",
          crew.name,
          tokenTypeName(type),
        ),
        [setTokenAction(crew)],
      );
  }

  /** Saves it only after a test by `GET /inputs`. @throws UserError, AddressError or CrewApiError */
  async add(
    crew: NewCrew,
    { untested, signal }: { readonly untested?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Crew> {
    const added = this.checkNew(crew);
    const token: TypedToken = { token: cleanToken(crew.token), type: crew.tokenType ?? "bearer" };
    if (untested !== true) await this.test(added.url, token, signal);
    this.checkNew(crew);
    await this.#tokens.write(added.id, withToken(undefined, token));
    try {
      await this.#settings.save(added.id, added);
    } catch (error) {
      await this.#tokens.delete(added.id);
      throw error;
    }
    return this.find(added.id) ?? added;
  }

  checkNew(crew: Pick<NewCrew, "name" | "url" | "dashboardUrl">): Crew {
    return checked({ ...crew, url: normaliseAddress(crew.url) }, this.list());
  }

  checkChange(crew: Crew, change: CrewChange): Crew {
    refuseLocal(crew);
    const url = change.url === undefined ? crew.url : normaliseAddress(change.url);
    const others = this.list().filter(({ id }) => id !== crew.id);
    return checked({ ...crew, ...change, url }, others);
  }

  async change(crew: Crew, change: CrewChange): Promise<Crew> {
    const to = this.checkChange(crew, change);
    const tokens = isSameOrigin(crew.url, to.url) ? await this.tokens(crew.id) : undefined;
    const moved = to.id !== crew.id;
    if (change.token !== undefined)
      await this.#tokens.write(to.id, withToken(tokens, change.token));
    else if (moved && tokens !== undefined) await this.#tokens.write(to.id, tokens);
    try {
      await this.#settings.save(crew.id, to);
    } catch (error) {
      if (moved) await this.#tokens.delete(to.id);
      throw error;
    }
    if (moved) await this.#forget(crew.id);
    this.#replaced.fire({ from: crew, to });
    return to;
  }

  async remove(crew: Crew): Promise<void> {
    refuseLocal(crew);
    await this.#settings.delete(crew.id);
    await this.#forget(crew.id);
    this.#removed.fire(crew);
  }

  /** Also deletes the tokens of crews that were removed from the settings by hand. @returns why something could not be deleted */
  async clear(): Promise<readonly unknown[]> {
    const problems: unknown[] = [];
    const note = (error: unknown) => problems.push(error);
    const removed = this.#settings.list();
    await this.#settings.clear().catch(note);
    for (const id of new Set([...removed.map((crew) => crew.id), ...this.#tokens.crewIds()]))
      await this.#forget(id).catch((error: unknown) => {
        const text = vscode.l10n.t("The tokens of {0} are still here: {1}", id, messageOf(error));
        note(new Error(text, { cause: error }));
      });
    for (const crew of removed) this.#removed.fire(crew);
    return problems;
  }

  async test(url: string, token: TypedToken, signal?: AbortSignal): Promise<void> {
    const { CrewClient, clientOptions } = await import("./clients.ts");
    const options = clientOptions(() => shortAddress(url), this.#userAgent);
    await new CrewClient(url, token, options).inputs(defined({ signal }));
  }

  /** @param ask a person lets the crew's Python run for it @throws CrewApiError, {@link MissingTokenError} */
  async inputs(
    crew: CrewAddress,
    {
      fresh = false,
      ask = false,
      signal,
    }: { readonly fresh?: boolean; readonly ask?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<CrewInputs> {
    const connection = await this.#connection(crew);
    const { client, inputs } = connection;
    if (ask) return (connection.inputs = await client.askInputs(defined({ signal })));
    if (!fresh && inputs !== undefined) return inputs;
    return (connection.inputs = await client.inputs(defined({ signal })));
  }

  knownInputs({ id, url }: CrewAddress): CrewInputs | undefined {
    const connection = this.#connections.get(id);
    return connection?.client.baseUrl === url ? connection.inputs : undefined;
  }

  setLocal(crews: readonly Crew[]): void {
    this.#local = crews;
    this.#listChanged();
  }

  /** A folder's crew has gone, and its executions belong to another one. */
  replaceLocal(replacement: CrewReplacement): void {
    this.#replaced.fire(replacement);
  }

  canStop(crewId: string): boolean {
    return this.#stopRoutes.read(crewId);
  }

  startLocalWith(start: (crewId: string) => Promise<unknown>): void {
    this.#startLocal = start;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #byId(crewId: string): Crew | undefined {
    return this.list().find(({ id }) => id === crewId);
  }

  /** The code is loaded with the first: most windows make no request at startup. */
  async #connection(crew: CrewAddress): Promise<Connection> {
    const { CrewClient, clientOptions } = await import("./clients.ts");
    const { id, url, local } = this.connected(crew);
    const known = this.#connections.get(id);
    if (known?.client.baseUrl === url) return known;
    const client = new CrewClient(url, () => this.#tokenFor(crew, url), {
      ...clientOptions(() => this.#byId(id)?.name ?? crew.name, this.#userAgent),
      isLocal: local !== undefined,
      onRefused: (error) => {
        const current = this.#byId(id);
        if (current === undefined) return;
        offer(error, [...actionsForRefusal(error, current), ...actionsForPlace(error, current)]);
      },
      onNoStop: () => {
        // A local crew of this version can: an older service may still run.
        if (this.#byId(id)?.local !== undefined) return;
        this.#stopRoutes
          .write(id, false)
          .then(() => this.#changed.fire())
          .catch(logged("Storing that a crew can't stop"));
      },
    });
    const connection = { client };
    this.#connections.set(id, connection);
    return connection;
  }

  /** The crew may have been removed, stopped or moved since the client was created. */
  async #tokenFor(crew: CrewAddress, url: string): Promise<TypedToken> {
    const current = this.connected(crew);
    if (current.local?.running === false)
      throw new UserError(
        vscode.l10n.t("The local crew “{0}” is stopped. Start it to continue.", current.name),
        [startLocalAction(current.local.folder)],
      );
    if (current.url === url) return tokenInUse(await this.#read(current));
    throw new UserError(
      vscode.l10n.t("“{0}” is no longer at {1}. Try again when it is running.", current.name, url),
    );
  }

  async #read(crew: Crew): Promise<CrewTokens> {
    const tokens = await this.tokens(crew.id);
    if (tokens === undefined) throw new MissingTokenError(crew);
    return tokens;
  }

  #listChanged(): void {
    for (const id of this.#connections.keys())
      if (this.#byId(id) === undefined) this.#connections.delete(id);
    this.#changed.fire();
  }

  async #forget(crewId: string): Promise<void> {
    this.#connections.delete(crewId);
    await this.#tokens.delete(crewId);
    await this.#stopRoutes.delete(crewId);
  }
}

function checked(
  { name, url, dashboardUrl = "" }: Pick<NewCrew, "name" | "url" | "dashboardUrl">,
  others: readonly Crew[],
): Crew {
  const dashboard = dashboardUrl === "" ? {} : { dashboardUrl };
  const crew: Crew = { id: idOfAddress(url), name: name.trim(), url, ...dashboard };
  if (crew.name === "") throw new UserError(vscode.l10n.t("Enter a name for the crew."));
  const sameAddress = others.find((other) => other.id === crew.id || other.url === url);
  if (sameAddress !== undefined)
    throw new UserError(
      vscode.l10n.t("{0} is already connected, as “{1}”.", url, sameAddress.name),
      [setTokenAction(sameAddress)],
    );
  const sameName = others.find((other) => isSameName(other.name, crew.name));
  if (sameName !== undefined)
    throw new UserError(
      vscode.l10n.t("There is already a crew named “{0}”. Choose another name.", sameName.name),
    );
  if (dashboardUrl !== "" && !isWebAddress(dashboardUrl))
    throw new UserError(
      vscode.l10n.t("The dashboard's address must start with https:// or http://."),
    );
  return crew;
}

function refuseLocal(crew: Crew): void {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” is a local crew: its name and address come from its folder, not from the settings.",
        crew.name,
      ),
    );
}

const tokenPrefix = "crewdeck.token.";

/** Not cached: not every change in another window fires an event (observed in VS Code's server). */
function tokensIn(secrets: vscode.SecretStorage, memento: vscode.Memento) {
  /** For which crews there is one: SecretStorage doesn't list them. */
  const notes = stateByCrew(memento, tokenNotesKey, (note) => note);
  const changed = new vscode.EventEmitter<string>();
  const subscription = secrets.onDidChange(({ key }) => {
    if (key.startsWith(tokenPrefix)) changed.fire(key.slice(tokenPrefix.length));
  });
  return {
    onDidChange: changed.event,
    crewIds: notes.crewIds,
    async read(crewId: string) {
      try {
        const tokens = parseEntry((await secrets.get(tokenPrefix + crewId)) ?? "");
        if (tokens === undefined) return { kind: "none" } as const;
        return { kind: "stored", tokens } as const;
      } catch (error) {
        logProblem("Reading the secret storage", error);
        return { kind: "locked" } as const;
      }
    },
    async write(crewId: string, { inUse, bearer, userBearer }: CrewTokens): Promise<void> {
      const tokens = defined({
        bearer: bearer && cleanToken(bearer),
        userBearer: userBearer && cleanToken(userBearer),
      });
      await secrets.store(tokenPrefix + crewId, JSON.stringify({ inUse, ...tokens }));
      await notes.write(crewId, true);
    },
    async delete(crewId: string): Promise<void> {
      await secrets.delete(tokenPrefix + crewId);
      await notes.delete(crewId);
    },
    dispose(): void {
      subscription.dispose();
      changed.dispose();
    },
  };
}
