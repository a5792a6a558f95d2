import * as l10n from "@vscode/l10n";
import { setTimeout as delay } from "node:timers/promises";
import { windowProtocol } from "../base/window-protocol.ts";
import { Connection, UnknownToken } from "./connection.ts";
import type { ProjectRecords, RecordChange } from "./records.ts";
import {
  answers,
  endService,
  findRunning,
  ServiceFailure,
  ServiceRefusal,
  type Running,
} from "./service-process.ts";
import type { ServiceTokens, TokenKeeper } from "./service-tokens.ts";

export interface LocalServiceOptions {
  readonly folder: string;
  readonly records: ProjectRecords;
  readonly tokens: TokenKeeper;
  /** Throws what `startService` does. */
  launch(port: number, tokens: ServiceTokens, signal: AbortSignal): Promise<Running>;
  /** Whether this window starts the service again when one of another version has ended. */
  readonly isNeeded: () => boolean;
  /** What the service serves, before its tokens are stored. */
  readonly onClasses: (classes: readonly string[]) => void;
  /** @param isNew whether this window started it */
  readonly onConnected: (connection: Connection, isNew: boolean) => void;
  readonly onChange: () => void;
  readonly onLine: (line: string) => void;
  /** It ended though nobody stopped it. Called in one of the windows. */
  readonly onEnded: () => void;
  readonly onProblem: (doing: string, error: unknown) => void;
  /** How often to look whether a service of another version has ended (ms). */
  readonly lookMs?: number;
  /** How long a stopping service may hold its data, and a starting one has no address or tokens (ms). */
  readonly settleMs?: number;
}

const usualSettleMs = 20_000;
const retryMs = 200;

/**
 * Keeps one local crew served, for all windows of this machine. The service outlives them while it works. The lock on the data folder
 * decides which process serves, `wanted` in the database whether any does.
 */
