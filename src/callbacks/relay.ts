import * as l10n from "@vscode/l10n";
import { digest } from "../base/bearer.ts";
import { type ProblemLog, UserError } from "../base/errors.ts";
import { type Disposable, Disposables, type Event } from "../base/events.ts";
import { text } from "../base/sqlite.ts";
import type { Database } from "../store/database.ts";
import type { Channel, Channels, RelayConnection, RelayError } from "./relay-channel.ts";
import type { RelayClient } from "./relay-client.ts";
import type { Receive, Route, SecretStorage } from "./routes.ts";

interface RelayOptions extends Omit<RelayConnection, "signal"> {
  /** Reads the setting: the address of a channel, or of a Crewdeck relay. */
  readonly read: () => string;
  readonly onDidChange: Event<unknown>;
  readonly secrets: SecretStorage;
  /** Asks the person for the token of the relay at an address. Undefined if they cancel. */
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
  #channels: Promise<Channels> | undefined;
  #receive: Receive | undefined;
  #listening: { readonly setting: string; readonly client: RelayClient } | undefined;
  /** The changes of the client run one after the other. */
  #changing: Promise<void> = Promise.resolve();

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#owned.add(options.onDidChange(() => this.#change()));
  }

  isOn(): boolean {
    return this.#setting() !== "";
  }

  async addressOf(path: string, _port: number, mayAsk: boolean): Promise<string> {
    const { callbackAddress } = await import("./relay-channel.ts");
    const channel = await this.#open(mayAsk);
    // The channel may be new, so begin to listen to it.
    this.#change();
    return callbackAddress(channel, `/${path}`);
  }

  receives(receive: Receive | undefined): void {
    this.#receive = receive;
    this.#change();
  }

  dispose(): void {
    this.#owned.dispose();
    this.receives(undefined);
  }

  /** Deletes the secrets of all channels, also on relays of earlier settings. */
  async forget(): Promise<void> {
    await (await this.#allChannels()).forgetAll();
    this.#change(() => this.#end());
  }

  #setting(): string {
    return this.#options.read().trim();
  }

  /** What it needs is loaded once a relay is used. */
  #allChannels(): Promise<Channels> {
    const { database } = this.#options;
    return (this.#channels ??= import("./relay-channel.ts").then(({ Channels }) => {
      const machine = text(database.get("SELECT name FROM machine") ?? {}, "name");
      return new Channels({ ...this.#options, machine });
    }));
  }

  async #open(mayAsk = false): Promise<Channel> {
    const setting = this.#setting();
    const { askToken } = this.#options;
    return await (
      await this.#allChannels()
    ).open(setting, async () => (mayAsk ? await askToken(setting) : undefined));
  }

  #change(action: () => Promise<void> = () => this.#update()): void {
    this.#changing = this.#changing.then(action).catch((error: unknown) => {
      this.#options.log.problem("The callbacks' relay can't be listened to.", error);
    });
  }

  async #update(): Promise<void> {
    const setting = this.#setting();
    const receive = setting === "" ? undefined : this.#receive;
    const channel = receive && (await this.#open().catch(() => undefined));
    const { client, setting: before } = this.#listening ?? {};
    // Another window may have created a new channel.
    const isSame = receive && before === setting && client?.address === channel?.address;
    if (isSame) return;
    await this.#end();
    if (receive === undefined) return;
    const { RelayClient } = await import("./relay-client.ts");
    const options = {
      ...{ ...this.#options, receive, lastIds: this.#lastIds, random: Math.random },
      open: () => this.#open(),
      onGone: (gone: Channel, problem: RelayError) => this.#forgetGone(gone, problem),
    };
    this.#listening = { setting, client: new RelayClient(options) };
  }

  async #end(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.client.dispose();
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
      await (await this.#allChannels()).forget(this.#setting());
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

function hashOf(address: string): string {
  return digest(address).toString("base64url");
}
