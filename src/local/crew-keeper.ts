import * as l10n from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Crews } from "../crews/crews.ts";
import type { CrewChange, KnownCrew, KnownCrews } from "./known-crews.ts";
import { answers, findRunning, type Running } from "./running.ts";
import { ServiceFailure, ServiceRefusal } from "./service-errors.ts";
import {
  describeExit,
  type Exit,
  type HeldDecision,
  type ServiceProcess,
} from "./service-process.ts";

/** SecretStorage, through the connected crews. */
export type TokenStore = Pick<Crews, "tokens" | "setTokens">;

type ServiceTokens = Readonly<Record<"token" | "userToken", string>>;

export interface KeeperOptions {
  readonly crewId: string;
  readonly folder: string;
  readonly known: KnownCrews;
  readonly tokens: TokenStore;
  /** Throws what `ServiceProcess.start` does. */
  launch(port: number, tokens: ServiceTokens, signal: AbortSignal): Promise<ServiceProcess>;
  /** Whether this window takes over when the window that serves the crew closes. */
  readonly isNeeded: () => boolean;
  readonly onChange: () => void;
  readonly onEnded: (exit: Exit) => void;
  readonly onProblem: (doing: string, error: unknown) => void;
  /** How often to check who serves the crew (ms). */
  readonly lookMs?: number;
  /** How long another window's service may take to stop (ms). */
  readonly stopMs?: number;
}

/** How long a stopping service may hold its data, and a starting one has no address (ms). */
const settleMs = 6000;
const retryMs = 200;

/**
 * Keeps one local crew served, by this or another window. The lock on the data folder decides who
 * serves, `wanted` in the database whether anyone does.
 */
export class CrewKeeper {
  readonly #options: KeeperOptions;
  readonly #end = new AbortController();
  #own: ServiceProcess | undefined;
  #guestUrl: string | undefined;
  #starting: Promise<string> | undefined;
  #stopping = false;
  #watch: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The service's address, if any window runs it. */
  get url(): string | undefined {
    return this.#own?.url ?? this.#guestUrl;
  }

  get isOwn(): boolean {
    return this.#own !== undefined;
  }