export class LocalService {
  readonly #options: LocalServiceOptions;
  readonly #end = new AbortController();
  #connection: Connection | undefined;
  /** Of a service of another version: it is used by its API, until it ends. */
  #otherUrl: string | undefined;
  #starting: Promise<string> | undefined;
  #joining: Promise<void> | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: LocalServiceOptions) {
    this.#options = options;
  }

  /** The service's address, if it runs. */
  get url(): string | undefined {
    return this.#connection?.options.running.url ?? this.#otherUrl;
  }

  /** Undefined for a service of another version. */
  get connection(): Connection | undefined {
    return this.#connection;
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

  /** Uses the service if it runs. */
  async join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    await this.#joining;
  }

  /** Stops the service for all windows. False if it can't be stopped. */
  async stop(): Promise<boolean> {
    await this.#starting?.catch(() => undefined);
    this.#store({ wanted: false, failure: undefined });
    const running = await this.#findRunning();
    if (running !== undefined) {
      // Else the process may be another program's.
      const isService =
        running.pid === this.#connection?.options.running.pid || (await answers(running));
      if (!isService || !(await endService(this.#dataFolder, running.pid))) return false;
    }
    this.#becomeNothing();
    return true;
  }

  /** The service stays. */
  dispose(): void {
    this.#end.abort(new Error("The window closes."));
    clearInterval(this.#watch);
    this.#connection?.close();
  }

  async #start(): Promise<string> {
    await this.#joining;
    if (this.#connection !== undefined) {
      const { running, token, userToken } = this.#connection.options;
      // SecretStorage may have lost them.
      await this.#options.tokens.keep({ token, userToken });
      return running.url;
    }
    const until = Date.now() + (this.#options.settleMs ?? usualSettleMs);
    for (;;) {
      const url = (await this.#useRunning()) ?? (await this.#launch());
      if (url !== undefined) {
        this.#store({ wanted: true, failure: undefined });
        return url;
      }
      if (Date.now() > until)
        throw new ServiceRefusal({
          reason: "inUse",
          message: l10n.t("Another process uses the crew's data and does not respond."),
        });
      await this.#pause();
    }
  }

  async #join(): Promise<void> {
    if (this.url !== undefined || this.#starting !== undefined) return;
    try {
      await this.#useRunning();
    } catch (error) {
      this.#options.onProblem("Connecting to a local crew's service", error);
    }
  }

  /** Undefined if no service responds. @throws ServiceRefusal if its tokens are lost */
  async #useRunning(): Promise<string | undefined> {
    const running = await this.#findRunning();
    if (running === undefined || !(await answers(running))) return undefined;
    if (running.protocol !== windowProtocol) return this.#becomeGuest(running.url);
    const tokens = await this.#waitForTokens();
    return await this.#connect(running, tokens, false).catch((error: unknown) => {
      // It leaves at this moment.
      if (error instanceof ServiceFailure) return undefined;
      throw error;
    });
  }

  /** Undefined if another service is starting or stopping. */
  async #launch(): Promise<string | undefined> {
    const { tokens, records, folder } = this.#options;
    const { signal } = this.#end;
    const lastPort = records.read(folder)?.port ?? 0;
    const prepared = await tokens.prepare();
    const launch = (port: number) => this.#options.launch(port, prepared, signal);
    const refusedBy = (error: unknown) =>
      error instanceof ServiceRefusal ? error.reason : undefined;
    try {
      const running = await launch(lastPort).catch((error: unknown) => {
        if (refusedBy(error) !== "port" || lastPort === 0) throw error;
        return launch(0);
      });
      try {
        this.#store({ port: Number(new URL(running.url).port) });
        return await this.#connect(running, prepared, true);
      } catch (error) {
        // Nothing runs in it yet, and nobody could use it.
        await endService(this.#dataFolder, running.pid);
        throw error;
      }
    } catch (error) {
      if (refusedBy(error) === "inUse") return undefined;
      throw error;
    }
  }

  /** A window that starts a new crew stores the tokens after the service listens. */
  async #waitForTokens(): Promise<ServiceTokens> {
    const until = Date.now() + (this.#options.settleMs ?? usualSettleMs);
    for (;;) {
      const tokens = await this.#options.tokens.read();
      if (tokens !== undefined) return tokens;
      if (Date.now() > until) throw lostTokens();
      await this.#pause();
    }
  }

  async #connect(running: Running, tokens: ServiceTokens, isNew: boolean): Promise<string> {
    const { onChange, onLine, onConnected } = this.#options;
    const connection = await Connection.open({ running, ...tokens, onChange, onLine }).catch(
      (error: unknown) => {
        throw error instanceof UnknownToken ? lostTokens() : error;
      },
    );
    try {
      if (connection.classes !== undefined) this.#options.onClasses(connection.classes);
      await this.#options.tokens.keep(tokens);
      // The window may have closed meanwhile.
      this.#end.signal.throwIfAborted();
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#becomeNothing();
    this.#connection = connection;
    this.#store({ engine: connection.engine });
    void connection.closed
      .then(() => this.#lost(connection))
      .catch((error: unknown) => this.#options.onProblem("Noting that a local crew ended", error));
    onConnected(connection, isNew);
    onChange();
    return running.url;
  }

  #becomeGuest(url: string): string {
    this.#otherUrl = url;
    this.#watch ??= setInterval(() => void this.#look(), this.#options.lookMs ?? 1000).unref();
    this.#options.onChange();
    return url;
  }

  #becomeNothing(): void {
    clearInterval(this.#watch);
    const { url } = this;
    this.#watch = this.#connection = this.#otherUrl = undefined;
    if (url !== undefined) this.#options.onChange();
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection || this.#end.signal.aborted) return;
    this.#becomeNothing();
    const { records, folder } = this.#options;
    const isUnexpected = records.fail(folder, l10n.t("It ended unexpectedly."));
    this.#options.onChange();
    if (isUnexpected) this.#options.onEnded();
  }

  /** After a service of another version. */
  async #look(): Promise<void> {
    try {
      if ((await this.#findRunning())?.url === this.#otherUrl || this.#otherUrl === undefined)
        return;
      this.#becomeNothing();
      const { records, folder, isNeeded } = this.#options;
      if (isNeeded() && records.read(folder)?.wanted === true) await this.start();
    } catch (error) {
      if (!this.#end.signal.aborted)
        this.#options.onProblem("Starting a local crew after one of another version", error);
    }
  }

  /** @throws the reason when the window closes */
  #pause(): Promise<void> {
    return delay(retryMs, undefined, { signal: this.#end.signal });
  }

  #store(change: RecordChange): void {
    this.#options.records.change(this.#options.folder, change);
  }

  get #dataFolder(): string {
    return this.#options.records.dataFolder(this.#options.folder);
  }

  #findRunning(): Promise<Running | undefined> {
    return findRunning(this.#dataFolder);
  }
}

function lostTokens(): ServiceRefusal {
  return new ServiceRefusal({
    reason: "inUse",
    message: l10n.t(
      "Its service still runs, and its token is no longer on this machine. Stop the crew, which interrupts what runs, and start it again.",
    ),
  });
}
