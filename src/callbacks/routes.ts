import * as l10n from "@vscode/l10n";
import { hashOf } from "../base/bearer.ts";
import { action, type ProblemLog, UserError } from "../base/errors.ts";
import { type Disposable, Disposables, type Event, type SecretStorage } from "../base/events.ts";
import { isLoopback, safeUrl } from "../base/loopback.ts";
import { text } from "../base/sqlite.ts";
import { withoutEndSlashes } from "../base/text.ts";
import type { Database } from "../store/database.ts";
import type { Paths } from "./paths.ts";
import {
  callbackAddress,
  type Channel,
  Channels,
  type RelayConnection,
  type RelayError,
} from "./relay-channel.ts";
import type { RelayClient } from "./relay-client.ts";

export interface Delivery {
  /** The path below the public address, which names the execution: `/<secret path>`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether a relay parsed the body and wrote it anew, so that a signature may no longer fit. */
  readonly isRewritten?: true;
  /** When a relay received it (ms since 1970), while this machine was away. */
  readonly arrivedAt?: number;
}

/** Stores a callback. Resolves with the HTTP status to answer: 2xx only once it is in the store. Never rejects. */
export type Receive = (delivery: Delivery) => Promise<number>;

export const mostBytes = 1_000_000;

/** A route on which crews on other machines reach this one, such as a tunnel or a relay. */
export interface Route {
  readonly via: "publicUrl" | "forwarded" | "relay";
  isOn(): boolean;
  /** Undefined if there is none. Never log it: the path is a secret. @throws UserError if it is set up wrongly */
  addressOf(path: string, port: number, mayAsk: boolean): Promise<string | undefined>;
  /** Called when this window begins to receive for all windows, and with undefined when it stops. */
  receives?(receive: Receive | undefined): void;
  forget?(): Promise<void>;
  dispose?(): void;
}

/** The person's own tunnel or reverse proxy to this machine. @param read reads the setting */
export function publicUrlRoute(read: () => string): Route {
  return {
    via: "publicUrl",
    isOn: () => read().trim() !== "",
    addressOf(path) {
      const url = safeUrl(read());
      if (url !== undefined)
        return Promise.resolve(`${url.origin}${withoutEndSlashes(url.pathname)}/${path}`);
      throw new UserError(
        l10n.t(
          "The setting crewdeck.callbacks.publicUrl must be an https address without a name and password in it, or an http address of this machine.",
        ),
      );
    },
  };
}

/** VS Code's port forwarding. A forwarded port may be private, so the route first sends itself a request without cookies. */
export function forwardedRoute(
  isOn: () => boolean,
  externalAddress: (address: string) => Promise<string>,
  paths: Paths,
): Route {
  return {
    via: "forwarded",
    isOn,
    async addressOf(path, port) {
      const external = new URL(await externalAddress(`http://127.0.0.1:${port}/`));
      if (external.protocol !== "https:" || isLoopback(external.hostname)) return undefined;
      const base = withoutEndSlashes(external.origin + external.pathname);
      const result = await paths.roundTrip((name) => `${base}/${name}`, 5_000);
      if (typeof result === "number") return `${base}/${path}`;
      throw new UserError(
        l10n.t(
          "VS Code forwards the port {0}, but only for you: {1}. To receive callbacks, make it public in the Ports view (Port Visibility).",
          port,
          result,
        ),
        [action(l10n.t("Show Ports"), "~remote.forwardedPorts.focus")],
      );
    },
  };
}

interface RelayOptions extends Omit<RelayConnection, "signal"> {
  /** Reads the setting: the address of a channel, or of a Crewdeck relay. */
  readonly read: () => string;
  readonly onDidChange: Event<unknown>;
  readonly secrets: SecretStorage;
  readonly askToken: (address: string) => Promise<string | undefined>;
  /** Called when the relay no longer has the channel: only the person can create a new one. */
  readonly onBroken: (problem: UserError) => void;
  readonly database: Pick<Database, "get" | "run">;
  readonly log: ProblemLog;
}

/** Receives callbacks through a relay on the internet. Only the window that receives for all windows listens to it. */
export class Relay implements Route, Disposable {
  readonly via = "relay";
  readonly #options: RelayOptions;
  readonly #owned = new Disposables();
  readonly #channels: Channels;
  #receive: Receive | undefined;
  #client: Promise<RelayClient> | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    const machine = () => text(options.database.get("SELECT name FROM machine") ?? {}, "name");
    this.#channels = new Channels({ ...options, machine });
    this.#owned.add(options.onDidChange(() => this.#look()));
  }

  isOn(): boolean {
    return this.#setting() !== "";
  }

  async addressOf(path: string, _port: number, mayAsk: boolean): Promise<string> {
    const channel = await this.#open(mayAsk);
    // The channel may be new, so begin to listen to it.
    this.#look();
    return callbackAddress(channel, `/${path}`);
  }

  receives(receive: Receive | undefined): void {
    this.#receive = receive;
    this.#look();
  }

  dispose(): void {
    this.#owned.dispose();
    this.receives(undefined);
  }

  /** Deletes the secrets of all channels, also on relays of earlier settings. */
  async forget(): Promise<void> {
    await this.#channels.forgetAll();
    this.#end();
  }

  #setting(): string {
    return this.#options.read().trim();
  }

  async #open(mayAsk = false): Promise<Channel> {
    const setting = this.#setting();
    const { askToken } = this.#options;
    const token = async () => (mayAsk ? await askToken(setting) : undefined);
    return await this.#channels.open(setting, token);
  }

  #look(): void {
    const receive = this.isOn() ? this.#receive : undefined;
    if (receive === undefined) {
      this.#end();
      return;
    }
    this.#client ??= import("./relay-client.ts").then(
      ({ RelayClient }) =>
        new RelayClient({
          ...{ ...this.#options, receive, lastIds: this.#lastIds },
          open: () => this.#open(),
          onGone: (gone, problem) => this.#forgetGone(gone, problem),
        }),
    );
    void this.#client.then((client) => client.look());
  }

  #end(): void {
    void this.#client?.then((client) => client.dispose());
    this.#client = undefined;
  }

  async #forgetGone({ address }: Channel, problem: RelayError): Promise<void> {
    const { log, onBroken } = this.#options;
    try {
      // Meanwhile, the setting may have changed, or another window may have created a new channel.
      if ((await this.#open()).address !== address) return;
      log.problem("The callbacks' relay no longer has the channel.", problem);
      onBroken(
        new UserError(
          l10n.t(
            "The relay of the setting crewdeck.callbacks.relay no longer has the channel of this machine, so no callbacks arrive. “Test Callbacks” creates a new one. Executions that you kicked off before still call the old one, and flows until you copy the feedback webhook's address of their crew again.",
          ),
        ),
      );
      await this.#channels.forget(this.#setting());
    } catch (error) {
      log.problem("The channel of the callbacks' relay could not be forgotten.", error);
    }
  }

  /** The database names a channel by a hash, because its address may be a secret. */
  readonly #lastIds = {
    get: (address: string) => {
      const select = "SELECT last_id FROM relay_channels WHERE channel = ?";
      const row = this.#options.database.get(select, hashOf(address));
      return row && text(row, "last_id");
    },
    set: (address: string, id: string) => {
      const insert = "INSERT OR REPLACE INTO relay_channels VALUES (?, ?)";
      this.#options.database.run(insert, hashOf(address), id);
    },
  };
}
