import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type GaugeConfiguration,
} from "prom-client";
import { integer, text, type Row } from "../../base/sqlite.ts";
import { rows, type Database } from "../database/database.ts";
import type { TokenUsage } from "../engine.ts";
import type { CallbackKind } from "../model.ts";

const seconds = {
  request: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  // A person takes from ten seconds to a week.
  wait: [10, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800],
};

export type AttemptOutcome = "completed" | "failed" | "stopped";

type CallbackOutcome = "delivered" | "failed" | "given_up";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  let hasDefaults = false;
  const kickoffs = new Counter({
    name: "crewdeck_kickoffs_total",
    help: "Kickoffs by crew and the HTTP status of the response.",
    labelNames: ["crew", "code"],
    registers,
  });
  const requests = new Histogram({
    name: "crewdeck_http_request_duration_seconds",
    help: "Time from a request of the crews' API to its response, by route and class of the HTTP status.",
    labelNames: ["route", "status"],
    buckets: seconds.request,
    registers,
  });
  const attempts = new Counter({
    name: "crewdeck_attempts_total",
    help: "Attempts at tasks, and parts of flows, by engine and outcome.",
    labelNames: ["engine", "outcome"],
    registers,
  });
  const tokens = new Counter({
    name: "crewdeck_model_tokens_total",
    help: "Tokens of language models that engines report, by crew and type.",
    labelNames: ["crew", "type"],
    registers,
  });
  const waits = new Histogram({
    name: "crewdeck_feedback_wait_seconds",
    help: "Time that outputs waited for a person's feedback.",
    buckets: seconds.wait,
    registers,
  });
  const callbacks = new Counter({
    name: "crewdeck_callback_attempts_total",
    help: "Attempts to send callbacks by kind and outcome: a callback that failed is sent again, one that was given up isn't.",
    labelNames: ["kind", "outcome"],
    registers,
  });

  return {
    /** A middleware that counts and times the requests to a crew's API. Use it first. */
    requests:
      (crew: string): MiddlewareHandler =>
      async (c, next) => {
        const end = requests.startTimer();
        await next();
        // As it is declared: an address would have too many values for a label.
        const route = matchedRoutes(c).at(-1)?.path ?? "";
        const { status } = c.res;
        end({ route, status: `${Math.floor(status / 100)}xx` });
        if (route === "/kickoff" && c.req.method === "POST")
          kickoffs.inc({ crew, code: String(status) });
      },

    attempt(crew: string, engine: string, outcome: AttemptOutcome, usage?: TokenUsage): void {
      attempts.inc({ engine, outcome });
      if (usage === undefined) return;
      tokens.inc({ crew, type: "prompt" }, usage.prompt_tokens);
      tokens.inc({ crew, type: "completion" }, usage.completion_tokens);
    },

    decided: (waited: number): void => {
      // The clock may have been set back.
      waits.observe(Math.max(0, waited) / 1000);
    },

    callback: (kind: CallbackKind, outcome: CallbackOutcome): void => {
      callbacks.inc({ kind, outcome });
    },

    addDatabase(database: Pick<Database, "query">, crews: readonly string[]): void {
      const addGauge = (
        configuration: Pick<GaugeConfiguration<string>, "name" | "help"> & { labelNames: string[] },
        read: () => Promise<readonly Row[]>,
      ) =>
        new Gauge({
          ...configuration,
          registers,
          async collect() {
            this.reset();
            // While the database can't be read, the metric is left out. /readyz reports the problem.
            for (const row of await read().catch(() => []))
              this.set(
                Object.fromEntries(configuration.labelNames.map((name) => [name, text(row, name)])),
                integer(row, "count"),
              );
          },
        });
      addGauge(
        {
          name: "crewdeck_executions",
          help: "Executions in the database by crew and state.",
          labelNames: ["crew", "state"],
        },
        // The database may have executions of crews that are no longer served.
        async () => [
          ...crews.flatMap((crew) => states.map((state) => ({ crew, state, count: 0 }))),
          ...(await database.query(rows(counts.executions))),
        ],
      );
      addGauge(
        {
          name: "crewdeck_queue_length",
          help: "Callbacks that have not arrived and are not given up.",
          labelNames: ["queue"],
        },
        () => database.query(rows(counts.callbacks)),
      );
    },

    contentType: registry.contentType,

    async text(): Promise<string> {
      // Added only when somebody reads the metrics: measuring the event loop's delay wakes the process many times a second.
      if (!hasDefaults) collectDefaultMetrics({ register: registry });
      hasDefaults = true;
      return await registry.metrics();
    },
  };
}

const counts = {
  executions: `
    SELECT crew, CASE state WHEN 'error' THEN 'failed' ELSE state END AS state, count(*) AS count
    FROM executions WHERE ended_at IS NOT NULL GROUP BY crew, executions.state
    UNION ALL SELECT crew, CASE phase WHEN 'held' THEN 'queued' ELSE phase END, count(*)
    FROM executions WHERE ended_at IS NULL GROUP BY 1, 2`,
  callbacks:
    "SELECT 'callbacks' AS queue, count(*) AS count FROM deliveries WHERE state = 'pending'",
};

const states = ["queued", "running", "waiting", "completed", "failed", "stopped"];
