import { setTimeout as sleep } from "node:timers/promises";
import { Hono, type Context } from "hono";
import { getPath } from "hono/utils/url";
import { bearerOf, digest, isSecret } from "../../base/bearer.ts";
import { isLoopback } from "../../base/loopback.ts";
import { row, type Database } from "../database/database.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** How long the database may take to answer a trivial query (ms). */
const longestAnswerMs = 1000;

const paths = ["/healthz", "/readyz", "/metrics"];

interface ProbesOptions {
  readonly database: Pick<Database, "query">;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  /** Who may read metrics. Without it, only this machine may. */
  readonly metricsToken: string | undefined;
  /** Whether only this machine reaches the service: neither another network nor a proxy does. */
  readonly isLocal: boolean;
  readonly log: Log;
}

type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>;

export type Probes = ReturnType<typeof createProbes>;

/** Answers what monitors the service: whether it runs, whether it can work, and how much it does. */
export function createProbes({ database, metrics, metricsToken, isLocal, log }: ProbesOptions) {
  const tokenHash = metricsToken === undefined ? undefined : digest(metricsToken);
  let isDraining = false;
  let problem: string | undefined;
  let asking: Promise<string | undefined> | undefined;
  const app = new Hono();

  app.get("/healthz", (c) => c.text("ok"));
  app.get("/readyz", async (c) => {
    const reason = await notReady();
    return reason === undefined
      ? c.json({ status: "ready" })
      : c.json({ status: "not ready", reason }, 503);
  });
  app.get("/metrics", async (c) => {
    const refusal = refuse(c);
    if (refusal) return refusal;
    return c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType });
  });
  for (const path of paths)
    app.all(path, (c) => c.json({ error: "Method Not Allowed" }, 405, { Allow: "GET, HEAD" }));
  app.onError((error, c) => {
    log(`${c.req.path}: ${messageOf(error)}`, { level: "error" });
    return c.json({ error: "Internal Server Error" }, 500);
  });

  /** Undefined for a request that may read the metrics. */
  function refuse(c: Context): Response | undefined {
    if (tokenHash !== undefined) {
      if (isSecret(bearerOf(c.req.header("Authorization")), tokenHash)) return undefined;
      const message = "Send the token of --metrics-token as a bearer token";
      return c.json({ error: "Unauthorized", message }, 401, { "WWW-Authenticate": "Bearer" });
    }
    // A web page reaches a local service by a name of its own (DNS rebinding), and a proxy says for whom it asks.
    const isDirect = ["Forwarded", "X-Forwarded-For"].every((name) => !c.req.header(name));
    if (isLocal && isDirect && isLoopback(new URL(c.req.url).hostname)) return undefined;
    const message =
      "Only this machine may read the metrics. To read them from elsewhere, start the service with --metrics-token or CREWDECK_METRICS_TOKEN";
    return c.json({ error: "Forbidden", message }, 403);
  }

  /** Why the service can't work; undefined if it can. It may contain no secret. */
  async function notReady(): Promise<string | undefined> {
    if (isDraining) return "The service is shutting down";
    // A database that hangs isn't asked again meanwhile.
    asking ??= ask().finally(() => (asking = undefined));
    const answered = new AbortController();
    const late = `The database did not answer within ${longestAnswerMs / 1000} s`;
    try {
      return await Promise.race([asking, sleep(longestAnswerMs, late, answered)]);
    } finally {
      answered.abort();
    }
  }

  /** Never rejects. */
  async function ask(): Promise<string | undefined> {
    try {
      // The table is there once the schema is.
      await database.query(row("SELECT 1 AS found FROM executions LIMIT 1"));
      problem = undefined;
      return undefined;
    } catch (error) {
      const message = messageOf(error);
      // A monitor asks every few seconds, so the problem is logged once.
      if (message !== problem) log(`The database can't be read: ${message}`, { level: "error" });
      problem = message;
      return "The database can't be read. The service's log says why";
    }
  }

  return {
    /** Makes the service report that it isn't ready. */
    drain(): void {
      isDraining = true;
    },

    /** Answers the requests of what watches, and leaves all others to `inner`. */
    before:
      (inner: Fetch): Fetch =>
      (request, bindings) =>
        paths.includes(getPath(request)) ? app.fetch(request, bindings) : inner(request, bindings),
  };
}