  /** Returns the address. @throws ServiceRefusal or ServiceFailure */
  async start(): Promise<string> {
    this.#starting ??= this.#start()
      .catch((error: unknown) => {
        if (error instanceof ServiceRefusal || error instanceof ServiceFailure)
          this.#store({ failure: error.message });
        this.#options.onChange();
        throw error;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return await this.#starting;
  }

  async join(): Promise<void> {
    const running = await this.#findRunning();
    if (running !== undefined && (await answers(running)) && this.url === undefined)
      this.#becomeGuest(running.url);
  }

  /** Stops the service in any window. False if another window doesn't stop it. */
  async stop(): Promise<boolean> {
    await this.#starting?.catch(() => undefined);
    this.#store({ wanted: false, failure: undefined });
    if (this.#own !== undefined) await this.#stopOwn();
    else if (!(await this.#otherStops())) return false;
    this.#becomeNothing();
    return true;
  }

  /** Does nothing if another window serves the crew. */
  decide(type: HeldDecision, ids: readonly string[]): void {
    this.#own?.decide(type, ids);
  }

  /** The service stops with its window, and stays wanted. */
  dispose(): void {
    this.#end.abort(new Error("The window closes."));
    this.#stopping = true;
    clearInterval(this.#watch);
    this.#own?.askToStop();
  }

  async #start(): Promise<string> {
    const { tokens, crewId } = this.#options;
    if (this.#own !== undefined) {
      if ((await tokens.tokens(crewId)) !== undefined) return this.#own.url;
      // A new token needs a new process.
      await this.#stopOwn();
    }
    this.#store({ wanted: true });
    const running = await this.#findRunning();
    if (this.#guestUrl !== undefined && running?.url === this.#guestUrl && (await answers(running)))
      return this.#guestUrl;
    const until = Date.now() + settleMs;
    for (;;) {
      const url = await this.#tryOnce();
      if (url !== undefined) return url;
      if (Date.now() > until)
        throw new ServiceRefusal({
          reason: "inUse",
          message: l10n.t("Another process uses the crew's data and does not respond."),
        });
      await this.#pause();
    }
  }

  /** Undefined if another service is starting or stopping. */
  async #tryOnce(): Promise<string | undefined> {
    const { tokens, crewId } = this.#options;
    const lastPort = this.#read()?.port ?? 0;
    const prepared = await prepareTokens(tokens, crewId);
    try {
      const process = await this.#launch(lastPort, prepared);
      try {
        await keepTokens(tokens, crewId, prepared);
        const port = Number(new URL(process.url).port);
        this.#store({ port, engine: process.engine, failure: undefined });
        // The window may have closed meanwhile.
        this.#end.signal.throwIfAborted();
      } catch (error) {
        await process.stop();
        throw error;
      }
      this.#becomeOwner(process);
      return process.url;
    } catch (error) {
      if (!(error instanceof ServiceRefusal) || error.reason !== "inUse") throw error;
      const running = await this.#findRunning();
      if (running === undefined || !(await answers(running))) return undefined;
      await this.#waitForToken();
      this.#becomeGuest(running.url);
      return running.url;
    }
  }

  /** A window that starts a new crew stores the token after the service listens. */
  async #waitForToken(): Promise<void> {
    const { tokens, crewId } = this.#options;
    const until = Date.now() + settleMs;
    while ((await tokens.tokens(crewId)) === undefined && Date.now() < until) await this.#pause();
  }

  async #launch(port: number, tokens: ServiceTokens): Promise<ServiceProcess> {
    try {
      return await this.#options.launch(port, tokens, this.#end.signal);
    } catch (error) {
      if (error instanceof ServiceRefusal && error.reason === "port" && port !== 0)
        return await this.#options.launch(0, tokens, this.#end.signal);
      throw error;
    }
  }

  #becomeOwner(process: ServiceProcess): void {
    this.#own = process;
    this.#guestUrl = undefined;
    this.#stopping = false;
    void process.exited
      .then((exit) => this.#ownEnded(process, exit))
      .catch((error: unknown) => this.#options.onProblem("Noting that a local crew ended", error));
    this.#beginWatching();
    this.#options.onChange();
  }

  #becomeGuest(url: string): void {
    this.#guestUrl = url;
    this.#beginWatching();
    this.#options.onChange();
  }

  #becomeNothing(): void {
    clearInterval(this.#watch);
    this.#watch = this.#own = this.#guestUrl = undefined;
    this.#options.onChange();
  }

  async #stopOwn(): Promise<void> {
    this.#stopping = true;
    await this.#own?.stop();
    this.#own = undefined;
  }

  #ownEnded(process: ServiceProcess, exit: Exit): void {
    if (this.#stopping || this.#own !== process) return;
    this.#becomeNothing();
    // Not restarted: it would fail again.
    const failure = l10n.t("It ended unexpectedly ({0}).", describeExit(exit));
    this.#store({ wanted: false, failure });
    this.#options.onChange();
    this.#options.onEnded(exit);
  }

  /** Another window stops its service when the crew is no longer wanted. */
  async #otherStops(): Promise<boolean> {
    const until = Date.now() + (this.#options.stopMs ?? settleMs);
    while ((await this.#findRunning()) !== undefined) {
      if (Date.now() >= until) return false;
      await this.#pause();
    }
    return true;
  }

  #beginWatching(): void {
    if (this.#watch !== undefined || this.#end.signal.aborted) return;
    this.#watch = setInterval(() => void this.#lookOnce(), this.#options.lookMs ?? 1000);
    this.#watch.unref();
  }

  async #lookOnce(): Promise<void> {
    if (this.#looking || this.#starting !== undefined) return;
    this.#looking = true;
    try {
      if (this.#own === undefined) await this.#lookAtOther();
      else if (this.#read()?.wanted !== true) {
        await this.#stopOwn();
        this.#becomeNothing();
      }
    } catch (error) {
      if (!this.#end.signal.aborted) this.#options.onProblem("Looking after a local crew", error);
    } finally {
      this.#looking = false;
    }
  }

  async #lookAtOther(): Promise<void> {
    const running = await this.#findRunning();
    if (running !== undefined) {
      // A third window may have started it at another port.
      if (running.url !== this.#guestUrl && (await answers(running)))
        this.#becomeGuest(running.url);
      return;
    }
    // The window whose service failed stores that first.
    await this.#pause();
    // A start since then decides.
    if (this.#own !== undefined || this.#starting !== undefined) return;
    this.#becomeNothing();
    if (this.#options.isNeeded() && this.#read()?.wanted === true) await this.start();
  }

  /** @throws the reason when the window closes */
  #pause(): Promise<void> {
    return delay(retryMs, undefined, { signal: this.#end.signal });
  }

  #read(): KnownCrew | undefined {
    return this.#options.known.read(this.#options.folder);
  }

  #store(change: CrewChange): void {
    this.#options.known.change(this.#options.folder, change);
  }

  #findRunning(): Promise<Running | undefined> {
    return findRunning(this.#options.known.dataFolder(this.#options.folder));
  }
}

/** Stores no new token: another window's service may be first. */
export async function prepareTokens(store: TokenStore, crewId: string): Promise<ServiceTokens> {
  const kept = await store.tokens(crewId);
  const newToken = () => randomBytes(32).toString("base64url");
  return { token: kept?.bearer ?? newToken(), userToken: kept?.userBearer ?? newToken() };
}

/** Keeps the person's choice of the token in use. */
export async function keepTokens(
  store: TokenStore,
  crewId: string,
  { token, userToken }: ServiceTokens,
): Promise<void> {
  const kept = await store.tokens(crewId);
  if (kept?.bearer === token && kept.userBearer === userToken) return;
  const inUse = kept?.inUse ?? "bearer";
  await store.setTokens(crewId, { inUse, bearer: token, userBearer: userToken });
}
