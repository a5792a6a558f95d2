import { randomBytes } from "node:crypto";
import { Hono, type Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { streamSSE, type SSEStreamingApi } from "hono/streaming";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { CompactEncrypt, importJWK, type JWK } from "jose";
import { codeOf } from "../base/errors.ts";
import { asObject, parseJson } from "../base/json.ts";
import { bearerOf, digest, isSecret } from "../base/bearer.ts";
import { messageOf } from "../service/errors.ts";
import { tokenBuckets } from "../service/token-buckets.ts";
import type { RelayStore } from "./store.ts";

/** How often a listener hears that the connection lives (ms). */
const pingMs = 20_000;
/** When to come back if too many callbacks wait for their client (s). */
const fullSeconds = 60;
const maxKeyBytes = 10_000;

export type Limits = Readonly<typeof usualLimits>;

/** Of a channel, but the first and the last. */
export const usualLimits = {
  channels: 1000,
  // As much as the receiver takes: the sender must hear of what it would refuse.
  bodyBytes: 1_000_000,
  // Sealed.
  waitingBytes: 64 * 1024 * 1024,
  // Callbacks without a pause, and on average.
  burst: 5000,
  perSecond: 200,
  atOnce: 50,
  // For a request to arrive.
  requestMs: 20_000,
};

interface RelayParts {
  readonly store: RelayStore;
  /** Who has it may create channels. */
  readonly token: string;
  readonly limits: Limits;
  readonly log: (line: string) => void;
}

interface Listener {
  readonly wake: () => void;
  readonly end: () => void;
}

/** Accepts callbacks at a channel's address, and passes them on to the client that listens with the channel's secret. */
export function createRelay({ store, token, limits, log }: RelayParts) {
  const app = new Hono();
  const buckets = tokenBuckets(limits);
  const arriving = new Map<string, number>();
  const listeners = new Map<string, Listener>();

  /** A full disk keeps the relay neither from starting nor from passing callbacks on. */
  const tryTo = (change: () => void): void => {
    try {
      change();
    } catch (error) {
      log(`The relay could not clean up its database: ${messageOf(error)}`);
    }
  };

  app.get("/", (c) => c.json({ service: "crewdeck-relay", version: 1 }));

  app.post("/channels", async (c) => {
    if (!isSecret(bearerOf(c.req.header("Authorization")), digest(token)))
      throw refusal(401, "The relay's token is wrong.");
    const body = await readBody(c, maxKeyBytes);
    const publicKey = await readPublicKey(asObject(parseJson(body.toString()))["publicKey"]);
    if (publicKey === undefined) throw refusal(400, "Expected a public key for ECDH-ES.");
    if (store.countChannels() >= limits.channels)
      throw refusal(507, `The relay keeps at most ${limits.channels} channels.`);
    const [channel, secret] = [randomBytes(16), randomBytes(32)].map((bytes) =>
      bytes.toString("base64url"),
    ) as [string, string];
    store.addChannel(channel, digest(secret).toString("hex"), publicKey, Date.now());
    return c.json({ channel, secret }, 201);
  });

  app.get("/:channel", (c) => {
    const channel = authorized(c);
    tryTo(() => store.listened(channel, Date.now()));
    const after = Number(c.req.header("Last-Event-ID") ?? 0);
    if (!Number.isSafeInteger(after)) throw refusal(400, "Last-Event-ID is no ID of ours.");
    // Nginx would hold the events back.
    c.header("X-Accel-Buffering", "no");
    return streamSSE(c, (stream) => pass(channel, after, stream));
  });

  app.delete("/:channel/messages", (c) => {
    const channel = authorized(c);
    const through = Number(c.req.query("through") ?? NaN);
    if (!Number.isSafeInteger(through)) throw refusal(400, "Expected ?through=<ID>.");
    store.acknowledge(channel, through);
    return c.body(null, 204);
  });

  const accept = async (c: Context) => {
    const id = c.req.param("channel") ?? "";
    const channel = store.channel(id);
    if (channel === undefined) throw unknownChannel();
    const others = arriving.get(id) ?? 0;
    const wait = others >= limits.atOnce ? 1 : buckets(id, Date.now());
    if (wait !== undefined) throw tooMany(c, "Too many callbacks.", wait);
    arriving.set(id, others + 1);
    try {
      const body = await readBody(c, limits.bodyBytes);
      const path = new URL(c.req.url).pathname.slice(id.length + 1) || "/";
      const sealed = await seal(channel.publicKey, { path, headers: c.req.header(), body });
      const result = await store.add(id, sealed, Date.now());
      if (result === "gone") throw unknownChannel();
      if (result === "full")
        throw tooMany(c, "Too many callbacks wait for their client.", fullSeconds);
    } finally {
      arriving.set(id, (arriving.get(id) ?? 0) - 1);
    }
    listeners.get(id)?.wake();
    // A proxy would lose the callback that it sends on a kept connection while this side closes that.
    c.header("Connection", "close");
    return c.body(null, 202);
  };
  app.post("/:channel", accept);
  app.post("/:channel/*", accept);

  app.notFound((c) => c.json({ error: "Not Found" }, 404));
  app.onError((error, c) => {
    // What nobody read of a body would be read as the next request.
    if (c.req.method === "POST") c.header("Connection", "close");
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
    // The path names a channel, so it isn't logged.
    if (codeOf(error) !== "ECONNRESET") log(`A request failed: ${error.message}`);
    return c.json({ error: "The relay failed. The callback was not accepted." }, 500);
  });

  function authorized(c: Context): string {
    const id = c.req.param("channel") ?? "";
    const channel = store.channel(id);
    if (channel === undefined) throw unknownChannel();
    if (!isSecret(bearerOf(c.req.header("Authorization")), Buffer.from(channel.secretHash, "hex")))
      throw refusal(401, "The channel's secret is wrong.");
    return id;
  }

  /** Until the client leaves, or listens again elsewhere. Callbacks stay in the store until they are acknowledged. */
  async function pass(channel: string, after: number, stream: SSEStreamingApi): Promise<void> {
    listeners.get(channel)?.end();
    let wake = (): void => undefined;
    const listener = { wake: () => wake(), end: () => stream.abort() };
    listeners.set(channel, listener);
    stream.onAbort(() => wake());
    await stream.writeSSE({ event: "ready", data: "{}" });
    for (let last = after; !stream.aborted;) {
      const messages = store.after(channel, last);
      for (const { id, sealed } of messages) {
        await stream.writeSSE({ id: String(id), data: sealed });
        last = id;
      }
      if (messages.length > 0) continue;
      const isNew = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), pingMs);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      if (!isNew) await stream.writeSSE({ event: "ping", data: "{}" });
    }
    if (listeners.get(channel) === listener) listeners.delete(channel);
  }

  return {
    app,
    expire: (now: number) => tryTo(() => store.expire(now, [...listeners.keys()])),
    endListeners: () => {
      for (const listener of listeners.values()) listener.end();
    },
  };
}

