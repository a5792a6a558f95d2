import * as vscode from "vscode";
import { normaliseAddress } from "../api/address.ts";
import { CrewClient, type CrewClientOptions } from "../api/client.ts";
import type { CrewInputs } from "../api/types.ts";
import { Disposables } from "../editor/disposables.ts";
import { UserError, type ErrorAction } from "../editor/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { isWebAddress } from "./entries.ts";
import { NoTokenError } from "./errors.ts";
import { idOfAddress, isSameName, isSameOrigin, uniqueName } from "./identity.ts";
import { CrewSettings } from "./settings.ts";
import { StatusPaths } from "./status-paths.ts";
import { cleanToken, Tokens } from "./tokens.ts";
import { logTraffic } from "./traffic.ts";
import type { Candidate, Crew, CrewAddress, CrewChange, CrewReplacement, NewCrew, StoredToken, TestResult } from "./types.ts";

/** What {@link Crews} takes of the extension's context. */
export type CrewsContext = Pick<vscode.ExtensionContext, "secrets" | "globalState">;

/** The connected crews: those of the settings and those served on this machine, with their tokens and clients. */
export class Crews implements vscode.Disposable {
  readonly #owned = new Disposables();
  readonly #settings = this.#owned.add(new CrewSettings());
  readonly #changed = this.#owned.add(new vscode.EventEmitter<void>());
  readonly #removed = this.#owned.add(new vscode.EventEmitter<Crew>());
  readonly #replaced = this.#owned.add(new vscode.EventEmitter<CrewReplacement>());
  readonly #tokens: Tokens;
  readonly #statusPaths: StatusPaths;
  readonly #userAgent: string | undefined;
  readonly #inputs = new Map<string, { readonly url: string; readonly inputs: CrewInputs }>();
  /** One a crew: a client keeps what it learnt of its crew, such as the inputs' names, by which a refusal is read. */
  readonly #clients = new Map<string, CrewClient>();
  #local: readonly Crew[] = [];

  constructor(context: CrewsContext, options: { readonly userAgent?: string } = {}) {
    this.#tokens = this.#owned.add(new Tokens(context.secrets));
    this.#statusPaths = new StatusPaths(context.globalState);
    this.#userAgent = options.userAgent;
    this.#owned.add(this.#settings.onDidChange(() => this.#listChanged()));
    this.onDidChangeToken = this.#tokens.onDidChange;
  }

  /** The list or a crew in it changed. */
  readonly onDidChange = this.#changed.event;
  /** A crew was removed here and its token deleted: what else is remembered of it can go. */
  readonly onDidRemove = this.#removed.event;
  /** A crew was renamed or got another address here. */
  readonly onDidReplace = this.#replaced.event;
  /** The id of a crew whose token was set or deleted. From another window only a hint that may fail to come. */
  readonly onDidChangeToken: vscode.Event<string>;

