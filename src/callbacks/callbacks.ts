import * as l10n from "@vscode/l10n";
import type { CallbackAddress } from "../api/callbacks.ts";
import { UserError } from "../base/errors.ts";
import { type Disposable, Disposables } from "../base/events.ts";
import { isLoopback, receiverAddress } from "../base/loopback.ts";
import { type CrewRef, type ExecutionSummary, hasEnded, isLocalCrew } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { FlowWebhooks, type FlowWebhooksOptions } from "./flow-webhooks.ts";
import { Inbox } from "./inbox.ts";
import { newSecret, Paths } from "./paths.ts";
import type { Payload } from "./payload.ts";
import { PortTakenError, Receiver } from "./receiver.ts";
import type { Delivery, Receive, Route } from "./routes.ts";

/** Stands for the path in an address whose path isn't known yet. */
const noPath = "-";

export interface CallbacksOptions extends FlowWebhooksOptions {
  readonly store: ExecutionStore;
  readonly routes: readonly Route[];
  readonly poll: (localId: string) => Promise<unknown>;
  readonly onBroken: (problem: UserError) => void;
}

export interface CallbackTest {
  readonly via: "loopback" | "none" | Route["via"];
  readonly url?: string;
  readonly port?: number;
  readonly roundTripMs?: number;
}

export class Callbacks implements Disposable {
  readonly #options: CallbacksOptions;
  readonly #paths: Paths;
  readonly #inbox: Inbox;
  readonly #receiver: Receiver;
  readonly #owned = new Disposables();
  /** Why callbacks can't come, as notifications have said: each kickoff would say it again. */
  readonly #told = new Set<string>();
  #cancelStop: (() => void) | undefined;
  readonly flows: FlowWebhooks;
  readonly receive: Receive;

