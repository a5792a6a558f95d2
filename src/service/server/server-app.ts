import { isIP } from "node:net";
import { Hono, type Context } from "hono";
import { bearerOf } from "../../base/bearer.ts";
import { isLoopback } from "../../base/loopback.ts";
import { answerWith, hasBody, pathOf, unauthorized, unexpected, unknownRoute } from "../app.ts";
import { documentedDialect } from "../dialects.ts";
import { ApiError } from "../errors.ts";
import type { ServedCrew } from "../service.ts";
import { tokenBuckets } from "../token-buckets.ts";
import type { Caller } from "../model.ts";
import type { ServerConfig } from "./config.ts";
import { callerOf, mayUse, type Tokens } from "./tokens.ts";

/** Limits log entries about refused requests, so that they can't fill the disk. */
const loggedRefusals = { burst: 20, perSecond: 0.1 };

/** A crew at `/<name>`, or without a name, the only one, at the root. */
interface MountedCrew extends Pick<ServedCrew, "name" | "dialect" | "feedbackWebhook"> {
  readonly fetch: (request: Request, env: object) => Response | Promise<Response>;
}

export interface ServerAppOptions extends Pick<ServerConfig, "publicUrl" | "trustProxy"> {
  readonly crews: readonly MountedCrew[];
  readonly tokens: Tokens;
  /** Of each token, in this process. One that was idle may send a minute's requests at once. */
  readonly requestsPerMinute: number;
  readonly log: (line: string) => void;
}

interface Environment {
  /** There is no socket in tests. */
  Bindings: { readonly incoming?: { readonly socket: { readonly remoteAddress?: string } } };
  Variables: {
    /** The requested crew, if the token may use it. */
    crew: MountedCrew | undefined;
    caller: Caller | undefined;
    names: readonly string[];
  };
}

/** Admits requests to crews. Without a valid token, a client doesn't learn which crews there are. */
export function createServerApp(options: ServerAppOptions): Hono<Environment> {
  const { tokens, log, trustProxy, requestsPerMinute: burst } = options;
  const crews = new Map(options.crews.map((crew) => [crew.name, crew]));
  const only = crews.get("");
  const publicUrl = URL.parse(options.publicUrl ?? "");
  const logged = tokenBuckets(loggedRefusals);
  const rates = burst === Infinity ? undefined : tokenBuckets({ burst, perSecond: burst / 60 });
  const app = new Hono<Environment>({ getPath: pathOf });

  app.use(async (c, next) => {
    const url = publicUrlOf(c, trustProxy);
    if (!url || !(isLoopback(url.hostname) || url.hostname === publicUrl?.hostname)) {
      const message =
        "Only requests to 127.0.0.1, localhost or [::1] are accepted, and to a server's publicUrl";
      throw new ApiError(403, message);
    }
    c.set("crew", only);
    const [, name = ""] = only ? [] : c.req.path.split("/");
    const crew = crews.get(name);
    const below = only ? c.req.path : c.req.path.slice(name.length + 1);
    // The path of an answer is the secret, as the vendor's.
    if (crew?.feedbackWebhook?.attemptAt(below)) {
      c.set("crew", crew);
      return next();
    }
    const header = c.req.header("Authorization");
    const token = tokens.find(bearerOf(header));
    if (!token) {
      if (logged("", performance.now()) === undefined)
        log(`A request from ${clientOf(c, trustProxy)} had no valid token.`);
      throw unauthorized(header);
    }
    tokens.noteUse(token);
    c.set("caller", callerOf(token));
    c.set(
      "names",
      [...crews.keys()].filter((each) => mayUse(token, each)),
    );
    if (mayUse(token, name)) c.set("crew", crew);
    const retryAfter = rates?.(token.name, performance.now());
    if (retryAfter !== undefined) {
      const message = `Too many requests with this token. Try again in ${retryAfter} s`;
      throw new ApiError(429, message, { retryAfter });
    }
    return next();
  });

  if (only) app.all("/*", (c) => only.fetch(c.req.raw, { ...c.env, caller: c.var.caller }));
  const crewsFor = (c: Context<Environment>) => {
    const { origin } = publicUrl ?? publicUrlOf(c, trustProxy) ?? new URL(c.req.url);
    return c.var.names.map((name) => ({ name, url: `${origin}/${name}` }));
  };
  app.get("/", (c) => c.json({ crews: crewsFor(c) }));
  app.all("/", (c) => {
    c.header("Allow", "GET");
    throw new ApiError(405, "This address accepts only GET");
  });
  app.all("/*", (c) => {
    // A crew that the token may not use looks like one that doesn't exist.
    if (!c.var.crew)
      throw crewPaths.has(c.req.path)
        ? noCrewHere(crewsFor(c).map(({ url }) => url))
        : unknownRoute();
    return c.var.crew.fetch(c.req.raw, { ...c.env, caller: c.var.caller });
  });
  app.onError((error, c) => {
    const known = error instanceof ApiError ? error : undefined;
    if (!known) log(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
    // Otherwise, Node would read the rest of the body as the next request.
    if (hasBody(c)) c.header("Connection", "close");
    return answerWith(c, c.var.crew?.dialect ?? documentedDialect, known ?? unexpected());
  });
  return app;
}

/** Of a crew: a client that asks for one here takes the server's address for a crew's. */
const crewPaths = new Set(["/inputs", "/kickoff"]);

function noCrewHere(urls: readonly string[]): ApiError {
  if (urls.length === 0) return unknownRoute();
  const message = `This is the address of a server. Use that of a crew: ${urls.join(", ")}`;
  return new ApiError(404, message, { detail: "Not Found" });
}

/** The address that the client used. The headers of a proxy count only with `trustProxy`, because any client can send them. */
function publicUrlOf(c: Context, trustProxy: boolean): URL | null {
  const url = new URL(c.req.url);
  if (!trustProxy) return url;
  const protocol = lastOf(c, "X-Forwarded-Proto") === "https" ? "https:" : url.protocol;
  return URL.parse(`${protocol}//${lastOf(c, "X-Forwarded-Host") ?? url.host}`);
}

function clientOf(c: Context<Environment>, trustProxy: boolean): string {
  const forwarded = trustProxy ? lastOf(c, "X-Forwarded-For") : undefined;
  const address = forwarded ?? c.env.incoming?.socket.remoteAddress ?? "";
  return isIP(address) ? address : "an unknown address";
}

/** The last value of a header, which the proxy added. Earlier values may be the client's. */
function lastOf(c: Context, header: string): string | undefined {
  return c.req.header(header)?.split(",").at(-1)?.trim();
}
