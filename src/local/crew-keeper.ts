import * as l10n from "@vscode/l10n";
import { setTimeout as delay } from "node:timers/promises";
import type { KnownCrews } from "./known-crews.ts";
import { answers, findRunning } from "./running.ts";
import { exitInWords, ServiceFailure, ServiceRefusal, type Exit } from "./service-errors.ts";
import type { ServiceProcess } from "./service-process.ts";
import {
  keepTokens,
  prepareTokens,
  type ServiceTokens,
  type TokenStore,
} from "./service-tokens.ts";

/** What a keeper needs. */
export interface KeeperOptions {
  readonly crewId: string;
  /** The crew's folder, as it is known by. */
  readonly folder: string;
  readonly known: KnownCrews;
  readonly tokens: TokenStore;
  /** Starts the service; throws what `ServiceProcess.start` does. */
  readonly launch: (
    port: number,
    tokens: ServiceTokens,
    signal: AbortSignal,
  ) => Promise<ServiceProcess>;
  /** Whether this window needs the crew, so that it takes over when the window that serves it closes. */
  readonly isNeeded: () => boolean;
  /** It began, ended or moved to another address. */
  readonly onChange: () => void;
  /** A service of this window ended though nobody stopped it. */
  readonly onEnded: (exit: Exit) => void;
  readonly onProblem: (doing: string, error: unknown) => void;
  /** Milliseconds between two looks at who serves the crew. */
  readonly lookMs?: number;
  /** Milliseconds that another window's service has to leave when the crew is stopped. */
  readonly leaveMs?: number;
}

/** How long a service that is leaving may hold on to its data, or one that is starting may keep its address to itself. */
const settleMs = 6000;
const retryMs = 200;

