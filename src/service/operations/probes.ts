import { setTimeout as sleep } from "node:timers/promises";
import { Hono, type Context } from "hono";
import { getPath } from "hono/utils/url";
import { bearerOf, digest, isSecret } from "../../base/bearer.ts";
import { isLoopback } from "../../base/loopback.ts";
import { row, type Database } from "../database/database.ts";
import { messageOf } from "../errors.ts";
import type { Fetch } from "../listener.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

const longestAnswerMs = 1000;

const paths = ["/healthz", "/readyz", "/metrics"];

interface ProbesOptions {
  readonly database: Pick<Database, "query">;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  /** The token for /metrics. Without it, only this machine may read them. */
  readonly metricsToken: string | undefined;
  /** Whether only this machine reaches the service: neither another network nor a proxy does. */
  readonly isLocal: boolean;
  readonly log: Log;
}

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

  function refuse(c: Context): Response | undefined {
    if (tokenHash !== undefined) {
      if (isSecret(bearerOf(c.req.header("Authorization")), tokenHash)) return undefined;
      const message = "Send the token of --metrics-token as a bearer token";
      return c.json({ error: "Unauthorized", message }, 401, { "WWW-Authenticate": "Bearer" });
    }
    // A web page can reach a local service by its own host name (DNS rebinding). A proxy adds these headers.
    const isDirect = ["Forwarded", "X-Forwarded-For"].every((name) => !c.req.header(name));
    if (isLocal && isDirect && isLoopback(new URL(c.req.url).hostname)) return undefined;
    const message =
      "Only this machine may read the metrics. To read them from elsewhere, start the service with --metrics-token or CREWDECK_METRICS_TOKEN";
    return c.json({ error: "Forbidden", message }, 403);
  }

  async function notReady(): Promise<string | undefined> {
    if (isDraining) return "The service is shutting down";
    // If the database hangs, wait for the same query instead of sending another.
    asking ??= ask().finally(() => (asking = undefined));
    const late = `The database did not answer within ${longestAnswerMs / 1000} s`;
    return await Promise.race([asking, sleep(longestAnswerMs, late, { ref: false })]);
  }

  async function ask(): Promise<string | undefined> {
    try {
      // The table exists once the schema does.
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
    drain(): void {
      isDraining = true;
    },

    before:
      (inner: Fetch): Fetch =>
      (request, bindings) =>
        paths.includes(getPath(request)) ? app.fetch(request, bindings) : inner(request, bindings),
  };
}