  constructor(options: CallbacksOptions) {
    this.#options = options;
    const { database, store, routes, clock } = options;
    const paths = (this.#paths = new Paths(database, clock));
    const flows = (this.flows = new FlowWebhooks(options));
    const inbox = (this.#inbox = new Inbox({ ...options, paths }));
    const receive = (this.receive = async (delivery: Delivery) =>
      (await flows.receive(delivery)) ?? (await inbox.receive(delivery)));
    this.#receiver = this.#owned.add(
      new Receiver({
        ...{ ...options, paths, receive },
        isKnown: (path) =>
          paths.find(path) !== undefined || paths.isProbe(path) || flows.isPath(path),
        // Only a person's own tunnel leads to a fixed port. The other routes learn the new port by themselves.
        isPortNeeded: () => routes.some((route) => route.via === "publicUrl" && route.isOn()),
        onReceiving: (isReceiving) => {
          for (const route of routes) route.receives?.(isReceiving ? receive : undefined);
        },
      }),
    );
    const needs = (execution: ExecutionSummary) =>
      !hasEnded(execution) && paths.of(execution.localId) !== undefined;
    this.#owned.add(
      store.onDidChange(({ added, changed, removed }) => {
        // Another window may have asked for callbacks.
        if (!this.#receiver.isStarted && [...added, ...changed].some(needs)) this.#begin();
        if (removed.length > 0 || changed.some(hasEnded)) this.#stopLater();
      }),
    );
  }

  take(localId: string, payload: Payload): void {
    this.#inbox.take(localId, payload);
  }

  begin(): void {
    if (this.#isNeeded()) this.#begin();
  }

  /** Whether the crew will get an address of this machine, as far as is known without asking the person. Never rejects. */
  async canReach(crew: CrewRef): Promise<boolean> {
    if (isHere(crew)) return true;
    try {
      return (await this.#routeFor(crew, noPath)).url !== undefined;
    } catch {
      // The test, and the kickoff, say why.
      return false;
    }
  }

  /** The address for an execution's callbacks. Undefined if its crew can't reach this machine. Never rejects: a kickoff works without callbacks. */
  async for(crew: CrewRef, localId: string): Promise<CallbackAddress | undefined> {
    try {
      const path = this.#paths.of(localId) ?? newSecret();
      const { url } = await this.#routeFor(crew, path);
      if (url === undefined) return undefined;
      this.#paths.keep(localId, path);
      return { url, token: this.#paths.newToken(localId) };
    } catch (error) {
      this.#report("Callbacks could not be received.", error, crew);
      return undefined;
    }
  }

  /** The address where a crew's flows ask for feedback. May ask the person for a relay's token. Undefined if the crew can't reach this machine. */
  async forFlows(crew: CrewRef): Promise<string | undefined> {
    if (!this.#hasRoute(crew)) return undefined;
    const { url } = await this.#routeFor(crew, noPath, true);
    return url && withPath(url, this.flows.path(crew.id));
  }

  /** As a crew would. @param isNewPort if another program has taken the stored one. @throws UserError if it doesn't arrive */
  async test(crew?: CrewRef, { isNewPort = false } = {}): Promise<CallbackTest> {
    if (isNewPort) await this.#receiver.start(true);
    const { url, ...way } = await this.#routeFor(crew, noPath, true);
    const { via, port } = way;
    if (via === undefined || url === undefined) return { ...way, via: "none" };
    const base = withPath(url, "").replace(/(\/|\?crewdeck=)$/, "");
    const result = await this.#paths.roundTrip((path) => withPath(url, path), 10_000);
    if (typeof result === "number") return { ...way, via, url: base, roundTripMs: result };
    throw new UserError(
      l10n.t(
        "Callbacks sent to {0} don't arrive on this machine: {1}. A tunnel or proxy must lead to http://127.0.0.1:{2}; a relay must run, and a proxy before it must pass events on at once.",
        base,
        result,
        port ?? 0,
      ),
    );
  }

  dispose(): void {
    this.#cancelStop?.();
    this.#owned.dispose();
    for (const route of this.#options.routes) route.dispose?.();
  }

  async forgetRoutes(): Promise<void> {
    for (const route of this.#options.routes) await route.forget?.();
  }

  /** By the first route that works. @param mayAsk whether the person may be asked for a token */
  async #routeFor(
    crew: CrewRef | undefined,
    path: string,
    mayAsk = false,
  ): Promise<Partial<Omit<CallbackTest, "roundTripMs">>> {
    if (!mayAsk && crew !== undefined && !this.#hasRoute(crew)) return {};
    // The person may take long to answer.
    this.#cancelStop?.();
    try {
      const port = await this.#receiver.start();
      let first: Error | undefined;
      for (const route of this.#routesFor(crew)) {
        try {
          const url = await route.addressOf(path, port, mayAsk);
          if (url !== undefined) return { via: route.via, port, url };
        } catch (error) {
          first ??= error instanceof Error ? error : new Error(String(error));
        }
      }
      if (first !== undefined) throw first;
      if (crew === undefined || isHere(crew))
        return { via: "loopback", port, url: receiverAddress(port, path) };
      return { port };
    } finally {
      this.#stopLater();
    }
  }

  #hasRoute(crew: CrewRef): boolean {
    return isHere(crew) || this.#routesFor(crew).length > 0;
  }

  #routesFor(crew: CrewRef | undefined): readonly Route[] {
    if (crew !== undefined && isLocalCrew(crew)) return [];
    return this.#options.routes.filter(
      (route) => route.isOn() && !(isHere(crew) && route.via === "forwarded"),
    );
  }

  #stopLater(): void {
    this.#cancelStop?.();
    // Callbacks may follow an execution's end.
    this.#cancelStop = this.#options.clock.after(60_000, () => {
      try {
        if (!this.#isNeeded()) this.#receiver.stop();
      } catch (error) {
        this.#options.log.problem("Whether callbacks are still needed is not known.", error);
      }
    });
  }

  #begin(): void {
    this.#receiver.start().catch((error: unknown) => {
      this.#report("Callbacks can't be received on this machine.", error);
    });
  }

  #report(doing: string, error: unknown, crew?: CrewRef): void {
    const { log, onBroken } = this.#options;
    log.problem(doing, error, crew?.name);
    if (error instanceof PortTakenError) onBroken(error);
    else if (error instanceof UserError && crew !== undefined && !this.#told.has(error.message)) {
      this.#told.add(error.message);
      const text = l10n.t("“{0}” can't call this machine. {1}", crew.name, error.message);
      onBroken(new UserError(text, error.actions));
    }
  }

  #isNeeded(): boolean {
    // A flow may ask at any time.
    if (this.flows.crewIds().length > 0) return true;
    const called = this.#paths.localIds();
    const { store } = this.#options;
    return store.list().some((each) => called.has(each.localId) && !hasEnded(each));
  }
}

/** A crew at a loopback address runs on this machine. */
function isHere(crew: CrewRef | undefined): boolean {
  return crew !== undefined && (isLocalCrew(crew) || isLoopback(new URL(crew.url).hostname));
}

/** @param url with `noPath` at its end */
function withPath(url: string, path: string): string {
  return url.slice(0, -noPath.length) + path;
}
