import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { integer, text, type Row } from "../../base/sqlite.ts";
import { rows, type Database } from "../database/database.ts";
import type { Engine, TokenUsage } from "../engine.ts";
import type { CallbackKind } from "../model.ts";

/** The values of the label `route`. They are few and fixed; a path would have too many values for a label. */
const routes = [
  "/inputs",
  "/kickoff",
  "/resume",
  "/stop/:id",
  "/:id/status",
  "/status/:id",
  "/feedback/*",
];

const otherRoute = "other";

const seconds = {
  request: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  // A person takes from ten seconds to a week.
  wait: [10, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800],
};

/** The outcome of an attempt to send a callback. `given_up`: the last attempt failed. */
type CallbackOutcome = "delivered" | "failed" | "given_up";

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of a process, for Prometheus. */
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

  function countTokens(crew: string, usage: TokenUsage | undefined): void {
    if (usage === undefined) return;
    tokens.inc({ crew, type: "prompt" }, usage.prompt_tokens);
    tokens.inc({ crew, type: "completion" }, usage.completion_tokens);
  }

  return {
    /** A middleware that counts and times the requests to a crew's API. Use it first. */
    requests:
      (crew: string): MiddlewareHandler =>
      async (c, next) => {
        const end = requests.startTimer();
        await next();
        const path = matchedRoutes(c).at(-1)?.path ?? "";
        // The crew's app may be mounted below its name.
        const route = routes.find((each) => path.endsWith(each)) ?? otherRoute;
        const { status } = c.res;
        end({ route, status: `${Math.floor(status / 100)}xx` });
        if (route === "/kickoff" && c.req.method === "POST")
          kickoffs.inc({ crew, code: String(status) });
      },

    /** Wraps a crew's engine to count its attempts and tokens. */
    observed(engine: Engine, crew: string): Engine {
      const { name } = engine;
      const runFlow = engine.runFlow?.bind(engine);
      const underWay = new Map<string, { isStopped: boolean }>();
      async function counted<T extends { readonly usage?: TokenUsage }>(
        executionId: string,
        run: () => Promise<T>,
      ): Promise<T> {
        const attempt = { isStopped: false };
        underWay.set(executionId, attempt);
        try {
          const result = await run();
          attempts.inc({ engine: name, outcome: "completed" });
          countTokens(crew, result.usage);
          return result;
        } catch (error) {
          attempts.inc({ engine: name, outcome: attempt.isStopped ? "stopped" : "failed" });
          throw error;
        } finally {
          underWay.delete(executionId);
        }
      }
      return {
        ...engine,
        run: (attempt, report) => counted(attempt.executionId, () => engine.run(attempt, report)),
        ...(runFlow && {
          runFlow: (part, report) => counted(part.executionId, () => runFlow(part, report)),
        }),
        rest(executionId, hasEnded) {
          const attempt = underWay.get(executionId);
          if (hasEnded && attempt) attempt.isStopped = true;
          engine.rest?.(executionId, hasEnded);
        },
      };
    },

    /** Counts a person's decision. @param waited how long the output had waited (ms) */
    decided(waited: number): void {
      // The clock may have been set back.
      waits.observe(Math.max(0, waited) / 1000);
    },

    callback(kind: CallbackKind | "unknown", outcome: CallbackOutcome): void {
      callbacks.inc({ kind, outcome });
    },

    /** Adds gauges that are counted in the database. They are the same in all processes that share it. */
    addDatabase(database: Pick<Database, "query">, crews: readonly string[]): void {
      addGauges(database, crews, registry);
    },

    contentType: registry.contentType,

    /** In Prometheus' text format. */
    async text(): Promise<string> {
      // Added only when somebody reads the metrics: measuring the event loop's delay wakes the process many times a second.
      if (!hasDefaults) collectDefaultMetrics({ register: registry });
      hasDefaults = true;
      return await registry.metrics();
    },
  };
}

/** The least time between two counts (ms). */
const countPauseMs = 5000;

/** Counting takes at most this share of the time. A million executions take long to count, and SQLite blocks the process meanwhile. */
const countShare = 1 / 100;

const counts = {
  ended:
    "SELECT crew, state, count(*) AS count FROM executions WHERE ended_at IS NOT NULL GROUP BY crew, state",
  underWay:
    "SELECT crew, phase AS state, count(*) AS count FROM executions WHERE ended_at IS NULL GROUP BY crew, phase",
  callbacks: "SELECT count(*) AS count FROM deliveries WHERE state = 'pending'",
};

const states = ["queued", "running", "waiting", "completed", "failed", "stopped"];

function addGauges(
  database: Pick<Database, "query">,
  crews: readonly string[],
  registry: Registry,
): void {
  let next = 0;
  let counting: Promise<void> | undefined;
  const collect = () => (counting ??= refresh().finally(() => (counting = undefined)));
  const executions = new Gauge({
    name: "crewdeck_executions",
    help: "Executions in the database by crew and state.",
    labelNames: ["crew", "state"],
    registers: [registry],
    collect,
  });
  const queues = new Gauge({
    name: "crewdeck_queue_length",
    help: "Executions that wait for their turn, and callbacks that have not arrived and are not given up.",
    labelNames: ["queue"],
    registers: [registry],
    collect,
  });

  /** Never rejects. */
  async function refresh(): Promise<void> {
    const begun = performance.now();
    if (begun < next) return;
    try {
      const ended = await database.query(rows(counts.ended));
      const underWay = await database.query(rows(counts.underWay));
      const [callbacks = {}] = await database.query(rows(counts.callbacks));
      const found = [...ended, ...underWay].map(stateCount);
      executions.reset();
      for (const crew of crews) for (const state of states) executions.set({ crew, state }, 0);
      // The database may have executions of crews that are no longer served.
      for (const { crew, state, count } of found) executions.set({ crew, state }, count);
      const queued = found.filter(({ state }) => state === "queued");
      queues.set(
        { queue: "executions" },
        queued.reduce((sum, { count }) => sum + count, 0),
      );
      queues.set({ queue: "callbacks" }, integer(callbacks, "count"));
    } catch {
      // Leave these metrics out. /readyz reports the problem.
      executions.reset();
      queues.reset();
    }
    const took = performance.now() - begun;
    next = performance.now() + Math.max(countPauseMs, took / countShare);
  }
}

function stateCount(row: Row) {
  const state = text(row, "state");
  return {
    crew: text(row, "crew"),
    state: state === "error" ? "failed" : state,
    count: integer(row, "count"),
  };
}