/**
 * Keeps one local crew served: by a process of this window, or of another one. Who serves is decided by the service's
 * exclusive lock on the data folder; who may, by `wanted` in the crew's file, which every window reads.
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

  /** Where the crew is served, by this window or another; nothing while it is not. */
  get url(): string | undefined {
    return this.#own?.url ?? this.#guestUrl;
  }

  /** Whether this window's process serves it. */
  get isOwn(): boolean {
    return this.#own !== undefined;
  }

  /** Makes sure that the crew is served, and returns where. @throws ServiceRefusal or ServiceFailure */
  async start(): Promise<string> {
    // Two clicks are one start.
    this.#starting ??= this.#startOrSayWhy().finally(() => {
      this.#starting = undefined;
    });
    return await this.#starting;
  }

  /** Joins a service that another window has running; nothing is started. */
  async join(): Promise<void> {
    const running = await findRunning(this.#options.known.dataFolder(this.#options.folder));
    if (running !== undefined && (await answers(running)) && this.url === undefined)
      this.#becomeGuest(running.url);
  }

  /**
   * Ends the crew's service, in whichever window it runs, and keeps it from being started again by itself.
   * @returns whether it has gone: a window that hangs may keep its service running
   */
  async stop(): Promise<boolean> {
    await this.#starting?.catch(() => undefined);
    this.#options.known.change(this.#options.folder, { wanted: false, failure: undefined });
    if (this.#own !== undefined) await this.#stopOwn();
    else if (!(await this.#otherLeaves())) return false;
    this.#becomeNothing();
    return true;
  }

  /** The window closes: its service leaves, and stays wanted. */
  dispose(): void {
    this.#end.abort(new Error("The window closes."));
    this.#stopping = true;
    clearInterval(this.#watch);
    this.#own?.leave();
  }

  /** Every window, also a later one, can say why the crew does not run. */
  async #startOrSayWhy(): Promise<string> {
    try {
      return await this.#start();
    } catch (error) {
      if (error instanceof ServiceRefusal || error instanceof ServiceFailure)
        this.#options.known.change(this.#options.folder, { failure: error.message });
      this.#options.onChange();
      throw error;
    }
  }

  async #start(): Promise<string> {
    const { known, folder, tokens, crewId } = this.#options;
    if (this.#own !== undefined) {
      if ((await tokens.tokens(crewId)) !== undefined) return this.#own.url;
      // Nobody has the token any more: a new one needs a new process.
      await this.#stopOwn();
    }
    known.change(folder, { wanted: true });
    const running = await findRunning(known.dataFolder(folder));
    if (this.#guestUrl !== undefined && running?.url === this.#guestUrl && (await answers(running)))
      return this.#guestUrl;
    const until = Date.now() + settleMs;
    for (;;) {
      const url = await this.#tryOnce();
      if (url !== undefined) return url;
      if (Date.now() > until)
        throw new ServiceRefusal({
          type: "refused",
          reason: "inUse",
          message: l10n.t("Another process holds the crew's data and answers nobody."),
        });
      await delay(retryMs, undefined, { signal: this.#end.signal });
    }
  }

  /** Starts a service or joins the one there is; nothing where that one is on its way in or out. */
  async #tryOnce(): Promise<string | undefined> {
    const { known, folder, tokens, crewId } = this.#options;
    const port = known.read(folder)?.port ?? 0;
    const prepared = await prepareTokens(tokens, crewId);
    try {
      const process = await this.#launch(port, prepared);
      await keepTokens(tokens, crewId, prepared);
      known.change(folder, { port: Number(new URL(process.url).port), failure: undefined });
      this.#becomeOwner(process);
      // The window may have closed while the service started.
      if (this.#end.signal.aborted) process.leave();
      this.#end.signal.throwIfAborted();
      return process.url;
    } catch (error) {
      if (!(error instanceof ServiceRefusal) || error.reason !== "inUse") throw error;
      const running = await findRunning(known.dataFolder(folder));
      if (running === undefined || !(await answers(running))) return undefined;
      await this.#waitForToken();
      this.#becomeGuest(running.url);
      return running.url;
    }
  }

  /** The window that starts a crew for the first time keeps the token just after the service listens. */
  async #waitForToken(): Promise<void> {
    const until = Date.now() + settleMs;
    while (
      (await this.#options.tokens.tokens(this.#options.crewId)) === undefined &&
      Date.now() < until
    ) {
      await delay(retryMs, undefined, { signal: this.#end.signal });
    }
  }

  async #launch(port: number, tokens: ServiceTokens): Promise<ServiceProcess> {
    const { launch } = this.#options;
    try {
      return await launch(port, tokens, this.#end.signal);
    } catch (error) {
      // Somebody else took the port meanwhile: the crew moves to another one.
      if (error instanceof ServiceRefusal && error.reason === "port" && port !== 0)
        return await launch(0, tokens, this.#end.signal);
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
    this.#watch = undefined;
    this.#own = undefined;
    this.#guestUrl = undefined;
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
    // Not started again by itself: what made it fail would make it fail again.
    this.#options.known.change(this.#options.folder, {
      wanted: false,
      failure: l10n.t("It ended unexpectedly ({0}).", exitInWords(exit)),
    });
    this.#options.onChange();
    this.#options.onEnded(exit);
  }

  /** Another window stops its service when it sees that the crew is no longer wanted. */
  async #otherLeaves(): Promise<boolean> {
    const { known, folder, leaveMs = settleMs } = this.#options;
    const until = Date.now() + leaveMs;
    while ((await findRunning(known.dataFolder(folder))) !== undefined) {
      if (Date.now() >= until) return false;
      await delay(retryMs, undefined, { signal: this.#end.signal });
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
      await (this.#own === undefined ? this.#lookAtOther() : this.#lookAtOwn());
    } catch (error) {
      if (!this.#end.signal.aborted) this.#options.onProblem("Looking after a local crew", error);
    } finally {
      this.#looking = false;
    }
  }

  async #lookAtOwn(): Promise<void> {
    if (this.#isWanted()) return;
    await this.#stopOwn();
    this.#becomeNothing();
  }

  async #lookAtOther(): Promise<void> {
    const { known, folder, isNeeded } = this.#options;
    const running = await findRunning(known.dataFolder(folder));
    if (running !== undefined) {
      // A third window started it again, perhaps at another port.
      if (running.url !== this.#guestUrl && (await answers(running)))
        this.#becomeGuest(running.url);
      return;
    }
    // The window whose service failed writes that down before anybody takes over.
    await delay(retryMs, undefined, { signal: this.#end.signal });
    this.#becomeNothing();
    if (isNeeded() && this.#isWanted()) await this.start();
  }

  #isWanted(): boolean {
    const { known, folder } = this.#options;
    return known.read(folder)?.wanted ?? false;
  }
}
