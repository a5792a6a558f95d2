import * as l10n from "@vscode/l10n";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Fetch } from "../api/transport.ts";
import type { Clock } from "../base/clock.ts";
import { asObject, isObject, parseJson, textAt, type UnknownObject } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { askRelay, RelayError } from "./relay-request.ts";

/** Where callbacks go and are listened to. */
export interface Channel {
  /** Without a slash at its end. For smee.io a secret: who has it can listen. */
  readonly address: string;
  /** On a relay of one's own: what it takes to listen, and to read what was sealed. */
  readonly own?: { readonly secret: string; readonly privateKey: JWK };
}

/** VS Code's SecretStorage. */
export interface ChannelSecrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
}

interface OpenChannelOptions {
  /** A channel of smee.io or a server like it, or the address of a relay of one's own. */
  readonly address: string;
  readonly secrets: ChannelSecrets;
  /** Asked for when a channel is created on a relay of one's own; undefined if nobody gave it. */
  readonly token: () => Promise<string | undefined>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
}

/** The key of the secret that holds the channels on relays of one's own, by the relay's address. */
export const channelsKey = "crewdeck.relays";

/** The channel that this machine has on a relay of one's own, created once; or the given one of another relay. @throws {RelayError} */
export async function openChannel(options: OpenChannelOptions): Promise<Channel> {
  const { secrets } = options;
  const address = relayAddress(options.address);
  const kept = readChannel((await keptIn(secrets))[address]);
  if (kept !== undefined) return kept;
  if (!(await isOwnRelay(address, options))) return { address };
  const created = await createChannel(address, options);
  await secrets.store(
    channelsKey,
    JSON.stringify({ ...(await keptIn(secrets)), [address]: created }),
  );
  return created;
}

/** The relay no longer has the channel. @param address of the relay */
export async function forgetChannel(address: string, secrets: ChannelSecrets): Promise<void> {
  const channels = { ...(await keptIn(secrets)), [relayAddress(address)]: undefined };
  await secrets.store(channelsKey, JSON.stringify(channels));
}

async function keptIn(secrets: ChannelSecrets): Promise<UnknownObject> {
  return asObject(parseJson((await secrets.get(channelsKey)) ?? ""));
}

/** The public address of what the receiver has at a path: `/<secret path>`. */
export function callbackAddress({ address, own }: Channel, path: string): string {
  // Servers like smee.io have one path for a channel.
  return own ? address + path : `${address}?crewdeck=${encodeURIComponent(path.slice(1))}`;
}

/** @throws {RelayError} for an address that nothing may be sent to */
function relayAddress(text: string): string {
  const url = safeUrl(text);
  if (url === undefined)
    throw new RelayError(
      l10n.t(
        "The relay's address must start with https://, and have no user name and password. Use http:// only for this computer (localhost, 127.0.0.1).",
      ),
    );
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

async function isOwnRelay(address: string, options: OpenChannelOptions): Promise<boolean> {
  const text = await askRelay(options, { method: "GET", url: address });
  return textAt(asObject(parseJson(text)), "service") === "crewdeck-relay";
}

async function createChannel(address: string, options: OpenChannelOptions): Promise<Channel> {
  const token = await options.token();
  if (token === undefined)
    throw new RelayError(l10n.t("The relay's token is needed to create a channel there."));
  const pair = await generateKeyPair("ECDH-ES", { crv: "P-256", extractable: true });
  const answer = await askRelay(options, {
    method: "POST",
    url: `${address}/channels`,
    secret: token,
    body: JSON.stringify({ publicKey: await exportJWK(pair.publicKey) }),
  });
  const { channel, secret } = asObject(parseJson(answer));
  if (!isName(channel) || !isName(secret))
    throw new RelayError(l10n.t("The relay's answer can't be read."));
  const privateKey = await exportJWK(pair.privateKey);
  return { address: `${address}/${channel}`, own: { secret, privateKey } };
}

function readChannel(kept: unknown): Channel | undefined {
  const { address, own } = asObject(kept);
  if (typeof address !== "string" || !isObject(own)) return undefined;
  const { secret, privateKey } = own;
  return isName(secret) && isObject(privateKey)
    ? { address, own: { secret, privateKey } }
    : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{16,128}$/.test(value);
}
