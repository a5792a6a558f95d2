import * as l10n from "@vscode/l10n";
import type { JWK } from "jose";
import { Deadline, type Fetch, parseRetryAfter, readBody } from "../api/transport.ts";
import type { Clock } from "../base/clock.ts";
import { codeOf, messageOf, UserError } from "../base/errors.ts";
import type { SecretStorage } from "../base/events.ts";
import {
  asObject,
  defined,
  isObject,
  parseJson,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { oneLine, withoutEndSlashes } from "../base/text.ts";

/** A problem with a relay, as a message for the person. Never names the channel's address, which may be a secret. */
export class RelayError extends UserError {
  override readonly name = "RelayError";
  readonly isGone: boolean;
  readonly retryAfterMs: number;

  constructor(message: string, isGone = false, retryAfterMs = 0) {
    super(message);
    this.isGone = isGone;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A relay's address to which crews send callbacks, and from which this machine gets them. */
export interface Channel {
  /** Without a slash at its end. On smee.io it is a secret: whoever knows it can listen. */
  readonly address: string;
  /** On a Crewdeck relay: the secret to listen with, and the key that decrypts callbacks. */
  readonly own?: { readonly secret: string; readonly privateKey: JWK };
}

/** The public address for callbacks. @param path `/<secret path>` */
export function callbackAddress({ address, own }: Channel, path: string): string {
  // Servers like smee.io have one path for a channel.
  return own ? address + path : `${address}?crewdeck=${encodeURIComponent(path.slice(1))}`;
}

export interface RelayConnection {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
}

interface ChannelsOptions extends RelayConnection {
  readonly secrets: SecretStorage;
  /** Windows on remote hosts share the secrets, but would take another machine's callbacks away. */
  readonly machine: () => string;
}

/** This machine's channels on relays. Those on Crewdeck relays are kept in one secret, by the relay's address. */
export class Channels {
  readonly #options: ChannelsOptions;
  /** On servers like smee.io, which aren't asked each time what they are. */
  readonly #foreign = new Map<string, Channel>();

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  get #key(): string {
    return `crewdeck.relays.${this.#options.machine()}`;
  }

  /** Created at the first call. On smee.io, the address is the channel. @param token undefined if the person gives none */
  async open(relay: string, token: () => Promise<string | undefined>): Promise<Channel> {
    const address = relayAddress(relay);
    const known = readChannel((await this.#kept())[address]) ?? this.#foreign.get(address);
    if (known !== undefined) return known;
    const { service } = await askRelay(this.#options, { method: "GET", url: address });
    if (service !== "crewdeck-relay") {
      this.#foreign.set(address, { address });
      return { address };
    }
    const created = await createChannel(address, await token(), this.#options);
    await this.#keep(address, created);
    return created;
  }

  async forget(relay: string): Promise<void> {
    await this.#keep(relayAddress(relay), undefined);
  }

  async forgetAll(): Promise<void> {
    await this.#options.secrets.delete(this.#key);
  }

  async #kept(): Promise<UnknownObject> {
    return asObject(parseJson((await this.#options.secrets.get(this.#key)) ?? ""));
  }

  async #keep(address: string, channel: Channel | undefined): Promise<void> {
    const channels = { ...(await this.#kept()), [address]: channel };
    await this.#options.secrets.store(this.#key, JSON.stringify(channels));
  }
}

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

async function createChannel(
  address: string,
  token: string | undefined,
  connection: RelayConnection,
): Promise<Channel> {
  if (token === undefined)
    throw new RelayError(
      l10n.t(
        "The relay's token is needed to create a channel there. “Test Callbacks” asks for it.",
      ),
    );
  const { exportJWK, generateKeyPair } = await import("./relay-client.ts");
  const pair = await generateKeyPair("ECDH-ES", { crv: "P-256", extractable: true });
  const { channel, secret } = await askRelay(connection, {
    ...{ method: "POST", url: `${address}/channels`, secret: token },
    body: JSON.stringify({ publicKey: await exportJWK(pair.publicKey) }),
  });
  if (!isName(channel) || !isName(secret)) throw unreadable();
  const privateKey = await exportJWK(pair.privateKey);
  return { address: `${address}/${channel}`, own: { secret, privateKey } };
}

function readChannel(kept: unknown): Channel | undefined {
  const { address, own } = asObject(kept);
  const { secret, privateKey } = asObject(own);
  return typeof address === "string" && isName(secret) && isObject(privateKey)
    ? { address, own: { secret, privateKey } }
    : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{16,128}$/.test(value);
}

interface RelayRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly secret?: string | undefined;
  readonly body?: string;
  readonly accept?: string;
  readonly lastId?: string | undefined;
}

/** How long an answer may take (ms); of a channel, how long until it begins. */
export const answerMs = 20_000;
const maxAnswer = 64 * 1024;

/** Sends a request, and reads a short answer: at most 64 KiB. @throws {RelayError} */
export async function askRelay(
  connection: RelayConnection,
  request: RelayRequest,
): Promise<UnknownObject> {
  const deadline = new Deadline(connection.clock, answerMs, connection.signal);
  try {
    const answer = await connect(connection, request, deadline);
    const { text, problem } = await readBody(answer, maxAnswer);
    if (problem !== undefined) throw unreachable(problem, deadline);
    return asObject(parseJson(text));
  } finally {
    deadline.dispose();
  }
}

export async function connect(
  { fetch, clock, userAgent }: RelayConnection,
  { method, url, secret, body, lastId, accept = "application/json" }: RelayRequest,
  deadline: Deadline,
): ReturnType<Fetch> {
  const { signal } = deadline;
  const answer = await fetch(url, {
    ...{ method, redirect: "manual", signal, ...defined({ body }) },
    headers: {
      ...{ accept, "accept-encoding": "identity", "cache-control": "no-cache" },
      "user-agent": userAgent,
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(lastId !== undefined && { "last-event-id": lastId }),
    },
  }).catch((error: unknown) => {
    throw unreachable(error, deadline);
  });
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  // A proxy in front of the relay may send these, too, while the relay restarts: only a Crewdeck relay names the channel.
  const said = textAt(asObject(parseJson((await readBody(answer, maxAnswer)).text)), "error") ?? "";
  const isGone = (status === 401 || status === 404) && /\bchannel\b/.test(said);
  const retryAfter = parseRetryAfter(answer.headers.get("retry-after"), clock.now());
  const problem =
    status === 401
      ? l10n.t(
          "The relay refused the token or the channel's secret (401). The token is in the file that the relay named when it started; “Test Callbacks” asks for it again.",
        )
      : l10n.t("The relay answered with an error ({0}).", status);
  throw new RelayError(problem, isGone, retryAfter);
}

/** Without the address, which node-fetch puts first. */
export function unreachable(error: unknown, { ended }: Deadline): RelayError {
  const said = messageOf(error).replace(/^request to .* failed, reason: ?/, "");
  const text = said === "" || said.includes("://") ? (codeOf(error) ?? "Error") : said;
  const why = ended === "timeout" ? "timeout" : oneLine(text, 200);
  return new RelayError(l10n.t("The relay can't be reached: {0}", why));
}

export function unreadable(): RelayError {
  return new RelayError(l10n.t("What answers at the relay's address is no relay."));
}