  /** All connected crews, those of the settings first; names are unique. */
  list(): readonly Crew[] {
    const crews: Crew[] = [...this.#settings.list()];
    for (const crew of this.#local) crews.push({ ...crew, name: uniqueName(crew.name, crews.map((other) => other.name)) });
    return crews;
  }

  /** The crew with this id, name or address; a name in other case only where no crew has it exactly. */
  find(nameOrUrlOrId: string): Crew | undefined {
    const crews = this.list();
    return (
      crews.find((crew) => crew.id === nameOrUrlOrId) ??
      crews.find((crew) => crew.name === nameOrUrlOrId) ??
      crews.find((crew) => isSameName(crew.name, nameOrUrlOrId)) ??
      crews.find((crew) => crew.url === addressOf(nameOrUrlOrId))
    );
  }

  /** Like {@link find}; throws {@link UserError} that names the connected crews when there is no such crew. */
  get(nameOrUrlOrId: string): Crew {
    const crew = this.find(nameOrUrlOrId);
    if (crew !== undefined) return crew;
    const names = this.list().map(({ name }) => name);
    if (names.length === 0) throw new UserError(vscode.l10n.t("No crew is connected, so there is no “{0}”. Connect a crew first.", nameOrUrlOrId), [addCrew()]);
    throw new UserError(vscode.l10n.t("No crew named “{0}” is connected. Connected: {1}.", nameOrUrlOrId, names.join(", ")), [addCrew()]);
  }

  /**
   * The client for a connected crew, the same one until the crew changes. The token is read at each request, which throws {@link NoTokenError} when this
   * machine has none. Throws {@link UserError} when the crew is not connected.
   */
  client(crew: CrewAddress): CrewClient {
    const { id, url } = this.#connected(crew);
    const kept = this.#clients.get(id);
    if (kept?.baseUrl === url) return kept;
    const statusPath = this.#statusPaths.read(id);
    const made = new CrewClient(url, () => this.#tokenFor(crew, url), {
      ...this.#clientOptions(() => this.find(id)?.name ?? crew.name),
      ...(statusPath === undefined ? {} : { statusPath }),
      onStatusPath: (path) => void this.#statusPaths.write(id, path).catch((error: unknown) => logProblem("Remembering a crew's status path", error)),
    });
    this.#clients.set(id, made);
    return made;
  }

  /** The token of a crew, read now, or nothing where this machine has none. */
  token(crewId: string): Promise<StoredToken | undefined> {
    return this.#tokens.read(crewId);
  }

  /** Stores a crew's token in the place of the one before, or deletes it. */
  async setToken(crewId: string, token: StoredToken | undefined): Promise<void> {
    await (token === undefined ? this.#tokens.delete(crewId) : this.#tokens.write(crewId, token));
  }

  /** Connects a crew: tests it by `GET /inputs` (unless told not to), then saves it. Throws {@link UserError}, AddressError or CrewApiError; nothing is saved then. */
  async add(crew: NewCrew, options: { readonly untested?: boolean; readonly signal?: AbortSignal } = {}): Promise<Crew> {
    const added = this.checkNew(crew);
    if (crew.token === undefined) throw new NoTokenError(added);
    const token: StoredToken = { token: cleanToken(crew.token), type: crew.tokenType ?? "bearer" };
    if (options.untested !== true) await this.test({ url: added.url, token }, options.signal);
    this.checkNew(crew);
    await this.#tokens.write(added.id, token);
    try {
      await this.#settings.save(added.id, added);
    } catch (error) {
      await this.#tokens.delete(added.id);
      throw error;
    }
    return this.find(added.id) ?? added;
  }

  /** The crew as it would be connected; the address may be as pasted. Throws AddressError, or {@link UserError} when its name or address is taken. */
  checkNew({ name, url, dashboardUrl }: NewCrew): Crew {
    const address = normaliseAddress(url);
    const crew: Crew = { id: idOfAddress(address), name: name.trim(), url: address, ...(dashboardUrl ? { dashboardUrl } : {}) };
    this.#checkFree(crew);
    return crew;
  }

  /** The crew as it would be after a change. Throws {@link UserError} or AddressError when it cannot be changed so. */
  checkChange(crew: Crew, change: CrewChange): Crew {
    refuseLocal(crew);
    const url = change.url === undefined ? crew.url : normaliseAddress(change.url);
    const dashboardUrl = change.dashboardUrl ?? crew.dashboardUrl ?? "";
    const to: Crew = { id: idOfAddress(url), name: (change.name ?? crew.name).trim(), url, ...(dashboardUrl === "" ? {} : { dashboardUrl }) };
    this.#checkFree(to, crew.id);
    return to;
  }

  /** Changes name, address or dashboard of a crew of the settings. Tests nothing. Throws {@link UserError} or AddressError; nothing is changed then. */
  async change(crew: Crew, change: CrewChange): Promise<Crew> {
    const to = this.checkChange(crew, change);
    const token = change.token ?? (isSameOrigin(crew.url, to.url) ? await this.#tokens.read(crew.id) : undefined);
    const moved = to.id !== crew.id;
    if (token !== undefined && (moved || change.token !== undefined)) await this.#tokens.write(to.id, token);
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

  /** Takes a crew out of the settings and deletes its token. Throws {@link UserError} for a local crew. */
  async remove(crew: Crew): Promise<void> {
    refuseLocal(crew);
    await this.#settings.delete(crew.id);
    await this.#forget(crew.id);
    this.#removed.fire(crew);
  }

  /** Asks for the inputs, of a connected crew or of one to be. Throws CrewApiError with cause and remedy, or {@link NoTokenError}. */
  async test(target: Crew | Candidate, signal?: AbortSignal): Promise<TestResult> {
    const token = "token" in target ? target.token : await this.#readToken(target);
    const client = "token" in target ? new CrewClient(target.url, target.token.token, this.#clientOptions(() => new URL(target.url).host)) : this.client(target);
    const begun = Date.now();
    const inputs = await client.inputs(signal === undefined ? {} : { signal });
    if ("id" in target) this.#inputs.set(target.id, { url: client.baseUrl, inputs });
    return { url: client.baseUrl, milliseconds: Date.now() - begun, inputs: inputs.fields.length, tokenType: token.type };
  }

  /** What a crew asks for; from memory unless it must be fresh. Throws CrewApiError or {@link NoTokenError}. */
  async inputs(crew: CrewAddress, options: { readonly fresh?: boolean; readonly signal?: AbortSignal } = {}): Promise<CrewInputs> {
    const client = this.client(crew);
    const known = this.#inputs.get(crew.id);
    if (options.fresh !== true && known?.url === client.baseUrl) return known.inputs;
    const inputs = await client.inputs(options.signal === undefined ? {} : { signal: options.signal });
    this.#inputs.set(crew.id, { url: client.baseUrl, inputs });
    return inputs;
  }

  /** What a crew was last heard to ask for; nothing where this window has not asked it. Asks nobody. */
  knownInputs({ id, url }: CrewAddress): CrewInputs | undefined {
    const known = this.#inputs.get(id);
    return known?.url === url ? known.inputs : undefined;
  }

  /** Replaces the crews that are served on this machine; the local service's keeper calls it. */
  setLocal(crews: readonly Crew[]): void {
    this.#local = crews;
    this.#listChanged();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** What a crew's client knows of it ends with the crew, whoever took it out of the settings. */
  #listChanged(): void {
    const connected = new Set(this.list().map(({ id }) => id));
    for (const id of this.#clients.keys()) if (!connected.has(id)) this.#clients.delete(id);
    this.#changed.fire();
  }

  /** The crew as it is connected now: a local one may have another port than an execution remembers. */
  #connected(crew: CrewAddress): Crew {
    const current = this.list().find(({ id }) => id === crew.id);
    if (current !== undefined) return current;
    throw new UserError(
      crew.id.startsWith("url:")
        ? vscode.l10n.t("{0} ({1}) is not connected. Connect it to go on.", crew.name, crew.url)
        : vscode.l10n.t("The local crew {0} has not been started in this window. Start it to go on.", crew.name),
    );
  }

  /** The token for one request. Between a client's making and its request the crew may have gone, stopped or moved. */
  async #tokenFor(crew: CrewAddress, url: string): Promise<string> {
    const current = this.#connected(crew);
    if (current.local?.running === false || current.url !== url) {
      throw new UserError(vscode.l10n.t("{0} is no longer at {1}. Try again when it runs.", current.name, url));
    }
    return (await this.#readToken(current)).token;
  }

  async #readToken(crew: Crew): Promise<StoredToken> {
    const token = await this.#tokens.read(crew.id);
    if (token === undefined) throw new NoTokenError(crew);
    return token;
  }

  #checkFree(wanted: Crew, own?: string): void {
    if (wanted.name === "") throw new UserError(vscode.l10n.t("The crew needs a name."));
    const others = this.list().filter(({ id }) => id !== own);
    const sameAddress = others.find(({ id, url }) => id === wanted.id || url === wanted.url);
    if (sameAddress !== undefined) throw new UserError(vscode.l10n.t("{0} is already connected, as “{1}”.", wanted.url, sameAddress.name), [setToken(sameAddress)]);
    const sameName = others.find(({ name }) => isSameName(name, wanted.name));
    if (sameName !== undefined) throw new UserError(vscode.l10n.t("There is already a crew named “{0}”. Choose another name.", sameName.name));
    if (wanted.dashboardUrl !== undefined && !isWebAddress(wanted.dashboardUrl)) {
      throw new UserError(vscode.l10n.t("The dashboard's address must begin with https:// or http://."));
    }
  }

  async #forget(crewId: string): Promise<void> {
    this.#inputs.delete(crewId);
    this.#clients.delete(crewId);
    await this.#tokens.delete(crewId);
    await this.#statusPaths.delete(crewId);
  }

  #clientOptions(nameNow: () => string): CrewClientOptions {
    return { onTraffic: (traffic) => logTraffic(log, log.logLevel === vscode.LogLevel.Trace, nameNow(), traffic), ...(this.#userAgent === undefined ? {} : { userAgent: this.#userAgent }) };
  }
}

function refuseLocal(crew: Crew): void {
  if (crew.local !== undefined) throw new UserError(vscode.l10n.t("{0} runs on this machine and is not in the settings. Stop the local crew instead.", crew.name));
}

function addCrew(): ErrorAction {
  return { title: vscode.l10n.t("Connect a Crew"), command: "crewdeck.addCrew" };
}

function setToken(crew: Crew): ErrorAction {
  return { title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken", arguments: [{ crew: crew.id }] };
}

/** The address a text names, or nothing where it names none. */
function addressOf(text: string): string | undefined {
  try {
    return normaliseAddress(text);
  } catch {
    // A name is looked up, too, and most names are no address.
    return undefined;
  }
}
