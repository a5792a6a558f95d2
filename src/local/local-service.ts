import * as l10n from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../base/errors.ts";
import { asObject, defined, parseJson, textAt } from "../base/json.ts";
import { windowProtocol } from "../base/window-protocol.ts";
import type { Crews } from "../crews/crews.ts";
import { Connection } from "./connection.ts";
import type { ProjectRecords } from "./records.ts";
import { answers, endService, findRunning, ServiceError, type Running } from "./service-process.ts";

export type ServiceTokens = Readonly<Record<"token" | "userToken", string>>;

export interface LocalServiceOptions {
  readonly folder: string;
  readonly records: ProjectRecords;
  readonly crews: Pick<Crews, "tokens" | "setTokens">;
  /** Whether tokens are also in a file that only this user can read: a window in a browser may forget its secrets. */
  readonly hasTokenFile: boolean;
  /** How long a stopping service may hold its data, and a starting one has no address or tokens (ms). */
  readonly settleMs?: number;
}

const usualSettleMs = 20_000;
const retryMs = 200;

/** For all windows. The lock on the data folder decides which process serves, `wanted` in the database whether any does. */
export abstract class LocalService {
  readonly folder: string;
  readonly records: ProjectRecords;
  readonly dataFolder: string;
  readonly #options: LocalServiceOptions;
  readonly #end = new AbortController();
  #connection: Connection | undefined;
  /** Of a service of another version: only its API is used. When it has ended, the next use or focus finds that. */
  #otherUrl: string | undefined;
  #starting: Promise<string> | undefined;
  #joining: Promise<void> | undefined;

  constructor(options: LocalServiceOptions) {
    this.folder = options.folder;
    this.records = options.records;
    this.dataFolder = options.records.dataFolder(options.folder);
    this.#options = options;
  }

  protected abstract launch(
    port: number,
    tokens: ServiceTokens,
    signal: AbortSignal,
  ): Promise<Running>;
  protected abstract setClasses(classes: readonly string[]): void;
  protected abstract connected(connection: Connection, isNew: boolean): void;
  protected abstract changed(): void;
  abstract log(line: string): void;
  protected abstract ended(): void;
  protected abstract failed(doing: string, error: unknown): void;