function refusal(status: ContentfulStatusCode, message: string): HTTPException {
  return new HTTPException(status, { message });
}

function tooMany(c: Context, message: string, seconds: number): HTTPException {
  c.header("Retry-After", String(seconds));
  return refusal(429, message);
}

function unknownChannel(): HTTPException {
  return refusal(404, "There is no such channel.");
}

async function readBody(c: Context, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => refusal(413, `The body is larger than ${maxBytes} bytes.`);
  if (Number(c.req.header("Content-Length") ?? 0) > maxBytes) throw tooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) throw tooLarge();
  }
  return Buffer.concat(parts);
}

/** A callback as it arrived, of which nothing is stored in the clear. */
interface Arrival {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** JWE (RFC 7516): ECDH-ES with a key of its own for each callback, and A256GCM. Only the client's private key opens it. */
async function seal(publicKey: string, { path, headers, body }: Arrival): Promise<string> {
  const key = await importJWK(JSON.parse(publicKey) as JWK, "ECDH-ES");
  const content = {
    ...{ path, headers, arrivedAt: Date.now() },
    body: Buffer.from(body).toString("base64"),
  };
  return await new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM" })
    .encrypt(key);
}

/** Only what `seal` needs of a JWK; undefined if it is no public key for it. */
async function readPublicKey(value: unknown): Promise<string | undefined> {
  if (typeof value !== "object" || value === null) return undefined;
  const { kty, crv, x, y } = value as JWK;
  if (kty !== "EC" || crv !== "P-256" || typeof x !== "string" || typeof y !== "string")
    return undefined;
  const publicKey = JSON.stringify({ kty, crv, x, y });
  try {
    await seal(publicKey, { path: "/", headers: {}, body: new Uint8Array() });
    return publicKey;
  } catch {
    return undefined;
  }
}
