import * as vscode from "vscode";
import { normaliseAddress } from "../api/address.ts";
import type { CrewClient } from "../api/client.ts";
import type { CrewInputs, TokenType } from "../api/types.ts";
import { Disposables } from "../base/events.ts";
import { messageOf, UserError } from "../editor/errors.ts";
import { addCrewAction, setTokenAction } from "./actions.ts";
import { checkedCrew, refuseLocal } from "./check.ts";
import { CrewClients } from "./clients.ts";
import { LostTokenError, missingToken, NoTokenError } from "./errors.ts";
import { findCrew, isSameOrigin, uniqueName } from "./identity.ts";
import { CrewSettings } from "./settings.ts";
import { StatusPaths } from "./status-paths.ts";
import { tokenInUse, tokenTypes, withToken } from "./token-entry.ts";
import { TokenNotes } from "./token-notes.ts";
import { tokenTypeName } from "./token-words.ts";
import { cleanToken, Tokens } from "./tokens.ts";
import type {
  Candidate,
  Crew,
  CrewAddress,
  CrewChange,
  CrewReplacement,
  CrewTokens,
  NewCrew,
  StoredToken,
  TestResult,
  TokenState,
} from "./types.ts";

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
  readonly #clients: CrewClients;
  #local: readonly Crew[] = [];

  constructor(context: CrewsContext, options: { readonly userAgent?: string } = {}) {
    this.#tokens = this.#owned.add(
      new Tokens(context.secrets, new TokenNotes(context.globalState)),
    );
    this.#statusPaths = new StatusPaths(context.globalState);
    this.#clients = new CrewClients({
      ...options,
      list: () => this.list(),
      tokens: this.#tokens,
      tokenState: (id) => this.tokenState(id),
      statusPaths: this.#statusPaths,
    });
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
    for (const crew of this.#local)
      crews.push({
        ...crew,
        name: uniqueName(
          crew.name,
          crews.map((other) => other.name),
        ),
      });
    return crews;
  }

  /** The crew with this id, name or address; a name in other case only where no crew has it exactly. */
  find(nameOrUrlOrId: string): Crew | undefined {
    return findCrew(this.list(), nameOrUrlOrId);
  }

  /** Like {@link find}; throws {@link UserError} that names the connected crews when there is no such crew. */
  get(nameOrUrlOrId: string): Crew {
    const crew = this.find(nameOrUrlOrId);
    if (crew !== undefined) return crew;
    const names = this.list().map(({ name }) => name);
    if (names.length === 0)
      throw new UserError(
        vscode.l10n.t(
          "No crew is connected, so there is no “{0}”. Connect a crew first.",
          nameOrUrlOrId,
        ),
        [addCrewAction()],
      );
    throw new UserError(
      vscode.l10n.t(
        "No crew named “{0}” is connected. Connected: {1}.",
        nameOrUrlOrId,
        names.join(", "),
      ),
      [addCrewAction()],
    );
  }

  /**
   * The client for a connected crew, the same one until the crew changes. The token is read at each request, which throws {@link NoTokenError} or {@link LostTokenError} when this
   * machine has none. Throws {@link UserError} when the crew is not connected.
   */
  client(crew: CrewAddress): CrewClient {
    return this.#clients.get(crew);
  }

  /** The token of a crew that is in use, read now; nothing where this machine has none, or lost it. Throws {@link UserError} where the store of secrets can't be read. */
  async token(crewId: string): Promise<StoredToken | undefined> {
    const tokens = await this.tokens(crewId);
    return tokens && tokenInUse(tokens);
  }

  /** Both tokens of a crew, as {@link token}. For whoever makes tokens; everybody else has {@link tokenState}. */
  async tokens(crewId: string): Promise<CrewTokens | undefined> {
    const reading = await this.#tokens.read(crewId);
    if (reading.kind === "lost" && reading.why === "locked")
      throw new LostTokenError(this.find(crewId) ?? { id: crewId, name: crewId }, "locked");
    return reading.kind === "stored" ? reading.tokens : undefined;
  }

  /** What may be known of a crew's tokens, read now: which there are and which is in use, or why there is none. */
  async tokenState(crewId: string): Promise<TokenState> {
    const reading = await this.#tokens.read(crewId);
    if (reading.kind !== "stored") return reading;
    const { tokens } = reading;
    return {
      kind: "stored",
      inUse: tokens.inUse,
      types: tokenTypes.filter((type) => tokens[type] !== undefined),
    };
  }

  /** Stores one token of a crew and puts it in use; the other one stays. */
  async setToken(crewId: string, token: StoredToken): Promise<void> {
    const reading = await this.#tokens.read(crewId);
    await this.#tokens.write(
      crewId,
      withToken(reading.kind === "stored" ? reading.tokens : undefined, token),
    );
  }

  /** Stores both tokens of a crew in the place of those before, or deletes them. */
  async setTokens(crewId: string, tokens: CrewTokens | undefined): Promise<void> {
    await (tokens === undefined ? this.#tokens.delete(crewId) : this.#tokens.write(crewId, tokens));
  }

  /** Puts a stored token in use. Throws {@link UserError} when the crew has none of that kind here. */
  async useToken(crew: Crew, type: TokenType): Promise<void> {
    const reading = await this.#tokens.read(crew.id);
    if (reading.kind !== "stored") throw missingToken(crew, reading);
    if (reading.tokens[type] === undefined) {
      throw new UserError(
        vscode.l10n.t(
          "“{0}” has no {1} on this machine. Set it first.",
          crew.name,
          tokenTypeName(type),
        ),
        [setTokenAction(crew, type)],
      );
    }
    await this.#tokens.write(crew.id, { ...reading.tokens, inUse: type });
  }

  /** Connects a crew: tests it by `GET /inputs` (unless told not to), then saves it. Throws {@link UserError}, AddressError or CrewApiError; nothing is saved then. */
  async add(
    crew: NewCrew,
    options: { readonly untested?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Crew> {
    const added = this.checkNew(crew);
    if (crew.token === undefined) throw new NoTokenError(added);
    const token: StoredToken = { token: cleanToken(crew.token), type: crew.tokenType ?? "bearer" };
    if (options.untested !== true) await this.test({ url: added.url, token }, options.signal);
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

  /** The crew as it would be connected; the address may be as pasted. Throws AddressError, or {@link UserError} when its name or address is taken. */
  checkNew({ name, url, dashboardUrl }: NewCrew): Crew {
    return checkedCrew(
      { name, url: normaliseAddress(url), dashboardUrl: dashboardUrl ?? "" },
      this.list(),
    );
  }

  /** The crew as it would be after a change. Throws {@link UserError} or AddressError when it cannot be changed so. */
  checkChange(crew: Crew, change: CrewChange): Crew {
    refuseLocal(crew);
    const url = change.url === undefined ? crew.url : normaliseAddress(change.url);
    return checkedCrew(
      {
        name: change.name ?? crew.name,
        url,
        dashboardUrl: change.dashboardUrl ?? crew.dashboardUrl ?? "",
      },
      this.list().filter(({ id }) => id !== crew.id),
    );
  }

  /** Changes name, address or dashboard of a crew of the settings. Tests nothing. Throws {@link UserError} or AddressError; nothing is changed then. */
  async change(crew: Crew, change: CrewChange): Promise<Crew> {
    const to = this.checkChange(crew, change);
    const kept = isSameOrigin(crew.url, to.url) ? await this.#tokens.read(crew.id) : undefined;
    const tokens = kept?.kind === "stored" ? kept.tokens : undefined;
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

  /** Takes a crew out of the settings and deletes its tokens. Throws {@link UserError} for a local crew. */
  async remove(crew: Crew): Promise<void> {
    refuseLocal(crew);
    await this.#settings.delete(crew.id);
    await this.#forget(crew.id);
    this.#removed.fire(crew);
  }

  /** The crews that have tokens here as far as that is known, by id: local ones, too, and those that were taken out of the settings by hand. */
  idsWithTokens(): Promise<readonly string[]> {
    return this.#tokens.crewIds();
  }

  /**
   * Takes all crews out of the settings and deletes their tokens and those of the crews with these ids ({@link idsWithTokens}).
   * A token that can't be deleted keeps its note and does not keep the others. @returns why something could not be deleted
   */
  async clear(ids: readonly string[]): Promise<readonly Error[]> {
    const problems: Error[] = [];
    const removed = this.#settings.list();
    const names = new Map([
      ...ids.map((id) => [id, id] as const),
      ...this.list().map(({ id, name }) => [id, name] as const),
    ]);
    await this.#settings
      .clear()
      .catch((error: unknown) => problems.push(new Error(messageOf(error), { cause: error })));
    for (const id of new Set([...removed.map((crew) => crew.id), ...ids])) {
      await this.#forget(id).catch((error: unknown) => {
        problems.push(
          new Error(
            vscode.l10n.t(
              "The tokens of {0} could not be deleted: {1}",
              names.get(id) ?? id,
              messageOf(error),
            ),
            { cause: error },
          ),
        );
      });
    }
    for (const crew of removed) this.#removed.fire(crew);
    return problems;
  }

  /** Asks for the inputs, of a connected crew or of one to be. Throws CrewApiError with cause and remedy, or {@link NoTokenError}. */
  async test(target: Crew | Candidate, signal?: AbortSignal): Promise<TestResult> {
    return await this.#clients.test(target, signal);
  }

  /** What a crew asks for; from memory unless it must be fresh. Throws CrewApiError or {@link NoTokenError}. */
  async inputs(
    crew: CrewAddress,
    options: { readonly fresh?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<CrewInputs> {
    return await this.#clients.inputs(crew, options);
  }

  /** What a crew was last heard to ask for; nothing where this window has not asked it. Asks nobody. */
  knownInputs(crew: CrewAddress): CrewInputs | undefined {
    return this.#clients.knownInputs(crew);
  }

  /** Replaces the crews that are served on this machine; the local service's keeper calls it. */
  setLocal(crews: readonly Crew[]): void {
    this.#local = crews;
    this.#listChanged();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #listChanged(): void {
    this.#clients.dropUnconnected();
    this.#changed.fire();
  }

  async #forget(crewId: string): Promise<void> {
    this.#clients.forget(crewId);
    await this.#tokens.delete(crewId);
    await this.#statusPaths.delete(crewId);
  }
}