  get url(): string | undefined {
    return this.#connection?.running.url ?? this.#otherUrl;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  async serve(): Promise<string> {
    this.#starting ??= this.#start()
      .catch((error: unknown) => {
        if (error instanceof ServiceError)
          this.records.change(this.folder, { failure: error.message });
        this.changed();
        throw error;
      })
      .finally(() => (this.#starting = undefined));
    return await this.#starting;
  }

  async join(): Promise<void> {
    if (this.#connection !== undefined || this.#starting !== undefined) return;
    this.#joining ??= this.#useRunning()
      .then(
        () => undefined,
        (error: unknown) => this.failed("Connecting to a local crew's service", error),
      )
      .finally(() => (this.#joining = undefined));
    await this.#joining;
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    this.records.change(this.folder, { wanted: false, failure: undefined });
    const running = await findRunning(this.dataFolder);
    // Else the process may be another program's.
    const isService =
      running !== undefined &&
      (running.pid === this.#connection?.running.pid || (await answers(running)));
    const hasEnded =
      running === undefined || (isService && (await endService(this.dataFolder, running.pid)));
    if (hasEnded) this.#becomeNothing();
    else
      throw new UserError(
        l10n.t(
          "The local crew “{0}” does not stop: another process uses its data and does not respond.",
          this.records.read(this.folder)?.name ?? this.folder,
        ),
      );
  }

  /** The service stays. */
  dispose(): void {
    this.#end.abort(new Error("The window closes."));
    this.#connection?.close();
  }

  async #start(): Promise<string> {
    await this.#joining;
    const { connection } = this;
    if (connection !== undefined) {
      // SecretStorage may have lost them.
      await this.#keepTokens(connection);
      // It may be stopped now.
      if (this.#connection === connection) return connection.running.url;
    }
    const until = this.#settled();
    for (;;) {
      const url = (await this.#useRunning()) ?? (await this.#launch());
      if (url !== undefined) {
        this.records.change(this.folder, { wanted: true, failure: undefined });
        return url;
      }
      if (Date.now() > until)
        throw new ServiceError(
          "inUse",
          l10n.t("Another process uses the crew's data and does not respond."),
        );
      await this.#pause();
    }
  }

  async #useRunning(): Promise<string | undefined> {
    const running = await findRunning(this.dataFolder);
    const isThere = running !== undefined && (await answers(running));
    this.#otherUrl = isThere && running.protocol !== windowProtocol ? running.url : undefined;
    this.changed();
    if (!isThere || this.#otherUrl !== undefined) return this.#otherUrl;
    // A window that starts a new crew stores the tokens after the service listens.
    const until = this.#settled();
    let { token, userToken } = await this.#readTokens();
    while (token === undefined || userToken === undefined) {
      if (Date.now() > until) throw lostTokens();
      await this.#pause();
      ({ token, userToken } = await this.#readTokens());
    }
    return await this.#connect(running, { token, userToken }, false).catch((error: unknown) => {
      // It leaves at this moment.
      if (error instanceof ServiceError && error.reason === "gone") return undefined;
      throw error;
    });
  }

  async #launch(): Promise<string | undefined> {
    const lastPort = this.records.read(this.folder)?.port ?? 0;
    const newToken = () => randomBytes(32).toString("base64url");
    const { token = newToken(), userToken = newToken() } = await this.#readTokens();
    // New ones are not stored yet: another window's service may be first.
    const tokens = { token, userToken };
    const launch = (port: number) => this.launch(port, tokens, this.#end.signal);
    const reasonOf = (error: unknown) => (error instanceof ServiceError ? error.reason : undefined);
    try {
      const running = await launch(lastPort).catch((error: unknown) => {
        if (reasonOf(error) !== "port" || lastPort === 0) throw error;
        return launch(0);
      });
      try {
        this.records.change(this.folder, { port: Number(new URL(running.url).port) });
        return await this.#connect(running, tokens, true);
      } catch (error) {
        // Nothing runs in it yet, and nobody could use it.
        await endService(this.dataFolder, running.pid);
        throw error;
      }
    } catch (error) {
      if (reasonOf(error) === "inUse") return undefined;
      throw error;
    }
  }

  async #connect(running: Running, tokens: ServiceTokens, isNew: boolean): Promise<string> {
    const connection = await Connection.open({
      ...{ running, ...tokens },
      onChange: () => this.changed(),
      onLine: (line) => this.log(line),
    }).catch((error: unknown) => {
      throw error instanceof ServiceError && error.reason === "token" ? lostTokens() : error;
    });
    try {
      if (connection.classes !== undefined) this.setClasses(connection.classes);
      await this.#keepTokens(tokens);
      // The window may have closed meanwhile.
      this.#end.signal.throwIfAborted();
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#becomeNothing();
    this.#connection = connection;
    this.records.change(this.folder, { engine: connection.engine });
    void connection.closed
      .then(() => this.#lost(connection))
      .catch((error: unknown) => this.failed("Noting that a local crew ended", error));
    this.connected(connection, isNew);
    this.changed();
    return running.url;
  }

  #becomeNothing(): void {
    const { url } = this;
    this.#connection = this.#otherUrl = undefined;
    if (url !== undefined) this.changed();
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection || this.#end.signal.aborted) return;
    this.#becomeNothing();
    const isUnexpected = this.records.fail(this.folder, l10n.t("It ended unexpectedly."));
    this.changed();
    if (isUnexpected) this.ended();
  }

  #settled(): number {
    return Date.now() + (this.#options.settleMs ?? usualSettleMs);
  }

  #pause(): Promise<void> {
    return delay(retryMs, undefined, { signal: this.#end.signal });
  }

  get #tokenFile(): string {
    return path.join(this.dataFolder, "tokens.json");
  }

  async #readTokens(): Promise<Partial<ServiceTokens>> {
    const { crews, hasTokenFile } = this.#options;
    const file = hasTokenFile ? await readFile(this.#tokenFile, "utf8").catch(() => "") : "";
    const filed = asObject(parseJson(file));
    const stored = await crews.tokens(this.records.crewIds(this.folder)[0]);
    return defined({
      token: textAt(filed, "token") ?? stored?.bearer,
      userToken: textAt(filed, "userToken") ?? stored?.userBearer,
    });
  }

  async #keepTokens({ token, userToken }: ServiceTokens): Promise<void> {
    const { crews, hasTokenFile } = this.#options;
    for (const id of this.records.crewIds(this.folder)) {
      const kept = await crews.tokens(id);
      if (kept?.bearer === token && kept.userBearer === userToken) continue;
      const inUse = kept?.inUse ?? "bearer";
      await crews.setTokens(id, { inUse, bearer: token, userBearer: userToken });
    }
    if (hasTokenFile)
      await writeFile(this.#tokenFile, JSON.stringify({ token, userToken }), { mode: 0o600 });
  }
}

function lostTokens(): ServiceError {
  return new ServiceError(
    "inUse",
    l10n.t(
      "Its service still runs, and its token is no longer on this machine. Stop the crew, which interrupts what runs, and start it again.",
    ),
  );
}
