import * as l10n from "@vscode/l10n";
import type { Fetch } from "../api/transport.ts";
import { digest } from "../base/bearer.ts";
import type { Clock } from "../base/clock.ts";
import { type ProblemLog, UserError } from "../base/errors.ts";
import { type Disposable, Disposables, type Event } from "../base/events.ts";
import { text } from "../base/sqlite.ts";
import type { Database } from "../store/database.ts";
import type { Receive, Route } from "./routes.ts";
import type { Channel, ChannelSecrets } from "./relay-channel.ts";
import type { LastEventId, RelayClient } from "./relay-client.ts";

interface RelayOptions {
  /** Reads the setting: the address of a channel, or of a Crewdeck relay. */
  readonly read: () => string;
  readonly onDidChange: Event<unknown>;
  readonly secrets: ChannelSecrets & { delete(key: string): PromiseLike<void> };
  /** Asks the person for the token of the relay at an address. Undefined if they cancel. */
  readonly askToken: (address: string) => Promise<string | undefined>;
  /** Called when the relay no longer has the channel: only the person can create a new one. */
  readonly onBroken: (problem: UserError) => void;
  readonly database: Pick<Database, "get" | "run">;
  readonly fetch: Fetch;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: ProblemLog;
}

/** Receives callbacks through a relay on the internet. Only the window that receives for all windows listens to it. */
export class Relay implements Route, Disposable {
  readonly via = "relay";
  readonly #options: RelayOptions;
  readonly #owned = new Disposables();
  #receive: Receive | undefined;
  #listening: { readonly setting: string; readonly client: RelayClient } | undefined;
  /** The channel on a server like smee.io. It is remembered so that the server isn't asked what it is each time. */
  #foreign: { readonly setting: string; readonly channel: Channel } | undefined;
  /** The changes of the client run one after the other. */
  #changing: Promise<void> = Promise.resolve();

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#owned.add(options.onDidChange(() => this.#change()));
  }

  isOn(): boolean {
    return this.#options.read().trim() !== "";
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
    await this.#options.secrets.delete(await this.#key());
    this.#change(() => this.#end());
  }

  async #open(mayAsk: boolean): Promise<Channel> {
    const { read, askToken, ...options } = this.#options;
    const setting = read().trim();
    if (this.#foreign?.setting === setting) return this.#foreign.channel;
    const { openChannel } = await import("./relay-channel.ts");
    const token = () => (mayAsk ? askToken(setting) : Promise.resolve(undefined));
    const key = await this.#key();
    const channel = await openChannel({ ...options, address: setting, key, token });
    if (channel.own === undefined) this.#foreign = { setting, channel };
    return channel;
  }

  #change(action: () => Promise<void> = () => this.#update()): void {
    this.#changing = this.#changing.then(action).catch((error: unknown) => {
      this.#options.log.problem("The callbacks' relay can't be listened to.", error);
    });
  }

  async #update(): Promise<void> {
    const setting = this.#options.read().trim();
    const receive = setting === "" ? undefined : this.#receive;
    const channel = receive && (await this.#open(false).catch(() => undefined));
    const { client, setting: before } = this.#listening ?? {};
    // Another window may have created a new channel.
    const isSame = receive && before === setting && client?.address === channel?.address;
    if (isSame) return;
    await this.#end();
    if (receive === undefined) return;
    const { RelayClient } = await import("./relay-client.ts");
    const options = {
      ...this.#options,
      receive,
      open: () => this.#open(false),
      lastEventId: (channel: Channel) => this.#lastEventId(channel),
      onGone: (channel: Channel, message: string) => this.#forgetGone(channel, message),
      random: Math.random,
    };
    this.#listening = { setting, client: new RelayClient(options) };
  }

  async #end(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.client.dispose();
  }

  async #forgetGone({ address }: Channel, message: string): Promise<void> {
    const { log, onBroken, read, secrets } = this.#options;
    try {
      // Meanwhile, the setting may have changed, or another window may have created a new channel.
      if ((await this.#open(false)).address !== address) return;
      log.problem("The callbacks' relay no longer has the channel.", message);
      onBroken(
        new UserError(
          l10n.t(
            "The relay of the setting crewdeck.callbacks.relay no longer has the channel of this machine, so no callbacks arrive. “Test Callbacks” creates a new one. Executions that you kicked off before still call the old one, and flows until you copy the feedback webhook's address of their crew again.",
          ),
        ),
      );
      const { forgetChannel } = await import("./relay-channel.ts");
      await forgetChannel(read(), { secrets, key: await this.#key() });
    } catch (error) {
      log.problem("The channel of the callbacks' relay could not be forgotten.", error);
    }
  }

  async #key(): Promise<string> {
    const { channelsKey } = await import("./relay-channel.ts");
    return channelsKey(text(this.#options.database.get("SELECT name FROM machine") ?? {}, "name"));
  }

  /** The database names the channel by a hash, because its address may be a secret. */
  #lastEventId({ address }: Channel): LastEventId {
    const { database } = this.#options;
    const channel = digest(address).toString("base64url");
    return {
      get() {
        const row = database.get("SELECT last_id FROM relay_channels WHERE channel = ?", channel);
        return row && text(row, "last_id");
      },
      set(id) {
        database.run("INSERT OR REPLACE INTO relay_channels VALUES (?, ?)", channel, id);
      },
    };
  }
}
