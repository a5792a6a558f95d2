import * as l10n from "@vscode/l10n";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Fetch } from "../api/transport.ts";
import type { Clock } from "../base/clock.ts";
import { asObject, isObject, parseJson, textAt, type UnknownObject } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import { askRelay, RelayError } from "./relay-request.ts";

/** A relay's address to which crews send callbacks, and from which this machine gets them. */
export interface Channel {
  /** Without a slash at its end. On smee.io it is a secret: whoever knows it can listen. */
  readonly address: string;
  /** On a Crewdeck relay: the secret to listen with, and the key that decrypts callbacks. */
  readonly own?: { readonly secret: string; readonly privateKey: JWK };
}

/** VS Code's SecretStorage. */
export interface ChannelSecrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
}

interface KeptChannels {
  readonly secrets: ChannelSecrets;
  /** {@link channelsKey} of this machine. */
  readonly key: string;
}

interface OpenChannelOptions extends KeptChannels {
  /** The address of a Crewdeck relay, or of a channel on smee.io or a similar server. */
  readonly address: string;
  /** Asks for the token that creates a channel on a Crewdeck relay. Undefined if the person gives none. */
  readonly token: () => Promise<string | undefined>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
}

/**
 * Names the secret that holds a machine's channels on Crewdeck relays, by the relay's address. Windows on remote hosts
 * have the same secrets as those on the person's computer, but a channel is for one machine: others would take its
 * callbacks away.
 */
export function channelsKey(machine: string): string {
  return `crewdeck.relays.${machine}`;
}

/** Opens this machine's channel on a Crewdeck relay, which it creates at the first call. On another server, the address is the channel. @throws {RelayError} */
export async function openChannel(options: OpenChannelOptions): Promise<Channel> {
  const { secrets, key } = options;
  const address = relayAddress(options.address);
  const kept = readChannel((await keptIn(options))[address]);
  if (kept !== undefined) return kept;
  if (!(await isOwnRelay(address, options))) return { address };
  const created = await createChannel(address, options);
  await secrets.store(key, JSON.stringify({ ...(await keptIn(options)), [address]: created }));
  return created;
}

/** Deletes the secrets of a channel that the relay no longer has. @param address of the relay */
export async function forgetChannel(address: string, kept: KeptChannels): Promise<void> {
  const channels = { ...(await keptIn(kept)), [relayAddress(address)]: undefined };
  await kept.secrets.store(kept.key, JSON.stringify(channels));
}

async function keptIn({ secrets, key }: KeptChannels): Promise<UnknownObject> {
  return asObject(parseJson((await secrets.get(key)) ?? ""));
}

/** The public address for callbacks. @param path `/<secret path>` */
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
  return withoutEndSlashes(url.origin + url.pathname);
}

async function isOwnRelay(address: string, options: OpenChannelOptions): Promise<boolean> {
  const text = await askRelay(options, { method: "GET", url: address });
  return textAt(asObject(parseJson(text)), "service") === "crewdeck-relay";
}

async function createChannel(address: string, options: OpenChannelOptions): Promise<Channel> {
  const token = await options.token();
  if (token === undefined)
    throw new RelayError(
      l10n.t(
        "The relay's token is needed to create a channel there. “Test Callbacks” asks for it.",
      ),
    );
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
